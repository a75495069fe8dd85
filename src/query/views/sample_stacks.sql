-- The stacks :first to :last by id, with their innermost frames; texts as string.id, for a
-- long one may be that of every frame.
SELECT n.id, coalesce(n.caller_id, 0), n.function_id, n.line, f.name_id, f.file_id,
       nullif(f.line, 0)
FROM sample_node n JOIN function f ON f.id = n.function_id
WHERE n.id BETWEEN :first AND :last ORDER BY n.id

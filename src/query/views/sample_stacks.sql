-- The stacks :first to :last by id, with their innermost frames.
SELECT n.id, coalesce(n.caller_id, 0), n.function_id, n.line, name.text, file.text,
       nullif(f.line, 0)
FROM sample_node n
JOIN function f ON f.id = n.function_id
JOIN string name ON name.id = f.name_id
JOIN string file ON file.id = f.file_id
WHERE n.id BETWEEN :first AND :last ORDER BY n.id

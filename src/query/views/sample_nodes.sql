-- Nodes from :first to :last.
SELECT id, caller_id, function_id, line FROM sample_node
WHERE id BETWEEN :first AND :last
ORDER BY id

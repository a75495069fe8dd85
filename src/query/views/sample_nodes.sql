-- Nodes from :first to :last.
SELECT id, caller_id, function_id, line, profile_id FROM sample_node
WHERE id BETWEEN :first AND :last
ORDER BY id

-- Their lines; function_id as above.
SELECT l.function_id, l.block, l.line, l.hits, l.self_ns, l.memory_bytes, l.increment_bytes,
       source.text AS source
FROM line_stat l
     JOIN function f ON f.id = l.function_id
     LEFT JOIN string source ON source.id = l.text_id
WHERE f.profile_id IN (SELECT value FROM json_each(:profiles))
ORDER BY l.id

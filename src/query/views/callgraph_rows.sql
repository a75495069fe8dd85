-- What functions took, in the order of the recording: rows :first to :last.
SELECT calls, primitive_calls, self_ns, total_ns, self_s, total_s, calls_text,
       primitive_calls_text, function_id
FROM function_stat
WHERE id BETWEEN :first AND :last
ORDER BY id

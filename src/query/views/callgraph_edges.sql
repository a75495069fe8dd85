-- What calls from each caller took, callee after callee: rows :first to :last.
SELECT calls, primitive_calls, self_ns, total_ns, self_s, total_s, calls_text,
       primitive_calls_text, callee_id, caller_id
FROM call_edge
WHERE id BETWEEN :first AND :last
ORDER BY id

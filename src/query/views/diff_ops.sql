-- What rows of the operator table took (schema.sql, op_stat), of one grain and the kinds
-- of the JSON array :kinds, in the profiles :profiles (ids as a JSON array).
-- step   N of the ProfilerStep#N; NULL outside every step, and of grain 0
SELECT o.profile_id, s.number AS step, o.name_id, o.calls, o.kind, o.self_ns, o.total_ns,
       o.self_device_ns, o.total_device_ns, o.self_cpu_mem_bytes, o.self_device_mem_bytes
FROM op_stat o LEFT JOIN step s ON s.id = o.step_id
WHERE o.profile_id IN (SELECT value FROM json_each(:profiles)) AND o.grain = :grain
      AND o.kind IN (SELECT value FROM json_each(:kinds))
ORDER BY o.profile_id, o.id

-- What rows of the operator table took (schema.sql, op_stat), of one grain and the kinds
-- of the JSON array :kinds, in the profiles :profiles (ids as a JSON array).
-- step   N of the ProfilerStep#N; NULL outside every step, and of grain 0; of grain 3, which
--        stands in for grain 2 in a baseline, that of the first
SELECT o.profile_id,
       CASE WHEN o.grain = 3 THEN (SELECT min(number) FROM step WHERE profile_id = o.profile_id)
            ELSE s.number END AS step, o.name_id, o.calls, o.kind, o.self_ns, o.total_ns,
       o.self_device_ns, o.total_device_ns, o.self_cpu_mem_bytes, o.self_device_mem_bytes
FROM op_stat o LEFT JOIN step s ON s.id = o.step_id
WHERE o.profile_id IN (SELECT value FROM json_each(:profiles)) AND o.grain IN (:grain, iif(:grain = 2, 3, :grain))
      AND o.kind IN (SELECT value FROM json_each(:kinds))
ORDER BY o.profile_id, o.id

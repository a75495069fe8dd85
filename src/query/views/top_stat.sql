-- The operator table's sums of some profiles, of one grain (schema.sql, op_stat),
-- in the order they were written: by profile, then by first call.
-- :profiles is a JSON array of ids.  Python frames are never in the table.
SELECT profile_id, step_id, kind, is_annotation, name_id, shapes_id, stack_id, overload_id,
       first_ts, first_dur, first_order, is_async, is_top_level, calls, primitive_calls,
       self_ns, total_ns, self_device_ns, total_device_ns, cpu_mem_bytes, self_cpu_mem_bytes,
       device_mem_bytes, self_device_mem_bytes, flops
FROM op_stat
WHERE profile_id IN (SELECT value FROM json_each(:profiles)) AND grain = :grain AND kind <> 3
ORDER BY profile_id, id

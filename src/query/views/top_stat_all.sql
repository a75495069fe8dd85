-- The operator table's sums as top_stat.sql has them, and behind them what else there is.
SELECT profile_id, step_id, kind, is_annotation, name_id, first_ts, first_dur, first_order,
       is_async, calls, self_ns, total_ns, self_device_ns, total_device_ns,
       shapes_id, stack_id, overload_id, is_top_level, primitive_calls, cpu_mem_bytes,
       self_cpu_mem_bytes, device_mem_bytes, self_device_mem_bytes, flops
FROM op_stat
WHERE profile_id IN (SELECT value FROM json_each(:profiles)) AND grain = :grain AND kind <> 3
ORDER BY profile_id, id

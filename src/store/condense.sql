-- The operators of all steps together in place of those of each; condense.h.
INSERT INTO op_stat (profile_id, grain, kind, name_id, is_annotation, first_ts, first_dur, first_order,
                     is_async, is_top_level, calls, primitive_calls, self_ns, total_ns, min_ns, max_ns,
                     squares0, squares1, squares2, squares3, self_device_ns, total_device_ns, cpu_mem_bytes,
                     self_cpu_mem_bytes, device_mem_bytes, self_device_mem_bytes, flops)
WITH summed AS (
    SELECT *, min(first_ts), sum(calls) AS all_calls, sum(primitive_calls) AS all_primitive_calls, sum(self_ns) AS all_self,
           sum(total_ns) AS all_total, min(min_ns) AS least, max(max_ns) AS most, sum(squares0) AS s0,
           sum(squares1) AS s1, sum(squares2) AS s2, sum(squares3) AS s3, sum(self_device_ns) AS all_self_device,
           sum(total_device_ns) AS all_total_device, sum(cpu_mem_bytes) AS all_cpu_mem,
           sum(self_cpu_mem_bytes) AS all_self_cpu_mem, sum(device_mem_bytes) AS all_device_mem,
           sum(self_device_mem_bytes) AS all_self_device_mem, sum(flops) AS all_flops
    FROM op_stat WHERE grain = 2 AND step_id IS NOT NULL
    GROUP BY profile_id, kind, is_annotation, name_id),
carried AS (SELECT *, s1 + (s0 >> 32) AS t1 FROM summed),
twice AS (SELECT *, s2 + (t1 >> 32) AS t2 FROM carried)
SELECT profile_id, 3, kind, name_id, is_annotation, first_ts, first_dur, first_order, is_async, is_top_level,
       all_calls, all_primitive_calls, all_self, all_total, least, most, s0 & 4294967295, t1 & 4294967295,
       t2 & 4294967295, s3 + (t2 >> 32), all_self_device, all_total_device, all_cpu_mem, all_self_cpu_mem,
       all_device_mem, all_self_device_mem, all_flops
FROM twice ORDER BY profile_id, first_ts, -first_dur, first_order;
DELETE FROM op_stat WHERE grain = 2;
COMMIT;
PRAGMA page_size = 1024;

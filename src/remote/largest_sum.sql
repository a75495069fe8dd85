-- SQLite: what no sum of a column of the profile's op_stat exceeds, in doubt too much.
-- Whoever adds up profiles in the database adds these first, and so knows that no sum of
-- 64 bits can overflow.
SELECT max(max(sum_calls, sum_self, sum_total, sum_device, sum_memory, sum_flops)) * 1.0001 + 1
FROM (SELECT total(calls) AS sum_calls, total(abs(self_ns)) AS sum_self,
             total(total_ns) AS sum_total,
             total(abs(self_device_ns)) + total(abs(total_device_ns)) AS sum_device,
             total(abs(cpu_mem_bytes)) + total(abs(self_cpu_mem_bytes)) +
             total(abs(device_mem_bytes)) + total(abs(self_device_mem_bytes)) AS sum_memory,
             total(flops) AS sum_flops
      FROM op_stat WHERE profile_id = :profile GROUP BY grain)

-- How often the kernels of each name ran on each of :profiles, a JSON array of ids, and
-- how long, by name.
SELECT name_id, profile_id, sum(calls), sum(total_device_ns)
FROM op_stat
WHERE profile_id IN (SELECT value FROM json_each(:profiles)) AND grain = 0 AND kind = 1
GROUP BY name_id, profile_id
ORDER BY name_id, profile_id

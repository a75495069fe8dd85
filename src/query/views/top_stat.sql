-- The operator table's sums of some profiles, of one grain (schema.sql, op_stat),
-- in the order they were written: by profile, then by first call; times alone, as most
-- questions have it.  top_stat_all.sql is the same with what is seldom asked for.
-- :profiles is a JSON array of ids.  Python frames are never in the table.
SELECT profile_id, step_id, kind, is_annotation, name_id, first_ts, first_dur, first_order,
       is_async, calls, self_ns, total_ns, self_device_ns, total_device_ns
FROM op_stat
WHERE profile_id IN (SELECT value FROM json_each(:profiles)) AND grain = :grain AND kind <> 3
ORDER BY profile_id, id

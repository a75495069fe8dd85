-- Calls of the name :name on the host in the profile :profile, and their time, in steps
-- but the one that starts first.
SELECT coalesce(sum(o.calls), 0), coalesce(sum(o.total_ns), 0)
FROM op_stat o
WHERE o.profile_id = :profile AND o.grain = 2 AND o.kind = 0 AND o.name_id = :name
AND o.step_id <> (SELECT id FROM step WHERE profile_id = :profile ORDER BY ts, id LIMIT 1)

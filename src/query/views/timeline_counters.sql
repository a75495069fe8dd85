-- The counters of the profile :profile, whose samples have ids :first to :last, each with
-- its samples in the order of their times.  SQLite keeps the order of a CROSS JOIN: the other
-- way round it would read all samples for each counter.
SELECT t.id, t.name, p.name AS process, coalesce(p.pid_text, p.pid) AS pid, c.ts, c.value
FROM counter c
CROSS JOIN track t ON t.id = c.track_id
LEFT JOIN process p ON p.upid = t.upid
WHERE c.id BETWEEN :first AND :last AND t.profile_id = :profile AND t.kind = 'counter'
ORDER BY t.id, c.ts, c.id

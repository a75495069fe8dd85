-- The counters of the profile :profile, each with its samples in the order of their times.
SELECT t.id, t.name, p.name AS process, coalesce(p.pid_text, p.pid) AS pid, c.ts, c.value
FROM track t
JOIN counter c ON c.track_id = t.id
LEFT JOIN process p ON p.upid = t.upid
WHERE t.profile_id = :profile AND t.kind = 'counter'
ORDER BY t.id, c.ts, c.id

-- The samples of counters, each with its profile, in the order of the table.
SELECT c.id, t.profile_id
FROM counter c
CROSS JOIN track t ON t.id = c.track_id
ORDER BY c.id

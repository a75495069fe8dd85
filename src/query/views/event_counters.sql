-- Samples of the counters of the profile :profile that lie in [:from, :to).
SELECT c.track_id, c.ts, c.value FROM counter c
JOIN track t ON t.id = c.track_id
WHERE t.profile_id = :profile AND c.ts >= :from AND c.ts < :to ORDER BY c.id

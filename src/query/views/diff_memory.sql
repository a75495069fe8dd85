-- The largest total of allocated bytes of each device in the profiles :profiles (ids as
-- a JSON array).  As recorded; where the recording has no totals, NULL.
SELECT t.profile_id, a.device_type, a.device, max(a.total_allocated_bytes)
FROM allocation a
JOIN slice_row s ON s.id = a.slice_id
JOIN track t ON t.id = s.track_id
WHERE t.profile_id IN (SELECT value FROM json_each(:profiles))
GROUP BY t.profile_id, a.device_type, a.device
ORDER BY t.profile_id, a.device_type, a.device

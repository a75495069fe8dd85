-- The steps of the profiles :profiles (ids as a JSON array), by profile, number and start.
SELECT profile_id, number, ts, dur, phase FROM step
WHERE profile_id IN (SELECT value FROM json_each(:profiles))
ORDER BY profile_id, number, ts, id

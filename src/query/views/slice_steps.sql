-- The steps of the profiles :profiles (ids as a JSON array).
SELECT id, number, profile_id, ts, dur FROM step
WHERE profile_id IN (SELECT value FROM json_each(:profiles))
ORDER BY id

-- The numbers of steps (N of ProfilerStep#N).  :profiles is a JSON array of ids.
SELECT id, number FROM step
WHERE profile_id IN (SELECT value FROM json_each(:profiles))
ORDER BY id

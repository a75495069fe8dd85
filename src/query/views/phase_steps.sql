-- The steps of the profiles :profiles (ids as a JSON array) that have a phase.
SELECT profile_id, number, phase FROM step
WHERE profile_id IN (SELECT value FROM json_each(:profiles)) AND phase IS NOT NULL
ORDER BY profile_id, number

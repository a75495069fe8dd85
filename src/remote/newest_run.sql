-- The run that was pushed to last and has a profile; no row: there is none.
SELECT run_id
FROM profile
WHERE deleted = 0
  AND push_id GLOBAL IN (SELECT max(push_id) FROM profile GROUP BY profile_key)
ORDER BY push_id DESC
LIMIT 1
FORMAT RowBinary

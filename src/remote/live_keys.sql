-- The profiles of a run that count, of whatever format.
SELECT profile_key
FROM profile
WHERE run_id = {run} AND deleted = 0
  AND push_id GLOBAL IN (SELECT max(push_id) FROM profile WHERE run_id = {run} GROUP BY profile_key)
FORMAT RowBinary

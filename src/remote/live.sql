-- The profiles of some runs that count: of each the newest push, unless that deletes it.
SELECT {columns}
FROM profile
WHERE {runs} AND deleted = 0
  AND push_id GLOBAL IN (SELECT max(push_id) FROM profile WHERE {runs} GROUP BY profile_key)
FORMAT RowBinary

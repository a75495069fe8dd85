-- Which runtimes the profiles :profiles (ids as a JSON array) called, by the names of rows of
-- the operator table: 1 for CUDA, 2 for HIP, added up.
SELECT coalesce(max(s.text GLOB 'cuda[A-Z]*' OR s.text GLOB 'cu[A-Z]*'), 0)
       + 2 * coalesce(max(s.text GLOB 'hip[A-Z]*'), 0)
FROM op_stat o JOIN string s ON s.id = o.name_id
WHERE o.profile_id IN (SELECT value FROM json_each(:profiles)) AND o.grain = 0 AND o.kind = 0

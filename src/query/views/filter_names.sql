-- Names of operators, kernels and frames, each once: of a store without slices all names
-- that there are.  :profiles is a JSON array of ids.
SELECT DISTINCT n.text AS name
FROM op_stat o JOIN string n ON n.id = o.name_id
WHERE o.profile_id IN (SELECT value FROM json_each(:profiles)) AND o.grain = 0

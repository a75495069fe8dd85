-- The names of the host's slices of the profile :profile that may be ranges of a
-- communication backend, "nccl:all_reduce".
SELECT DISTINCT o.name_id, n.text FROM op_stat o JOIN string n ON n.id = o.name_id
WHERE o.profile_id = :profile AND o.grain = 0 AND o.kind = 0
  AND (substr(n.text, 4, 1) = ':' OR substr(n.text, 5, 1) = ':')
ORDER BY o.name_id

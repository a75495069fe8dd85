-- The names that the host's rows of the operator table have in the profile :profile, and
-- how many calls of each there were.
SELECT n.text, o.name_id, sum(o.calls)
FROM op_stat o
CROSS JOIN string n ON n.id = o.name_id
WHERE o.profile_id = :profile AND o.grain = 0 AND o.kind = 0
GROUP BY o.name_id
ORDER BY o.name_id

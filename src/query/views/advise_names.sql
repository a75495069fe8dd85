-- The names that the host's rows of the operator table have in the profile :profile: how
-- many calls of each there were, and the calls and the self time of what lies in steps (in
-- all of the recording when it has none).
WITH step_rows AS (
    SELECT name_id, sum(calls) AS calls, sum(self_ns) AS self_ns
    FROM op_stat
    WHERE profile_id = :profile AND kind = 0
      AND CASE WHEN EXISTS (SELECT 1 FROM step WHERE profile_id = :profile)
               THEN grain = 3 OR (grain = 2 AND step_id IS NOT NULL) ELSE grain = 0 END
    GROUP BY name_id)
SELECT n.text, o.name_id, sum(o.calls), coalesce(s.calls, 0), coalesce(s.self_ns, 0)
FROM op_stat o
CROSS JOIN string n ON n.id = o.name_id
LEFT JOIN step_rows s ON s.name_id = o.name_id
WHERE o.profile_id = :profile AND o.grain = 0 AND o.kind = 0
GROUP BY o.name_id
ORDER BY o.name_id

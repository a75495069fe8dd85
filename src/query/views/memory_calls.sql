-- How often operators were called, by name and step: of profile :profile, step NULL
-- outside every step; with :grain 0, in all, step NULL throughout.
SELECT o.name_id, st.number, sum(o.calls)
FROM op_stat o LEFT JOIN step st ON st.id = o.step_id
WHERE o.profile_id = :profile AND o.grain = :grain AND o.kind = 0
GROUP BY o.name_id, st.number
ORDER BY o.name_id, st.number

-- A profile with slices that lacks rows of one of ?1 summaries by their rules, which are
-- ",NAME RULES,NAME RULES,...," in ?2.  All rows are counted once, not those of each profile.
SELECT 1 FROM profile AS p
WHERE p.has_slices AND p.slices > 0
  AND p.id NOT IN (SELECT s.profile_id FROM summary AS s
                   WHERE instr(?2, ',' || s.part || ' ' || s.rules || ',') > 0
                   GROUP BY s.profile_id HAVING count(DISTINCT s.part) >= ?1)
LIMIT 1

-- A profile with slices that lacks rows of one of ?1 summaries by their rules, which are
-- ",NAME RULES,NAME RULES,...," in ?2.
SELECT 1 FROM profile AS p
WHERE p.has_slices AND p.slices > 0
  AND (SELECT count(DISTINCT s.part) FROM summary AS s
       WHERE s.profile_id = p.id AND instr(?2, ',' || s.part || ' ' || s.rules || ',') > 0) < ?1
LIMIT 1

-- The shapes that operators of the profiles :profiles (ids as a JSON array) ran on, and the
-- time each name took in itself; names and shapes as ids, as one text may be that of all.
SELECT o.name_id, o.shapes_id, sum(o.self_ns)
FROM op_stat o
WHERE o.profile_id IN (SELECT value FROM json_each(:profiles)) AND o.grain = 1 AND o.kind = 0
      AND o.shapes_id IS NOT NULL
GROUP BY o.name_id, o.shapes_id

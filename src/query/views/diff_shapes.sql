-- The shapes that operators of the profiles :profiles (ids as a JSON array) ran on, and the
-- time each name took in itself.
SELECT n.text, s.text, sum(o.self_ns)
FROM op_stat o JOIN string n ON n.id = o.name_id JOIN string s ON s.id = o.shapes_id
WHERE o.profile_id IN (SELECT value FROM json_each(:profiles)) AND o.grain = 1 AND o.kind = 0
GROUP BY o.name_id, o.shapes_id
ORDER BY n.text, s.text

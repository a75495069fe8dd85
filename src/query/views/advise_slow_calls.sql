-- Operators on the host of the profile :profile with calls that took 10 times and more what
-- the median call of the same name and shapes takes, and :least_ns: their time above the
-- median, and how many.  First calls do not count, nor what lies outside the steps (where
-- there are any), nor what is called less than three times.
WITH slow AS MATERIALIZED (
    SELECT DISTINCT s.name_id, d.shapes_id
    FROM track t
    CROSS JOIN slice_row s ON s.id BETWEEN t.first_slice_id AND t.first_slice_id + t.slices - 1
    CROSS JOIN op_detail d ON d.id = s.op_detail_id
    WHERE t.profile_id = :profile AND d.shapes_id IS NOT NULL AND s.class = :op
      AND s.self_ns >= :least_ns),
calls AS MATERIALIZED (
    SELECT s.name_id, d.shapes_id, s.self_ns,
           row_number() OVER (PARTITION BY s.name_id, d.shapes_id ORDER BY s.self_ns) AS place,
           row_number() OVER (PARTITION BY s.name_id, d.shapes_id ORDER BY s.ts, s.id) AS turn,
           count(*) OVER (PARTITION BY s.name_id, d.shapes_id) AS n
    FROM track t
    CROSS JOIN slice_row s ON s.id BETWEEN t.first_slice_id AND t.first_slice_id + t.slices - 1
    CROSS JOIN op_detail d ON d.id = s.op_detail_id
    WHERE t.profile_id = :profile AND s.class = :op
      AND (s.name_id, d.shapes_id) IN (SELECT name_id, shapes_id FROM slow)
      AND coalesce(s.flags, 0) = 0
      AND (s.step_id IS NOT NULL
           OR NOT EXISTS (SELECT 1 FROM step WHERE profile_id = :profile)))
SELECT n.text, sum(c.self_ns - m.self_ns), count(*)
FROM calls m
JOIN calls c ON c.name_id = m.name_id AND c.shapes_id = m.shapes_id
CROSS JOIN string n ON n.id = c.name_id
WHERE m.place = (m.n + 1) / 2 AND m.n >= 3
  AND c.turn > 1 AND c.self_ns >= :least_ns AND c.self_ns / 10 >= m.self_ns
GROUP BY c.name_id
ORDER BY 2 DESC, 1

-- Calls of operators on the host of the profile :profile that take :least_ns and more by
-- themselves: longest first, each with its turn among the calls of the same name and
-- shapes, their number and what the median of them takes (the shorter of the middle two).
-- What lies outside the steps does not count, where there are any.  Shapes are those of
-- the name where none were recorded.
WITH long AS MATERIALIZED (
    SELECT DISTINCT s.name_id, coalesce(d.shapes_id, 0) AS shapes_id
    FROM track t
    CROSS JOIN slice_row s ON s.id BETWEEN t.first_slice_id AND t.first_slice_id + t.slices - 1
    LEFT JOIN op_detail d ON d.id = s.op_detail_id
    WHERE t.profile_id = :profile AND s.class = :op AND s.self_ns >= :least_ns),
calls AS MATERIALIZED (
    SELECT s.id, s.name_id, coalesce(d.shapes_id, 0) AS shapes_id, s.ts, s.dur, s.self_ns,
           row_number() OVER (PARTITION BY s.name_id, d.shapes_id ORDER BY s.self_ns) AS place,
           row_number() OVER (PARTITION BY s.name_id, d.shapes_id ORDER BY s.ts, s.id) AS turn,
           count(*) OVER (PARTITION BY s.name_id, d.shapes_id) AS n
    FROM track t
    CROSS JOIN slice_row s ON s.id BETWEEN t.first_slice_id AND t.first_slice_id + t.slices - 1
    LEFT JOIN op_detail d ON d.id = s.op_detail_id
    WHERE t.profile_id = :profile AND s.class = :op
      AND (s.name_id, coalesce(d.shapes_id, 0)) IN (SELECT name_id, shapes_id FROM long)
      AND coalesce(s.flags, 0) = 0
      AND (s.step_id IS NOT NULL
           OR NOT EXISTS (SELECT 1 FROM step WHERE profile_id = :profile)))
SELECT c.name_id, c.shapes_id, c.ts, c.dur, c.self_ns, c.turn, c.n, m.self_ns
FROM calls m
JOIN calls c ON c.name_id = m.name_id AND c.shapes_id = m.shapes_id
WHERE m.place = (m.n + 1) / 2 AND c.self_ns >= :least_ns
ORDER BY c.self_ns DESC, c.id

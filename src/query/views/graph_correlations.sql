-- Work among the slices :first to :last that has a graph's id, and no launch in the
-- recording.  correlation is 0 where there is none.
SELECT k.slice_id, k.graph_id, coalesce(s.correlation, 0) AS correlation
FROM kernel k CROSS JOIN slice_row s ON s.id = k.slice_id
WHERE k.slice_id BETWEEN :first AND :last AND k.graph_id <> 0 AND s.launch_id IS NULL
UNION ALL
SELECT c.slice_id, c.graph_id, coalesce(s.correlation, 0)
FROM copy c CROSS JOIN slice_row s ON s.id = c.slice_id
WHERE c.slice_id BETWEEN :first AND :last AND c.graph_id <> 0 AND s.launch_id IS NULL

-- A row when the profile :profile has ranges of CUPTI's range profiler, else none.
SELECT 1
FROM profile p
CROSS JOIN slice_row s ON s.id BETWEEN p.first_slice_id AND p.first_slice_id + p.slices - 1
JOIN string c ON c.id = s.category_id
WHERE p.id = :profile AND c.text = 'cuda_profiler_range'
LIMIT 1

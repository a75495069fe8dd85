-- The threads of the profile :profile that hold slices, in the order of their slices, and
-- whether each of those counts as an operator.
SELECT t.id, t.first_slice_id, t.slices, p.all_slices
FROM track t JOIN profile p ON p.id = t.profile_id
WHERE t.profile_id = :profile AND t.kind = 'thread' AND t.slices > 0
ORDER BY t.first_slice_id, t.id

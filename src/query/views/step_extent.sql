-- From the first start to the last end of the host's operators of the profile :profile:
-- the slices of its threads of class 1 (op), and of class 0 (other) where the profile says
-- that every slice counts as one.  NULL when there are none.
SELECT min(s.ts), max(s.ts + s.dur)
FROM profile p
CROSS JOIN track t ON t.profile_id = p.id AND t.kind = 'thread'
CROSS JOIN slice_row s ON s.id BETWEEN t.first_slice_id AND t.first_slice_id + t.slices - 1
WHERE p.id = :profile AND s.class IN (0, 1) AND (s.class = 1 OR p.all_slices)

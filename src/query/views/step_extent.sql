-- From the first start to the last end of the host's operators among the slices :first to
-- :last: those of class 1 (op), and of class 0 (other) where the profile says that every
-- slice counts as one; without those that are set apart, whose times cannot be.  NULL when
-- there are none.
SELECT min(s.ts), max(s.ts + s.dur)
FROM profile p CROSS JOIN slice_row s
WHERE p.id = :profile AND s.id BETWEEN :first AND :last AND s.class IN (0, 1)
AND (s.class = 1 OR p.all_slices) AND coalesce(s.flags, 0) & 4 = 0

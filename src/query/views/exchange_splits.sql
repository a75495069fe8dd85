-- What each rank was sent, and sent, by exchanges among the slices :first to :last: lists of
-- rows, "[128, 64]", which are tokens where a layer of experts exchanges them.
SELECT slice_id, in_split, out_split FROM collective
WHERE slice_id BETWEEN :first AND :last AND name = 'all_to_allv'
ORDER BY slice_id

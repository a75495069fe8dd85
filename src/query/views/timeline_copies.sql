-- How many bytes the copies and sets :first to :last (ids of slices) moved, in that order.
SELECT slice_id, bytes FROM copy
WHERE slice_id BETWEEN :first AND :last AND bytes IS NOT NULL ORDER BY slice_id

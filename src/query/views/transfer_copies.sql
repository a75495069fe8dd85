-- What the copies and sets :first to :last (ids of slices) moved, by slice: NULL bytes where
-- they are not recorded, NULL direction where only the name may say it.
SELECT slice_id, bytes, direction FROM copy
WHERE slice_id BETWEEN :first AND :last ORDER BY slice_id

-- What the operator tree needs of the slices :first to :last, and no more.
SELECT id, ts, dur, name_id, class, flags
FROM slice_row WHERE id BETWEEN :first AND :last ORDER BY id

-- What the numbers of slice_row.class mean.
SELECT id, name FROM slice_class ORDER BY id

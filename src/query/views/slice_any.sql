-- Any slice: while this stands on its row, the store stays open for reading.
SELECT id FROM slice_row LIMIT 1

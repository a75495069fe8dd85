-- All arrows of the store, with the categories that the trace gives them.
SELECT f.slice_out, f.slice_in, c.text FROM flow f
LEFT JOIN string c ON c.id = f.category_id

-- The largest id of a text; 0 when there are none.
SELECT coalesce(max(id), 0) FROM string

-- The pieces of a store.
SELECT seq, data
FROM store_chunk
WHERE run_id = {run} AND push_id = {push}
ORDER BY seq
FORMAT RowBinary

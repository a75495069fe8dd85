-- How many rows of a table each push of `live` has: asked when their sum is wrong.
SELECT no, count()
FROM {table} GLOBAL ALL INNER JOIN live USING (push_id)
WHERE run_id IN ({runs})
GROUP BY no
ORDER BY no
FORMAT RowBinary

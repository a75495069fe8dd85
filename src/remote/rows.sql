-- The rows of a table that the pushes of `live` have, in the order of their profiles.
SELECT no, {columns}
FROM {table} GLOBAL ALL INNER JOIN live USING (push_id)
WHERE run_id IN ({runs})
ORDER BY no, seq
FORMAT RowBinary

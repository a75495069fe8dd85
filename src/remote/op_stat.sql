-- The operator table's sums of some grains, push by push.
SELECT no, {columns}
FROM op_stat GLOBAL ALL INNER JOIN live USING (push_id)
WHERE run_id IN ({runs}) AND grain IN ({grains})
ORDER BY no, seq
FORMAT RowBinary

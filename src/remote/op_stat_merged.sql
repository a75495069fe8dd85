-- The operator table's sums of one grain, over all pushes: integers alone.  Groups are in
-- the order in which the first profile that has one lists it, which is what reading
-- profile after profile gives; what a group has of its first call is that of the earliest.
SELECT min(no * 4294967296 + seq) AS place, count() AS nrows, {aggregates}
FROM op_stat GLOBAL ALL INNER JOIN live USING (push_id)
WHERE run_id IN ({runs}) AND grain = {grains}
GROUP BY {keys}
ORDER BY place
FORMAT RowBinary

-- Every slice of a profile; a scan of its range of ids, since the operator tree
-- needs all of them whatever is filtered afterwards.
SELECT id, ts, dur, name_id, category_id, class, flags, step_id, launch_id, op_id,
       op_detail_id, sequence
FROM slice_row WHERE id BETWEEN :first AND :last
ORDER BY id

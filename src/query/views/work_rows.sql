-- The slices :first to :last of a stream, in the order of their starts: what device
-- work is made of.  0 where the store has NULL.  Launches are in work_launches.sql.
SELECT id, ts, dur, name_id, class, coalesce(launch_id, 0), coalesce(op_id, 0),
       coalesce(step_id, 0)
FROM slice_row WHERE id BETWEEN :first AND :last ORDER BY id

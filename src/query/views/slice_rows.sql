-- Slices :first to :last by id, which is the order (profile, track, ts, longest
-- first): the numbers alone, so that a scan of millions reads one table.
SELECT id, ts, dur, self_ns, name_id, category_id, class, flags, depth, parent_id, step_id,
       correlation, launch_id
FROM slice_row WHERE id BETWEEN :first AND :last ORDER BY id

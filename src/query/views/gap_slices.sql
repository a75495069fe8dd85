-- The slices :first to :last of a thread, in the order of their starts, the longest
-- first: what the host did while a device was idle.
SELECT id, ts, dur, name_id, class FROM slice_row WHERE id BETWEEN :first AND :last ORDER BY id

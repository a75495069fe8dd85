-- The packed slices :first to :last; of the columns behind ts and dur those whose bit
-- :columns has.
SELECT id, slices, ts, dur,
       CASE WHEN :columns & 1 THEN name_id END, CASE WHEN :columns & 2 THEN class END,
       CASE WHEN :columns & 4 THEN marks END, CASE WHEN :columns & 8 THEN step_id END,
       CASE WHEN :columns & 16 THEN launch_id END, CASE WHEN :columns & 32 THEN op_id END,
       CASE WHEN :columns & 64 THEN op_detail_id END
FROM slice_pack WHERE id BETWEEN :first AND :last ORDER BY id

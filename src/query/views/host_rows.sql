-- Operators (class 1), annotations (2), calls of a runtime (4) and driver (5), and class
-- :other, among the slices :first to :last of a thread, in the order of their starts.
SELECT id, ts, dur, name_id, class, sequence IS NOT NULL AS has_sequence, op_detail_id
FROM slice_row WHERE id BETWEEN :first AND :last AND class IN (1, 2, 4, 5, :other)
ORDER BY id

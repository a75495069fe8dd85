-- The slices :first to :last of the classes :op and :annotation whose names are among
-- :names (ids as a JSON array).  Those set apart are not there.
SELECT id, ts, dur, name_id, coalesce(step_id, 0)
FROM slice_row
WHERE id BETWEEN :first AND :last AND name_id IN (SELECT value FROM json_each(:names))
  AND class IN (:op, :annotation) AND coalesce(flags, 0) & 4 = 0
ORDER BY id

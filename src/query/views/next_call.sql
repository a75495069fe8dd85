-- The slices next to the slice :id, among which its next call of the runtime is, if it is
-- near.
SELECT name_id, class, track_id, coalesce(parent_id, 0)
FROM slice_row WHERE id > :id ORDER BY id LIMIT 32

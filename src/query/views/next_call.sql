-- The slice :id, as in slice_at.sql, and those next to it, among which its next call of the
-- runtime is, if it is near.
SELECT ts, dur, name_id, track_id, coalesce(parent_id, 0), class, coalesce(step_id, 0), id
FROM slice_row WHERE id >= :id ORDER BY id LIMIT 33

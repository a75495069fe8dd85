-- The slice :id: what a piece of device work links to.  0 where the store has NULL.
SELECT ts, dur, name_id, track_id, coalesce(parent_id, 0), class, coalesce(step_id, 0)
FROM slice_row WHERE id = :id

-- The track of the slice :id.
SELECT track_id FROM slice_row WHERE id = :id

-- What the slice :id lies in; NULL at the root of its track.
SELECT parent_id, class FROM slice_row WHERE id = :id

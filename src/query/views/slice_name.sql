-- What the slice :id is: its name and its class.
SELECT name_id, class FROM slice_row WHERE id = :id

-- The autograd sequence number of the slice :id.
SELECT sequence FROM slice_row WHERE id = :id

-- One slice and what is around it: 0 where the store has NULL.
SELECT name_id, class, coalesce(parent_id, 0) FROM slice_row WHERE id = :id

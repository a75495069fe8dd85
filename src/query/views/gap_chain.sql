-- A slice's name and caller: one link of the chain of blame.
SELECT name_id, coalesce(parent_id, 0) AS parent_id, class FROM slice_row WHERE id = :id

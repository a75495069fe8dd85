-- The next call of the runtime (class :runtime or :driver) after the slice :id on its
-- track :track and within the same slice :parent (0: none), if it is near.
SELECT name_id FROM (
    SELECT id, name_id, class, track_id, coalesce(parent_id, 0) AS parent_id
    FROM slice_row WHERE id > :id ORDER BY id LIMIT 32)
WHERE track_id = :track AND parent_id = :parent AND class IN (:runtime, :driver)
ORDER BY id LIMIT 1

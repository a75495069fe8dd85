-- The text :id.
SELECT text FROM string WHERE id = :id

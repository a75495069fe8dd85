-- Texts of more than :most bytes that events of the profile :profile, whose slices are :first
-- to :last, share, and how many do at most.
WITH long (id) AS MATERIALIZED (
    SELECT id FROM string WHERE length(CAST(text AS BLOB)) > :most),
used (id, n) AS (
    SELECT id, count(*) FROM (
        SELECT name_id AS id FROM slice_row
        WHERE id BETWEEN :first AND :last AND name_id IN (SELECT id FROM long)
        UNION ALL
        SELECT category_id FROM slice_row
        WHERE id BETWEEN :first AND :last AND category_id IN (SELECT id FROM long)
        UNION ALL
        SELECT category_id FROM flow WHERE category_id IN (SELECT id FROM long))
    GROUP BY id)
SELECT (SELECT text FROM string WHERE id = used.id), n FROM used
UNION ALL
SELECT name, CASE kind WHEN 'counter' THEN (SELECT count(*) FROM counter) ELSE slices END
FROM track
WHERE profile_id = :profile AND kind IN ('async', 'counter') AND length(CAST(name AS BLOB)) > :most

-- The rows that profiles have in the tables *_part.
SELECT profile_id, part, rules, first_row_id, row_count FROM summary ORDER BY id

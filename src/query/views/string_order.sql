-- The ids of all texts in the order of the texts.
SELECT id FROM string ORDER BY text, id

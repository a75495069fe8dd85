-- All texts, for those that name modules.
SELECT text FROM string

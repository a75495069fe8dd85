-- How many ranks the job of the profiles :profiles (ids as a JSON array) has, as the
-- largest of them says; NULL when none says it.
SELECT max(world_size) FROM profile
WHERE id IN (SELECT value FROM json_each(:profiles))

-- How many steps the profile :profile has.
SELECT count(*) FROM step WHERE profile_id = :profile

-- The steps of profile :profile with their host ranges, by id.
SELECT id, number, ts, dur FROM step WHERE profile_id = :profile ORDER BY id

-- The steps of profile :profile with their host ranges, by id.
SELECT id, number, host_ts, host_dur FROM step WHERE profile_id = :profile ORDER BY id

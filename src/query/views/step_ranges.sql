-- The steps of the profile :profile by their starts: id, number, host range, and whether
-- the whole file is the step.
SELECT id, number, ts, dur, slice_id IS NULL AS is_file
FROM step WHERE profile_id = :profile ORDER BY ts, id

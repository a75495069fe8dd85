-- The steps of the profile :profile by their starts: id, number, host range, and the slice
-- that is it, 0 where the whole file is the step.
SELECT id, number, ts, dur, coalesce(slice_id, 0) AS slice_id
FROM step WHERE profile_id = :profile ORDER BY ts, id

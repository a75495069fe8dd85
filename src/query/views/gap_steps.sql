-- The steps of the profile :profile, in the order of their starts.  slice_id is 0
-- where the whole recording is the step.
SELECT number, ts, dur, coalesce(slice_id, 0) AS slice_id
FROM step WHERE profile_id = :profile ORDER BY ts, id

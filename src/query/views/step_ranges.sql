-- The steps of the profile :profile by their starts: id, number, window, the slice that is
-- it, 0 where there is none, host range, what its annotation says, and
-- who marks it.
SELECT id, number, ts, dur, coalesce(slice_id, 0) AS slice_id, host_ts, host_dur,
       phase, requests, tokens, context_tokens, source
FROM step WHERE profile_id = :profile ORDER BY ts, id

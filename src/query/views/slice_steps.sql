-- The steps of the profiles :profiles (ids as a JSON array), each from the start of its
-- window or host range to the end of both; and how long the window alone is.
SELECT id, number, profile_id, min(ts, host_ts) AS ts,
       max(ts + dur, host_ts + host_dur) - min(ts, host_ts) AS dur, step.dur AS window_ns
FROM step
WHERE profile_id IN (SELECT value FROM json_each(:profiles))
ORDER BY id

-- The waits of streams for events among the slices :first to :last: when the host asked
-- for each, and of which streams.  -1 where the recording does not say.
SELECT coalesce((SELECT d.device FROM device d WHERE d.profile_id = t.profile_id
                 AND d.agent = w.device), w.device, -1) AS device, coalesce(w.stream, -1) AS stream, s.ts,
       coalesce(w.wait_stream, -1) AS wait_stream, s.id, s.dur
FROM device_wait w CROSS JOIN slice_row s ON s.id = w.slice_id
CROSS JOIN track t ON t.id = s.track_id
WHERE w.slice_id BETWEEN :first AND :last AND w.kind = 'Stream Wait Event'
ORDER BY device, stream, s.ts, s.id

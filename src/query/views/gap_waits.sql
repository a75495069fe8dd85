-- The waits of streams for events among the slices :first to :last: when the host asked
-- for each, and of which streams.  -1 where the recording does not say.
WITH gpu AS MATERIALIZED (
    SELECT agent, min(device) AS device FROM device
    WHERE profile_id = :profile AND agent IS NOT NULL GROUP BY agent)
SELECT coalesce(gpu.device, w.device, -1) AS device, coalesce(w.stream, -1) AS stream, s.ts,
       coalesce(w.wait_stream, -1) AS wait_stream, s.id, s.dur
FROM device_wait w CROSS JOIN slice_row s ON s.id = w.slice_id
LEFT JOIN gpu ON gpu.agent = w.device
WHERE w.slice_id BETWEEN :first AND :last AND w.kind = 'Stream Wait Event'
ORDER BY device, stream, s.ts, s.id

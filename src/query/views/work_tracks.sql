-- The streams of the profile :profile that hold slices, in the order of their numbers.
-- device          as the first work says, else as its process is numbered; of an agent of
--                 ROCm the GPU, where the recording tells which
-- stream, device  NULL when the trace has texts instead, which
-- name, pid_text  have
WITH work AS MATERIALIZED (
    SELECT t.id AS track_id,
           (SELECT k.slice_id FROM kernel k WHERE k.slice_id BETWEEN t.first_slice_id
                AND t.first_slice_id + t.slices - 1 ORDER BY k.slice_id LIMIT 1) AS kernel_id,
           (SELECT c.slice_id FROM copy c WHERE c.slice_id BETWEEN t.first_slice_id
                AND t.first_slice_id + t.slices - 1 ORDER BY c.slice_id LIMIT 1) AS copy_id
    FROM track t
    WHERE t.profile_id = :profile AND t.kind = 'stream' AND t.slices > 0
        AND t.first_slice_id IS NOT NULL),
said AS MATERIALIZED (
    SELECT t.id, t.tid AS stream, t.name, t.first_slice_id, t.slices,
           coalesce(k.device, c.device, p.pid) AS device, p.pid_text
    FROM work
    JOIN track t ON t.id = work.track_id
    LEFT JOIN kernel k ON k.slice_id = work.kernel_id
    LEFT JOIN copy c ON c.slice_id = work.copy_id
    LEFT JOIN process p ON p.upid = t.upid),
gpu AS MATERIALIZED (
    SELECT agent, min(device) AS device FROM device
    WHERE profile_id = :profile AND agent IS NOT NULL GROUP BY agent)
SELECT id, stream, name, first_slice_id, slices,
       coalesce(gpu.device, said.device) AS device, pid_text
FROM said LEFT JOIN gpu ON gpu.agent = said.device
ORDER BY device, pid_text, stream, name, id

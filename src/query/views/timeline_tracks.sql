-- The tracks of the profile :profile that hold slices, those first whose slices others
-- name: kind, slices, what names them, and of a stream its device: as its work says, else
-- the id of its process; of an agent of ROCm the GPU, where the recording tells which.
WITH said AS MATERIALIZED (
SELECT t.id, t.kind, t.first_slice_id, t.slices,
       CASE WHEN t.kind = 'thread' THEN th.name ELSE t.name END AS name, p.name AS process,
       coalesce(p.pid_text, p.pid) AS pid, coalesce(th.tid_text, th.tid, t.tid) AS tid,
       CASE WHEN t.kind IN ('stream', 'stream_notes') THEN coalesce(
           (SELECT k.device FROM kernel k
            WHERE k.slice_id BETWEEN t.first_slice_id AND t.first_slice_id + t.slices - 1 LIMIT 1),
           (SELECT c.device FROM copy c
            WHERE c.slice_id BETWEEN t.first_slice_id AND t.first_slice_id + t.slices - 1 LIMIT 1),
           p.pid) END AS device
FROM track t
LEFT JOIN thread th ON th.utid = t.utid
LEFT JOIN process p ON p.upid = t.upid
WHERE t.profile_id = :profile AND t.slices > 0),
gpu AS MATERIALIZED (
    SELECT agent, min(device) AS device FROM device
    WHERE profile_id = :profile AND agent IS NOT NULL GROUP BY agent)
SELECT kind, first_slice_id, slices, name, process, pid, tid,
       coalesce(gpu.device, said.device) AS device
FROM said LEFT JOIN gpu ON gpu.agent = said.device
ORDER BY kind = 'stream', kind = 'stream_notes', first_slice_id, id

-- The tracks of a profile that hold slices.
-- thread   number or text of the thread's id, NULL for other tracks
-- device   of a stream: as its work says, else the id of its process; of an agent of ROCm
--          the GPU, where the recording tells which
WITH said AS MATERIALIZED (
SELECT t.id, t.kind, t.name, coalesce(h.tid, h.tid_text) AS thread, t.tid AS stream,
       t.first_slice_id, t.slices,
       CASE WHEN t.kind IN ('stream', 'stream_notes') THEN coalesce(
           (SELECT k.device FROM kernel k
            WHERE k.slice_id BETWEEN t.first_slice_id AND t.first_slice_id + t.slices - 1 LIMIT 1),
           (SELECT c.device FROM copy c
            WHERE c.slice_id BETWEEN t.first_slice_id AND t.first_slice_id + t.slices - 1 LIMIT 1),
           p.pid) END AS device
FROM track t
LEFT JOIN thread h ON h.utid = t.utid
LEFT JOIN process p ON p.upid = t.upid
WHERE t.profile_id = :profile AND t.first_slice_id IS NOT NULL),
gpu AS MATERIALIZED (
    SELECT agent, min(device) AS device FROM device
    WHERE profile_id = :profile AND agent IS NOT NULL GROUP BY agent)
SELECT kind, name, thread, stream, first_slice_id, slices,
       coalesce(gpu.device, said.device) AS device
FROM said LEFT JOIN gpu ON gpu.agent = said.device
ORDER BY id

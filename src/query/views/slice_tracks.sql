-- The tracks that have slices in the profiles :profiles (ids as a JSON array), in
-- the order of their slices; with what names them.  Slices that are set apart stand
-- behind all of their profile's, and are a track's second part.
-- device  of a stream: as its work says, else the id of its process; of an agent of ROCm
--         the GPU, where the recording tells which
WITH chosen AS MATERIALIZED (
    SELECT p.id, p.first_slice_id, p.slices FROM profile p
    WHERE p.id IN (SELECT value FROM json_each(:profiles))),
part AS (
    SELECT t.id AS track_id, t.first_slice_id, t.slices, 0 AS is_apart
    FROM chosen p JOIN track t ON t.profile_id = p.id WHERE t.slices > 0
    UNION ALL
    SELECT s.track_id, min(s.id), count(*), 1
    FROM chosen p
    JOIN slice_row s ON s.id BETWEEN
        p.first_slice_id + (SELECT coalesce(sum(t.slices), 0) FROM track t WHERE t.profile_id = p.id)
        AND p.first_slice_id + p.slices - 1
    JOIN quarantine q ON q.slice_id = s.id
    GROUP BY s.track_id),
said AS MATERIALIZED (
SELECT t.profile_id, t.kind, part.first_slice_id, part.slices, t.tid,
       coalesce(p.pid_text, p.pid) AS pid,
       CASE WHEN t.kind IN ('stream', 'stream_notes') THEN coalesce(
           (SELECT k.device FROM kernel k
            WHERE k.slice_id BETWEEN t.first_slice_id AND t.first_slice_id + t.slices - 1 LIMIT 1),
           (SELECT c.device FROM copy c
            WHERE c.slice_id BETWEEN t.first_slice_id AND t.first_slice_id + t.slices - 1 LIMIT 1),
           p.pid) END AS device,
       coalesce(th.tid_text, th.tid) AS thread, th.name AS thread_name, part.is_apart,
       t.name
FROM part
JOIN track t ON t.id = part.track_id
LEFT JOIN thread th ON th.utid = t.utid
LEFT JOIN process p ON p.upid = t.upid),
gpu AS MATERIALIZED (
    SELECT d.profile_id, d.agent, min(d.device) AS device
    FROM chosen p JOIN device d ON d.profile_id = p.id
    WHERE d.agent IS NOT NULL GROUP BY d.profile_id, d.agent)
SELECT said.profile_id, kind, first_slice_id, slices, tid, pid,
       coalesce(gpu.device, said.device) AS device,
       thread, thread_name, is_apart, name
FROM said LEFT JOIN gpu ON gpu.profile_id = said.profile_id AND gpu.agent = said.device
ORDER BY first_slice_id

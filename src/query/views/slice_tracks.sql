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
LEFT JOIN process p ON p.upid = t.upid)
SELECT profile_id, kind, first_slice_id, slices, tid, pid,
       coalesce((SELECT d.device FROM device d WHERE d.profile_id = said.profile_id
                 AND d.agent = said.device), said.device) AS device,
       thread, thread_name, is_apart, name
FROM said
ORDER BY first_slice_id

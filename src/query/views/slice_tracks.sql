-- The tracks that have slices in the profiles :profiles (ids as a JSON array), in
-- the order of their slices; with what names them: pid is a device's number where
-- kind is 'stream'.  Slices that are set apart stand behind all of their profile's,
-- and are a track's second part.
WITH part AS (
    SELECT id AS track_id, first_slice_id, slices, 0 AS is_apart FROM track WHERE slices > 0
    UNION ALL
    SELECT s.track_id, min(s.id), count(*), 1
    FROM quarantine q CROSS JOIN slice_row s ON s.id = q.slice_id GROUP BY s.track_id)
SELECT t.profile_id, t.kind, part.first_slice_id, part.slices, t.tid,
       coalesce(p.pid_text, p.pid) AS pid, p.pid AS device,
       coalesce(th.tid_text, th.tid) AS thread, th.name AS thread_name, part.is_apart
FROM part
JOIN track t ON t.id = part.track_id
LEFT JOIN thread th ON th.utid = t.utid
LEFT JOIN process p ON p.upid = t.upid
WHERE t.profile_id IN (SELECT value FROM json_each(:profiles))
ORDER BY part.first_slice_id

-- The tracks that have slices in the profiles :profiles (ids as a JSON array), in
-- the order of their slices; with what names them: pid is a device's number where
-- kind is 'stream'.
SELECT t.profile_id, t.kind, t.first_slice_id, t.slices, t.tid,
       coalesce(p.pid_text, p.pid) AS pid, p.pid AS device,
       coalesce(th.tid_text, th.tid) AS thread, th.name AS thread_name
FROM track t
LEFT JOIN thread th ON th.utid = t.utid
LEFT JOIN process p ON p.upid = t.upid
WHERE t.slices > 0 AND t.profile_id IN (SELECT value FROM json_each(:profiles))
ORDER BY t.first_slice_id

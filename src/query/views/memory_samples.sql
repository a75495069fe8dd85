-- Samples of the memory of processes (mprof), in the order of the file.
SELECT t.profile_id, p.name AS process, c.ts, c.value
FROM counter c
     JOIN track t ON t.id = c.track_id
     JOIN process p ON p.upid = t.upid
WHERE t.profile_id IN (SELECT value FROM json_each(:profiles)) AND t.name = 'memory bytes'
ORDER BY c.id

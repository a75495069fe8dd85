-- Who was sampled in :profiles.
SELECT id, coalesce(name, '') AS name, tid, coalesce(process, '') AS process, pid
FROM sample_thread
WHERE profile_id IN (SELECT value FROM json_each(:profiles))
ORDER BY id

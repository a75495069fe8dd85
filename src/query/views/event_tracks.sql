-- The tracks of the profile :profile and what names them, in the order of their ids.  A
-- stream without a number has its name in place of that.
SELECT t.id, t.kind, coalesce(p.pid_text, p.pid),
       coalesce(th.tid_text, th.tid, t.tid, iif(t.kind LIKE 'stream%', t.name, NULL)),
       CASE WHEN t.kind = 'thread' THEN th.name ELSE t.name END,
       p.name, p.labels, p.sort_index, th.sort_index, t.upid
FROM track t
LEFT JOIN process p ON p.upid = t.upid
LEFT JOIN thread th ON th.utid = t.utid
WHERE t.profile_id = :profile ORDER BY t.id

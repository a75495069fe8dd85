-- The streams of the profile :profile that hold slices, in the order of their numbers.
-- device   as its work says, else the id of its process; NULL when that is a text
-- pid_text that text
SELECT t.id, t.tid AS stream, t.name, t.first_slice_id, t.slices, coalesce(
           (SELECT k.device FROM kernel k
            WHERE k.slice_id BETWEEN t.first_slice_id AND t.first_slice_id + t.slices - 1 LIMIT 1),
           (SELECT c.device FROM copy c
            WHERE c.slice_id BETWEEN t.first_slice_id AND t.first_slice_id + t.slices - 1 LIMIT 1),
           p.pid) AS device, p.pid_text
FROM track t
LEFT JOIN process p ON p.upid = t.upid
WHERE t.profile_id = :profile AND t.kind = 'stream' AND t.slices > 0
ORDER BY device, p.pid_text, t.tid, t.name, t.id

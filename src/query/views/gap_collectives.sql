-- The collectives of the slices :first to :last, one process group after another, on the
-- host before those on the device, by start: the nth of a group is the same one on all
-- its ranks.
SELECT coalesce(c.group_name, '') || ' ' || coalesce(c.group_ranks, '') AS members,
       k.is_device_work AS on_device, coalesce(c.name, '') AS name, s.ts, s.dur
FROM collective c CROSS JOIN slice_row s ON s.id = c.slice_id
JOIN slice_class k ON k.id = s.class
WHERE c.slice_id BETWEEN :first AND :last
ORDER BY members, on_device, s.ts, s.id

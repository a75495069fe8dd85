-- Calls that mprof followed, as they began.
SELECT t.profile_id, n.text AS function, s.ts, s.dur, r.start_bytes, r.end_bytes
FROM memory_range r
     JOIN slice_row s ON s.id = r.slice_id
     JOIN string n ON n.id = s.name_id
     JOIN track t ON t.id = s.track_id
WHERE t.profile_id IN (SELECT value FROM json_each(:profiles))
ORDER BY r.slice_id

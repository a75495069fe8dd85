-- The slices of the profile :profile that are set apart, and how long they say that they last.
SELECT q.slice_id, q.dur FROM quarantine q
JOIN slice_row s ON s.id = q.slice_id
JOIN track t ON t.id = s.track_id
WHERE t.profile_id = :profile ORDER BY q.slice_id

-- As work_rows.sql, with the call that launched each: NULL where none is known.
SELECT s.id, s.ts, s.dur, s.name_id, s.class, coalesce(s.launch_id, 0), coalesce(s.op_id, 0),
       coalesce(s.step_id, 0), l.ts AS launch_ts, l.dur AS launch_dur,
       l.name_id AS launch_name_id, l.track_id AS launch_track_id
FROM slice_row s LEFT JOIN slice_row l ON l.id = s.launch_id
WHERE s.id BETWEEN :first AND :last ORDER BY s.id

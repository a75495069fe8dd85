-- Labels of record_function by profile and step.  :profiles is a JSON array of ids.
-- step   N of its ProfilerStep#N, NULL outside every step
SELECT a.profile_id, s.number AS step, a.name_id, a.first_ts, a.calls, a.host_ns, a.device_ns,
       a.device_span_ns, a.launches
FROM annotation_stat a LEFT JOIN step s ON s.id = a.step_id
WHERE a.profile_id IN (SELECT value FROM json_each(:profiles))
ORDER BY a.profile_id, a.id

-- The series of :profiles, in order, those of a profile together.
SELECT id, profile_id, coalesce(name, '') AS name, coalesce(measure, '') AS measure,
       coalesce(mode, '') AS mode, unit, decimals, is_default, is_evented, is_rounded,
       samples, weight, start_at, end_at, first_node_id, nodes, first_sum_id, sums,
       first_sample_id, sample_rows
FROM sample_series
WHERE profile_id IN (SELECT value FROM json_each(:profiles))
ORDER BY profile_id, id

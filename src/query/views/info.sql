-- The profiles :profiles (ids as a JSON array) by run and id.
-- profile       id: what --profile takes
-- run           name of the run
-- name          for people: the worker, else the file's name without its suffixes, behind
--               its folder's where several are called so
-- path          of the file, as resolved when it was ingested
-- format, dialect, host, rank, world_size  NULL where not recorded
-- rank_source   what tells the rank: 'recording', 'name', 'axes', 'order'
-- tp, dp, pp, ep, cp  its place in the axes of its job; NULL where nothing tells
-- worker, span  of a name that TensorBoard's handler gave
-- start         first event as UTC, to the nanosecond; NULL when the file does not tell
-- start_minute  the same for people
-- span_ns       first event to the end of the last
-- slices, steps
-- steps_from    what marks them, as in step.source; NULL where there are none
-- devices       that did work
-- has_memory, has_shapes, has_stacks, has_flops  1: recorded
-- findings      rows of the view finding that are no mere information
-- input_bytes   decompressed size of the file
-- device_type   of a trace: 'CPU' when no device did work, else 'MTIA' or 'HPU' by the category
--               of the work, else 'GPU'
WITH chosen AS MATERIALIZED (SELECT value AS id FROM json_each(:profiles)),
work AS (SELECT profile_id, count(DISTINCT upid) AS n FROM track
         WHERE kind = 'stream' AND slices > 0 GROUP BY profile_id),
steps AS (SELECT profile_id, count(*) AS n,
                 replace(group_concat(DISTINCT source), ',', ', ') AS source
          FROM step GROUP BY profile_id),
file AS (SELECT id, replace(replace(replace(replace(path, rtrim(path, replace(path, '/', '')), ''),
                        '.gz', ''), '.zst', ''), '.json', '') AS stem,
                rtrim(rtrim(path, replace(path, '/', '')), '/') AS folder
         FROM profile),
named AS (SELECT id, stem, replace(folder, rtrim(folder, replace(folder, '/', '')), '') AS parent,
                 count(*) OVER (PARTITION BY stem) AS same
          FROM file),
-- whole seconds, rounded down, also before 1970
began AS (SELECT id, (base_ns + start_ns - ns) / 1000000000 AS s, ns
          FROM (SELECT id, base_ns, start_ns,
                       ((base_ns + start_ns) % 1000000000 + 1000000000) % 1000000000 AS ns
                FROM profile)),
findings AS (SELECT profile_id, count(*) AS n FROM finding WHERE severity <> 'info'
             GROUP BY profile_id)
SELECT p.id AS profile, r.name AS run,
       coalesce(p.worker, CASE WHEN named.same > 1 AND named.parent <> ''
                               THEN named.parent || '/' ELSE '' END || named.stem) AS name,
       p.path AS path, p.format AS format,
       p.dialect AS dialect, p.host AS host, p.rank AS rank, p.world_size AS world_size,
       p.rank_source AS rank_source, p.worker AS worker, p.span AS span,
       strftime('%Y-%m-%dT%H:%M:%S', began.s, 'unixepoch') || printf('.%09dZ', began.ns) AS start,
       strftime('%Y-%m-%d %H:%M', began.s, 'unixepoch') AS start_minute,
       p.dur_ns AS span_ns, p.slices AS slices, coalesce(steps.n, 0) AS steps,
       coalesce(work.n, 0) AS devices, p.has_memory AS has_memory,
       p.has_shapes AS has_shapes, p.has_stacks AS has_stacks, p.has_flops AS has_flops,
       coalesce(findings.n, 0) AS findings, p.bytes AS input_bytes,
       p.device_type AS device_type, p.tp AS tp, p.dp AS dp, p.pp AS pp, p.ep AS ep, p.cp AS cp,
       steps.source AS steps_from
FROM profile p JOIN named ON named.id = p.id
JOIN began ON began.id = p.id
JOIN run r ON r.id = p.run_id
LEFT JOIN work ON work.profile_id = p.id
LEFT JOIN steps ON steps.profile_id = p.id
LEFT JOIN findings ON findings.profile_id = p.id
WHERE p.id IN (SELECT id FROM chosen)
ORDER BY p.run_id, p.id

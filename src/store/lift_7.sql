-- From format 7 to 8: see lift.c.  Each view TABLE_8 is what becomes of TABLE_7.
-- Tables without one stay as they are; new ones are empty until a reader makes them.

-- The squares of durations come from mean and variance, exact below 2^53.
CREATE TEMP VIEW op_stat_8 AS
SELECT *,
       lift_squares(0, calls, iif(kind IN (1, 2), self_device_ns, total_ns), m2) AS squares0,
       lift_squares(1, calls, iif(kind IN (1, 2), self_device_ns, total_ns), m2) AS squares1,
       lift_squares(2, calls, iif(kind IN (1, 2), self_device_ns, total_ns), m2) AS squares2,
       lift_squares(3, calls, iif(kind IN (1, 2), self_device_ns, total_ns), m2) AS squares3
FROM op_stat_7;

-- Types and values of inputs were not kept.
CREATE TEMP VIEW op_detail_8 AS
SELECT *, NULL AS types_id, NULL AS values_id FROM op_detail_7;

-- What ingest tells now (tell_device_types of statements.sql); slices were never left out.
CREATE TEMP VIEW profile_8 AS
SELECT p.*, 1 AS has_slices, NULL AS tp, NULL AS dp, NULL AS pp, NULL AS ep, NULL AS cp,
       CASE WHEN p.slices > 0 THEN coalesce(
           (SELECT CASE c.text WHEN 'mtia_ccp_events' THEN 'MTIA' WHEN 'hpu_op' THEN 'HPU' ELSE 'GPU' END
            FROM (SELECT min(first_slice_id) AS first, count(*) AS n FROM track_7
                  WHERE profile_id = p.id AND kind = 'stream' AND slices > 0) work
            LEFT JOIN slice_row_7 s ON s.id = work.first
            LEFT JOIN string_7 c ON c.id = s.category_id
            WHERE work.n > 0), 'CPU') END AS device_type
FROM profile_7 p;

-- What engines call a step was not read then.
CREATE TEMP VIEW step_8 AS
SELECT s.*, s.ts AS host_ts, s.dur AS host_dur, NULL AS source, NULL AS phase, NULL AS requests,
       NULL AS tokens, NULL AS context_tokens
FROM step_7 s;

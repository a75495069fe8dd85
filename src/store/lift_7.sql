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

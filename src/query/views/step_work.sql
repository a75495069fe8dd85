-- Device work of the profile :profile by the step that launched it: step, 0 for what no step
-- launched, name, nanoseconds.
SELECT coalesce(step_id, 0) AS step_id, name_id, self_device_ns
FROM op_stat WHERE profile_id = :profile AND grain = 2 AND kind = 1

-- The first row from :id on and what it belongs to: where the rows of a profile
-- begin is found by halving, as they lie together in the order of profiles.
-- :table is 0: functions by profile, 1: function_stat, 2: call_edge, by function.
SELECT id, profile_id AS owner FROM function WHERE :table = 0 AND id >= :id
UNION ALL
SELECT id, function_id FROM function_stat WHERE :table = 1 AND id >= :id
UNION ALL
SELECT id, callee_id FROM call_edge WHERE :table = 2 AND id >= :id
ORDER BY id LIMIT 1

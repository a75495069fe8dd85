-- The devices of the profile :profile as the recording describes them.
-- agent          what its work calls it, where that is certain
-- may_be_agents  1: the work of devices may count agents (ROCm), of 64 threads a warp
SELECT device, name, memory_bytes, sms, compute_major, compute_minor, agent,
       coalesce(name LIKE 'AMD %', 0) OR
           iif(json_valid(properties), coalesce(json_extract(properties, '$.warpSize'), 0) = 64, 0)
           AS may_be_agents
FROM device WHERE profile_id = :profile ORDER BY device, id

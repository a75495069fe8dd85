-- The devices of the profile :profile as the recording describes them.
SELECT device, name, memory_bytes, sms, compute_major, compute_minor
FROM device WHERE profile_id = :profile ORDER BY device, id

-- The memory events of a profile.
SELECT slice_id, bytes, device_type, out_of_memory
FROM allocation WHERE slice_id BETWEEN :first AND :last
ORDER BY slice_id

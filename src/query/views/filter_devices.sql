-- Devices that worked in the profiles :profiles (ids as a JSON array): of a store without slices.
SELECT DISTINCT device FROM device_part
WHERE profile_id IN (SELECT value FROM json_each(:profiles)) AND device IS NOT NULL

-- What the device work of the profile :profile is of.
SELECT device_type FROM profile WHERE id = :profile

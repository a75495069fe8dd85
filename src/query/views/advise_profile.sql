-- What the device work of the profile :profile is of, and how many ranks its run has.
SELECT device_type, (SELECT count(DISTINCT r.rank) FROM profile r WHERE r.run_id = p.run_id)
FROM profile p WHERE id = :profile

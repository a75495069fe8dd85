-- The threads of the profile :profile that hold slices.
SELECT id, first_slice_id, slices FROM track
WHERE profile_id = :profile AND kind = 'thread' AND slices > 0 ORDER BY id

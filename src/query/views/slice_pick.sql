-- The tracks of the profile :profile that hold slices, in the order of those.
SELECT id, first_slice_id, slices FROM track
WHERE profile_id = :profile AND slices > 0 ORDER BY first_slice_id, id

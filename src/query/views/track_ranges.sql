-- The slices of each track of the profile :profile, in their order.
SELECT first_slice_id, slices FROM track WHERE profile_id = :profile AND slices > 0
ORDER BY first_slice_id

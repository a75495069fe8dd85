-- The tracks of the profile :profile on which operators can be, and the id of the first
-- refused allocation of the profile's slices, NULL when there is none.
SELECT t.id, t.first_slice_id, t.slices, t.kind,
       (SELECT a.slice_id FROM allocation a JOIN profile p ON p.id = :profile
        WHERE a.out_of_memory <> 0
          AND a.slice_id BETWEEN p.first_slice_id AND p.first_slice_id + p.slices - 1
        LIMIT 1) AS refused
FROM track t
WHERE t.profile_id = :profile AND t.kind IN ('thread', 'async') AND t.first_slice_id IS NOT NULL
ORDER BY t.first_slice_id, t.id

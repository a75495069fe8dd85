-- What is told of collectives of the slices :first to :last, by slice, in the order in
-- which it was recorded.
SELECT slice_id, in_elements, out_elements, group_size, sequence, name, dtype, group_name,
       group_ranks
FROM collective WHERE slice_id BETWEEN :first AND :last ORDER BY slice_id, id

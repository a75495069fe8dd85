-- What is told of collectives, in the order in which it was recorded.
SELECT slice_id, in_elements, out_elements, group_size, sequence, name, dtype, group_name,
       group_ranks
FROM collective ORDER BY id

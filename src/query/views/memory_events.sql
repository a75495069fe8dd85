-- The memory events among the slices :first to :last, in the order of the store.
SELECT slice_id, bytes, address, total_allocated_bytes, total_reserved_bytes, device_type,
       device, out_of_memory, coalesce(op_id, 0)
FROM allocation WHERE slice_id BETWEEN :first AND :last ORDER BY slice_id

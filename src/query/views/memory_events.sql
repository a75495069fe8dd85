-- The memory events among the slices :first to :last, in the order of the store.
SELECT a.slice_id, s.ts, a.bytes, a.address, a.total_allocated_bytes, a.total_reserved_bytes,
       a.device_type, a.device, a.out_of_memory, coalesce(a.op_id, 0), coalesce(s.step_id, 0)
FROM allocation a CROSS JOIN slice_row s ON s.id = a.slice_id
WHERE a.slice_id BETWEEN :first AND :last
ORDER BY a.id

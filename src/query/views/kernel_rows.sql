-- The details of the kernels :first to :last (ids of slices), in that order.
SELECT slice_id, blocks_per_sm, occupancy_pct, warps_per_sm, grid_x, grid_y, grid_z, block_x,
       block_y, block_z, registers, shared_memory_bytes
FROM kernel WHERE slice_id BETWEEN :first AND :last ORDER BY slice_id

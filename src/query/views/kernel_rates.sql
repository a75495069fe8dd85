-- How the kernels :first to :last (ids of slices) filled the device, in that order.
SELECT slice_id, blocks_per_sm, occupancy_pct, warps_per_sm
FROM kernel WHERE slice_id BETWEEN :first AND :last ORDER BY slice_id

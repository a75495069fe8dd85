-- What the recording says of the kernels among the slices :first to :last; each is NULL
-- where it does not.
SELECT slice_id, blocks_per_sm, occupancy_pct, warps_per_sm FROM kernel
WHERE slice_id BETWEEN :first AND :last
AND (blocks_per_sm IS NOT NULL OR occupancy_pct IS NOT NULL)
ORDER BY slice_id

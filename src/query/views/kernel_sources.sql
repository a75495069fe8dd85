-- Lines of source of the kernels :first to :last (ids of slices), in that order.
SELECT slice_id, lines_id
FROM kernel_source WHERE slice_id BETWEEN :first AND :last ORDER BY slice_id

-- Work among the slices :first to :last that has a graph's id.
SELECT slice_id, graph_id, graph_node_id
FROM kernel WHERE slice_id BETWEEN :first AND :last AND graph_id <> 0
UNION ALL
SELECT slice_id, graph_id, graph_node_id
FROM copy WHERE slice_id BETWEEN :first AND :last AND graph_id <> 0

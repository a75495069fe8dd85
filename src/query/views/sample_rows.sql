-- Samples from :first to :last of one series, in order; :limit -1: all.
SELECT thread_id, ts, node_id, weight, series_id FROM sample_row
WHERE id BETWEEN :first AND :last AND series_id = :series
ORDER BY id LIMIT :limit

-- What was sampled of the series :series, summed by thread and stack: rows as those of
-- sample_rows.sql, which have an order; :limit -1: all.
SELECT thread_id, NULL, node_id, weight FROM sample_sum
WHERE id BETWEEN :first AND :last AND series_id = :series ORDER BY id LIMIT :limit

-- What was sampled from :first to :last, summed by thread and stack: rows as those of
-- sample_rows.sql, which have an order, and the series that each is of.
SELECT thread_id, NULL, node_id, weight, series_id FROM sample_sum
WHERE id BETWEEN :first AND :last ORDER BY id

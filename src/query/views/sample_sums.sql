-- Sums from :first to :last.
SELECT series_id, thread_id, node_id, samples, weight FROM sample_sum
WHERE id BETWEEN :first AND :last
ORDER BY id

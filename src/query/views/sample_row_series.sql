-- Which series samples from :first to :last are of.
SELECT id, series_id FROM sample_row WHERE id BETWEEN :first AND :last ORDER BY id

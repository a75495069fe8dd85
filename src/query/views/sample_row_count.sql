-- How many samples from :first to :last are of one series.
SELECT count(*) FROM sample_row WHERE id BETWEEN :first AND :last AND series_id = :series

-- How many functions the store holds: ids that lie further apart are damaged.
SELECT count(*) FROM function

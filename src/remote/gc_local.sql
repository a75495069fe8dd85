-- Are the tables of this server those of a cluster?  1 or 0.
SELECT count() FROM system.tables WHERE database = currentDatabase() AND name = 'profile_local'
FORMAT RowBinary

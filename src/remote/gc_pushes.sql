-- Pushes of a server's own table that were made before a moment.
SELECT DISTINCT push_id
FROM {table}
WHERE push_id < {before}
FORMAT RowBinary

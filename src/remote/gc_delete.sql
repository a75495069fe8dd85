-- Rows of pushes that nobody reads.
ALTER TABLE {table} DELETE WHERE push_id IN ({pushes})

-- Slices that are set apart, and the lengths that were recorded.
SELECT slice_id, dur FROM quarantine ORDER BY slice_id

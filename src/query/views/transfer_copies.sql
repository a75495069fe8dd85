-- What copies and sets moved, by slice: NULL bytes where they are not recorded.
SELECT slice_id, bytes FROM copy ORDER BY slice_id

-- What copies and sets moved, by slice: NULL bytes where they are not recorded, NULL
-- direction where only the name may say it.
SELECT slice_id, bytes, direction FROM copy ORDER BY slice_id

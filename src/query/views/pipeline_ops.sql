-- The operations of a pipeline's worker, whose slices are :first to :last: id, start, length (0 of
-- those that are set apart), whether it is set apart, name, args.
SELECT s.id, s.ts, s.dur, coalesce(s.flags, 0) & 4, n.text, x.args
FROM slice_row s
JOIN slice_args x ON x.slice_id = s.id
JOIN string n ON n.id = s.name_id
WHERE s.id BETWEEN :first AND :last ORDER BY s.id

-- What the file of the profile :profile says beside its events; and how ptool reads it,
-- as an entry of its own: ingest/dialect.c.  Of a store that was edited, nothing that is
-- no JSON, or has a NUL, before which SQLite's functions stop.
SELECT CASE WHEN json_valid(metadata) AND instr(metadata, char(0)) = 0 THEN CASE json_type(metadata) WHEN 'object' THEN
       trim(metadata, char(9, 10, 13, 32)) END END,
       json_object('dialect', dialect, 'rank', rank, 'all_slices', all_slices,
       'split_annotations', split_annotations, 'float_memory_window', float_memory_window,
       'python_in_tree', python_in_tree, 'keep_unfinished', keep_unfinished,
       'annotation_fudge_ns', annotation_fudge_ns)
FROM profile WHERE id = :profile

-- The columns of the view `slice`, and which of them are as slice_row has them for each slice.
SELECT shown.name, shown.type,
       kept.name IS NOT NULL AND kept.type = shown.type AND (kept."notnull" OR kept.pk),
       shown.name = 'name'
FROM pragma_table_info('slice', 'main') shown
LEFT JOIN pragma_table_info('slice_row', 'main') kept ON kept.name = shown.name
ORDER BY shown.cid

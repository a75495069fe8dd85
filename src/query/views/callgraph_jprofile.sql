-- The function whose callees pstats calls top level, among :first to :last.
SELECT f.id
FROM function f
     JOIN string file ON file.id = f.file_id
     JOIN string name ON name.id = f.name_id
WHERE f.id BETWEEN :first AND :last
  AND f.line = 0 AND file.text = 'jprofile' AND name.text = 'profiler'
ORDER BY f.id LIMIT 1

-- The functions with ids from :first to :last: id, line, names, profile.
SELECT f.id, f.line, file.text AS file, name.text AS name, f.file_bytes, f.profile_id
FROM function f
     LEFT JOIN string file ON file.id = f.file_id
     LEFT JOIN string name ON name.id = f.name_id
WHERE f.id BETWEEN :first AND :last
ORDER BY f.id

-- Functions of line profiles, in the order of the recording.  :profiles is a JSON array.
SELECT f.id, file.text AS file, f.line, name.text AS name, s.calls, s.total_ns
FROM function_stat s
     JOIN function f ON f.id = s.function_id
     JOIN string file ON file.id = f.file_id
     JOIN string name ON name.id = f.name_id
WHERE f.profile_id IN (SELECT value FROM json_each(:profiles))
ORDER BY s.id

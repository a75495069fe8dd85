-- What ingest repaired, skipped or could not use, in the profiles :profiles (ids
-- as a JSON array); the worst first.
-- profile       id
-- rank          NULL: not recorded
-- path          of the profile's file
-- severity      error, warning, info
-- code          what it was, for scripts; detail tells kinds of one code apart
-- count         how often
-- first_offset  byte of the first one in the decompressed input
-- excerpt       of the input there
-- time_ns       of the events concerned; NULL where that says nothing
-- share_pct     of what the code says; NULL likewise
SELECT p.id AS profile, p.rank AS rank, p.path AS path, f.severity AS severity, f.code AS code,
       nullif(f.detail, '') AS detail, f.count AS count, f.first_offset AS first_offset,
       f.excerpt AS excerpt, f.time_ns AS time_ns, f.share_pct AS share_pct
FROM finding f JOIN profile p ON p.id = f.profile_id
WHERE p.id IN (SELECT value FROM json_each(:profiles))
ORDER BY CASE f.severity WHEN 'error' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END,
         p.run_id, p.id, f.first_offset, f.id

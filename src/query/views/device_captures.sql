-- How many calls of the profiles :profiles (ids as a JSON array) launch kernels outside of
-- captures, which are any thread's: from its BeginCapture, or the start if an EndCapture is
-- its first, to its EndCapture or GraphInstantiate, or the end.
WITH calls AS MATERIALIZED (
    SELECT t.profile_id, t.id AS track_id, s.ts, (instr(n.text, 'LaunchKernel') OR instr(n.text, 'KernelLaunch')) AS launches,
           instr(n.text, 'StreamBeginCapture') > 0 AS begins,
           instr(n.text, 'StreamEndCapture') > 0 AS ends
    FROM track t
    CROSS JOIN slice_row s ON s.id BETWEEN t.first_slice_id AND t.first_slice_id + t.slices - 1
    JOIN string n ON n.id = s.name_id
    WHERE t.profile_id IN (SELECT value FROM json_each(:profiles))
      AND (launches OR begins OR ends OR instr(n.text, 'GraphInstantiate'))),
marks AS MATERIALIZED (
    SELECT *, lag(begins) OVER (PARTITION BY track_id ORDER BY ts) AS before
    FROM calls
    WHERE NOT launches)
SELECT count(*)
FROM (SELECT launches, sum(change) OVER (PARTITION BY profile_id ORDER BY ts) AS captures
      FROM (SELECT profile_id, ts, launches, 0 AS change FROM calls WHERE launches
            UNION ALL
            SELECT profile_id, ts, 0, iif(begins, before IS NOT 1, -(before IS NOT 0)) FROM marks
            WHERE begins OR ends OR before
            UNION ALL
            SELECT profile_id, -1, 0, 1 FROM marks WHERE before IS NULL AND ends))
WHERE launches AND captures = 0

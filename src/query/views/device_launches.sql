-- Calls of the runtimes and drivers of devices that launch kernels or graphs, in the
-- profiles :profiles (ids as a JSON array).
-- launches   how many there are
-- run        of them those in profiles that capture no graph, or replay some: captured
--            launches run nothing
-- guessed    those in other profiles that did, by the summary of their steps, or without
--            one those in profiles that have many of them for each capture
-- others     the ids of these other profiles
-- profiles   how many launch any
SELECT coalesce(sum(launches), 0) AS launches,
       coalesce(sum(launches) FILTER (WHERE NOT captures OR replays), 0) AS run,
       coalesce(sum(coalesce(t.told, iif(launches / captures >= 1000, launches, 0)))
                FILTER (WHERE captures AND NOT replays), 0) AS guessed,
       json_group_array(l.profile_id) FILTER (WHERE captures AND NOT replays AND launches) AS others,
       count(*) FILTER (WHERE launches) AS profiles
FROM (SELECT o.profile_id,
             sum(o.calls * (instr(n.text, 'LaunchKernel') > 0 OR
                            instr(n.text, 'KernelLaunch') > 0 OR
                            instr(n.text, 'GraphLaunch') > 0)) AS launches,
             sum(o.calls * (instr(n.text, 'GraphLaunch') > 0)) AS replays,
             coalesce(nullif(sum(o.calls * (instr(n.text, 'StreamBeginCapture') > 0)), 0),
                      sum(o.calls * (instr(n.text, 'GraphInstantiate') > 0))) AS captures
      FROM op_stat o
      CROSS JOIN string n ON n.id = o.name_id
      WHERE o.profile_id IN (SELECT value FROM json_each(:profiles)) AND o.grain = 0
        AND o.kind = 0
      GROUP BY o.profile_id) AS l
LEFT JOIN (SELECT s.profile_id, p.launches AS told
           FROM summary s JOIN step_part p ON p.id = s.first_row_id
           WHERE s.part = 'step_part' AND s.row_count > 0 AND p.device IS NULL AND p.device_name_id IS NULL) AS t
       ON t.profile_id = l.profile_id

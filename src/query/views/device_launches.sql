-- Calls of the runtimes and drivers of devices that launch kernels or graphs, in the
-- profiles :profiles (ids as a JSON array): how many there are.
SELECT coalesce(sum(o.calls), 0)
FROM op_stat o
CROSS JOIN string n ON n.id = o.name_id
WHERE o.profile_id IN (SELECT value FROM json_each(:profiles)) AND o.grain = 0 AND o.kind = 0
  AND (instr(n.text, 'LaunchKernel') > 0 OR instr(n.text, 'GraphLaunch') > 0)

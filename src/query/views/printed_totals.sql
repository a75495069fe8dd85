-- What tables of torch's profiler say below them, of the profiles :profiles (ids as a JSON
-- array): self time in all, of the host and of devices, in nanoseconds, for how many of them.
-- Metadata may be no JSON: then it says nothing.
SELECT count(json_extract(facts, '$.self_cpu_ns')) AS said,
       sum(json_extract(facts, '$.self_cpu_ns')) AS self_cpu_ns,
       sum(json_extract(facts, '$.self_device_ns')) AS self_device_ns
FROM (SELECT CASE WHEN json_valid(metadata) THEN metadata ELSE '{}' END AS facts FROM profile
      WHERE id IN (SELECT value FROM json_each(:profiles)))

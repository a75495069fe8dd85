-- What a comparison needs to be alike, of the profiles :profiles (ids as a JSON array): rows
-- (profile_id, fact, value), value NULL where it was not recorded.  Facts are those of
-- diff_context.c.  Metadata may be no JSON: then it says nothing.
WITH chosen AS MATERIALIZED (
    SELECT *, CASE WHEN json_valid(metadata) THEN metadata ELSE '{}' END AS facts FROM profile
    WHERE id IN (SELECT value FROM json_each(:profiles))),
devices AS (
    SELECT profile_id, name || ' x ' || n AS text FROM (
        SELECT profile_id, name, count(*) AS n FROM device
        WHERE profile_id IN (SELECT id FROM chosen) AND name <> '' GROUP BY profile_id, name)),
said AS (
    SELECT id AS profile_id, 'format' AS fact,
           CASE WHEN dialect IS NULL THEN format ELSE format || ' ' || dialect END AS value FROM chosen
    UNION ALL SELECT profile_id, 'device', text FROM devices
    UNION ALL SELECT id, 'cuda', json_extract(facts, '$.cuda_runtime_version') FROM chosen
    UNION ALL SELECT id, 'driver', json_extract(facts, '$.cuda_driver_version') FROM chosen
    UNION ALL SELECT id, 'cupti', json_extract(facts, '$.cupti_version') FROM chosen
    UNION ALL SELECT id, 'hip', json_extract(facts, '$.hip_runtime_version') FROM chosen
    UNION ALL SELECT id, 'backend', json_extract(facts, '$.distributedInfo.backend') FROM chosen
    UNION ALL SELECT id, 'nccl', json_extract(facts, '$.distributedInfo.nccl_version') FROM chosen
    UNION ALL SELECT id, 'world', world_size FROM chosen
    UNION ALL SELECT id, 'host', host FROM chosen
    UNION ALL SELECT id, 'stacks', iif(has_stacks, 'yes', 'no') FROM chosen
    UNION ALL SELECT id, 'shapes', iif(has_shapes, 'yes', 'no') FROM chosen
    UNION ALL SELECT id, 'memory', iif(has_memory, 'yes', 'no') FROM chosen
    UNION ALL SELECT id, 'flops', iif(has_flops, 'yes', 'no') FROM chosen)
SELECT profile_id, fact, CAST(value AS TEXT) FROM said ORDER BY profile_id, fact, value

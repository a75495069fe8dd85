-- The process group of the profile :profile when the job told of one only
-- (distributedInfo.pg_config, since torch 2.4): its name, size and ranks ("[0, 1]").
-- No row when it told of none or of several.
SELECT json_extract(g.value, '$.pg_name') AS name,
       CASE json_type(g.value, '$.pg_size') WHEN 'integer'
            THEN json_extract(g.value, '$.pg_size') END AS size,
       CASE json_type(g.value, '$.ranks') WHEN 'array'
            THEN replace(json_extract(g.value, '$.ranks'), ',', ', ') END AS ranks
FROM (SELECT CASE WHEN json_valid(metadata) THEN metadata ELSE '{}' END AS metadata
      FROM profile WHERE id = :profile) AS p,
     json_each(p.metadata, '$.distributedInfo.pg_config') AS g
WHERE json_array_length(p.metadata, '$.distributedInfo.pg_config') = 1

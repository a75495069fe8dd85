-- The process group of the profile :profile when the job told of one only
-- (distributedInfo.pg_config, since torch 2.4): its name, size and ranks ("[0, 1]").  Of
-- several groups that all have as many ranks only that.  No row when it told of none.
SELECT iif(count(*) = 1, json_extract(g.value, '$.pg_name'), NULL) AS name,
       iif(count(*) = count(iif(json_type(g.value, '$.pg_size') = 'integer', 1, NULL)) AND
           min(json_extract(g.value, '$.pg_size')) = max(json_extract(g.value, '$.pg_size')),
           max(json_extract(g.value, '$.pg_size')), NULL) AS size,
       iif(count(*) = 1 AND json_type(g.value, '$.ranks') = 'array',
           replace(json_extract(g.value, '$.ranks'), ',', ', '), NULL) AS ranks
FROM (SELECT CASE WHEN json_valid(metadata) THEN metadata ELSE '{}' END AS metadata
      FROM profile WHERE id = :profile) AS p,
     json_each(p.metadata, '$.distributedInfo.pg_config') AS g
HAVING count(*) > 0

-- SQLite: the profiles of a store's newest run, in their order.  what_else tells those of
-- one path apart, so that each rank, host and part of a file is a profile of its own.
SELECT p.id, r.name AS run, p.path,
       coalesce(p.rank, '') || ' ' || coalesce(p.host, '') || ' ' ||
       (row_number() OVER (PARTITION BY p.path, p.rank, p.host ORDER BY p.id) - 1) AS what_else,
       row_number() OVER (ORDER BY p.id) - 1 AS place
FROM profile p JOIN run r ON r.id = p.run_id
WHERE p.run_id = (SELECT max(id) FROM run)
ORDER BY p.id

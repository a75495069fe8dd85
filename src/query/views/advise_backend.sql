-- What the profile :profile calls the backend of torch.distributed ("nccl",
-- "cpu:gloo,cuda:nccl"): 1 with nccl, 2 with gloo or mpi alone, else 0.  Metadata may be
-- no JSON: then there is no row.
SELECT CASE WHEN name LIKE '%nccl%' THEN 1 ELSE 2 * (name LIKE '%gloo%' OR name LIKE '%mpi%') END
FROM (SELECT json_extract(metadata, '$.distributedInfo.backend') AS name FROM profile
      WHERE id = :profile AND json_valid(metadata))

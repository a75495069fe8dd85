-- The profiles of a store, by (run, id).  :run is the name of a run; NULL: the
-- newest.  :all is 1 for those of every run.
SELECT p.id, p.run_id, r.name AS run, p.path, p.format, p.dialect, p.host, p.rank, p.base_ns,
       p.start_ns, p.dur_ns, p.first_slice_id, p.slices, p.has_memory, p.has_shapes,
       p.has_stacks, p.has_flops, p.has_slices, p.mtime_ns,
       iif(p.rank_source = 'axes', p.world_size, NULL) AS job_ranks,
       p.op_details, p.tp, p.dp, p.pp, p.ep, p.cp
FROM profile p JOIN run r ON r.id = p.run_id
WHERE :all OR p.run_id = (SELECT id FROM run WHERE :run IS NULL OR name = :run
                          ORDER BY id DESC LIMIT 1)
ORDER BY p.run_id, p.id

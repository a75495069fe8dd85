-- 1 where the store has names of replayed kernels, else 0.
SELECT EXISTS (SELECT 1 FROM graph_name_part)

-- The newest push of a run; 0: it has none.
SELECT max(push_id) FROM profile WHERE run_id = {run} FORMAT RowBinary

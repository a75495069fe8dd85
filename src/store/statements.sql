-- Named statements of the store's writer; statements.c finds them by the lines
-- that begin with "-- name".  Parameters are bound by name; a remove_* statement takes
-- :run, the name of a run, and they run in the order they stand here.

-- name: insert_class
INSERT INTO slice_class (id, name, is_device_work) VALUES (?1, ?2, ?3);

-- name: insert_run
INSERT INTO run (name) VALUES (?1);

-- name: select_run
SELECT id FROM run WHERE name = ?1 LIMIT 1;

-- What a store of a fleet holds.  A rank by order or axes is one among these files alone.
-- name: fleet_profiles
SELECT r.name, p.path, iif(p.rank_source IN ('order', 'axes'), NULL, p.rank), p.base_ns,
    p.start_ns, p.dur_ns, p.slices, p.bytes
FROM profile p JOIN run r ON r.id = p.run_id
WHERE :only_run IS NULL OR r.name = :only_run
ORDER BY p.id;

-- name: name_run
UPDATE run SET name = :run;

-- Profiles of the run ?1 from the file ?2, or from what is in it, when it was changed at ?3 and
-- slices were kept or, ?4, left out; -1: there are some of another kind, or it is not known.
-- name: has_recording
SELECT CASE WHEN count(*) = coalesce(sum(p.mtime_ns = ?3 AND p.has_slices <> ?4), 0)
    THEN count(*) ELSE -1 END
FROM run r JOIN profile p ON p.run_id = r.id
WHERE r.name = ?1 AND (p.path = ?2 OR substr(p.path, 1, length(?2) + 1) = ?2 || '/');

-- name: count_recordings
SELECT count(*) FROM run r JOIN profile p ON p.run_id = r.id WHERE r.name = ?1;

-- name: forget_placed_ranks
UPDATE profile SET rank = NULL, rank_source = NULL
WHERE rank_source IN ('order', 'axes') AND run_id = (SELECT id FROM run WHERE name = :run);

-- name: select_profiles
SELECT id, path, rank, tp, dp, pp, ep, cp FROM profile WHERE run_id = ?1 ORDER BY id;

-- name: select_strings
SELECT id, text FROM string ORDER BY id;

-- name: insert_profile
INSERT INTO profile (run_id, path, mtime_ns, format, dialect, rank, rank_source,
    tp, dp, pp, ep, cp, worker, stamp, world_size, host, base_ns, start_ns,
    dur_ns, window_end_ns, span_end_ns, bytes, slices, has_memory, has_shapes, has_stacks,
    has_flops, has_slices, first_slice_id, first_op_detail_id, op_details, all_slices, split_annotations,
    float_memory_window, python_in_tree,
    keep_unfinished, annotation_fudge_ns, metadata)
VALUES (:run_id, :path, :mtime_ns, :format, :dialect, :rank, :rank_source,
    :tp, :dp, :pp, :ep, :cp, :worker, :stamp, :world_size, :host, :base_ns, :start_ns,
    :dur_ns, :window_end_ns, :span_end_ns, :bytes, :slices, :has_memory, :has_shapes, :has_stacks,
    :has_flops, 1, :first_slice_id, :first_op_detail_id, :op_details, :all_slices, :split_annotations,
    :float_memory_window, :python_in_tree,
    :keep_unfinished, :annotation_fudge_ns, :metadata);

-- What the device work of a run's profiles is of: the category of the first tells it.
-- name: tell_device_types
UPDATE profile SET device_type = coalesce((
    SELECT CASE s.text WHEN 'mtia_ccp_events' THEN 'MTIA' WHEN 'hpu_op' THEN 'HPU' ELSE 'GPU' END
    FROM (SELECT min(first_slice_id) AS first FROM track
          WHERE profile_id = profile.id AND kind = 'stream' AND slices > 0) work
    LEFT JOIN slice_row r ON r.id = work.first LEFT JOIN string s ON s.id = r.category_id
    WHERE work.first IS NOT NULL), 'CPU')
WHERE run_id = (SELECT id FROM run WHERE name = :run) AND slices > 0;

-- name: insert_summary
INSERT INTO summary (profile_id, part, rules, first_row_id, row_count)
VALUES (:profile_id, :part, :rules, :first_row_id, :row_count);

-- name: set_span
UPDATE profile SET span = ?2 WHERE id = ?1;

-- name: set_rank_by_order
UPDATE profile SET rank = ?2, rank_source = 'order' WHERE id = ?1;

-- name: set_rank_by_axes
UPDATE profile SET rank = ?2, rank_source = 'axes' WHERE id = ?1;

-- name: set_axes
UPDATE profile SET tp = ?2, dp = ?3, pp = ?4, ep = ?5, cp = ?6 WHERE id = ?1;

-- Ranks came after the look at the recordings' health; ?1 is the first profile that got any.
-- name: drop_rank_unknown
DELETE FROM finding WHERE profile_id >= ?1 AND code = 'rank_unknown'
    AND (SELECT rank FROM profile WHERE id = finding.profile_id) IS NOT NULL;

-- What hangs on slices stays NULL where they are left out.
-- name: leave_out_of_steps
UPDATE step SET slice_id = NULL WHERE profile_id IN (
    SELECT p.id FROM run r JOIN profile p ON p.run_id = r.id WHERE r.name = :run);

-- name: leave_out_of_tracks
UPDATE track SET first_slice_id = NULL WHERE profile_id IN (
    SELECT p.id FROM run r JOIN profile p ON p.run_id = r.id WHERE r.name = :run);

-- name: leave_out_of_series
UPDATE sample_series SET first_sample_id = 1 WHERE profile_id IN (
    SELECT p.id FROM run r JOIN profile p ON p.run_id = r.id WHERE r.name = :run);

-- name: leave_out_of_profiles
UPDATE profile SET has_slices = 0, first_slice_id = 1, first_op_detail_id = 1, op_details = 0 WHERE run_id IN (
    SELECT id FROM run WHERE name = :run);

-- A run's slices are one range of ids, because they were written together. Those
-- of profiles without slices were deleted already.
-- name: remove_quarantine
DELETE FROM quarantine WHERE slice_id BETWEEN
    (SELECT min(p.first_slice_id) FROM run r JOIN profile p ON p.run_id = r.id
        WHERE r.name = :run AND p.has_slices)
    AND (SELECT max(p.first_slice_id + p.slices) - 1 FROM run r JOIN profile p ON p.run_id = r.id
        WHERE r.name = :run AND p.has_slices);

-- name: remove_kernel
DELETE FROM kernel WHERE slice_id BETWEEN
    (SELECT min(p.first_slice_id) FROM run r JOIN profile p ON p.run_id = r.id
        WHERE r.name = :run AND p.has_slices)
    AND (SELECT max(p.first_slice_id + p.slices) - 1 FROM run r JOIN profile p ON p.run_id = r.id
        WHERE r.name = :run AND p.has_slices);

-- name: remove_kernel_source
DELETE FROM kernel_source WHERE slice_id BETWEEN
    (SELECT min(p.first_slice_id) FROM run r JOIN profile p ON p.run_id = r.id
        WHERE r.name = :run AND p.has_slices)
    AND (SELECT max(p.first_slice_id + p.slices) - 1 FROM run r JOIN profile p ON p.run_id = r.id
        WHERE r.name = :run AND p.has_slices);

-- name: remove_copy
DELETE FROM copy WHERE slice_id BETWEEN
    (SELECT min(p.first_slice_id) FROM run r JOIN profile p ON p.run_id = r.id
        WHERE r.name = :run AND p.has_slices)
    AND (SELECT max(p.first_slice_id + p.slices) - 1 FROM run r JOIN profile p ON p.run_id = r.id
        WHERE r.name = :run AND p.has_slices);

-- name: remove_device_wait
DELETE FROM device_wait WHERE slice_id BETWEEN
    (SELECT min(p.first_slice_id) FROM run r JOIN profile p ON p.run_id = r.id
        WHERE r.name = :run AND p.has_slices)
    AND (SELECT max(p.first_slice_id + p.slices) - 1 FROM run r JOIN profile p ON p.run_id = r.id
        WHERE r.name = :run AND p.has_slices);

-- name: remove_collective
DELETE FROM collective WHERE slice_id BETWEEN
    (SELECT min(p.first_slice_id) FROM run r JOIN profile p ON p.run_id = r.id
        WHERE r.name = :run AND p.has_slices)
    AND (SELECT max(p.first_slice_id + p.slices) - 1 FROM run r JOIN profile p ON p.run_id = r.id
        WHERE r.name = :run AND p.has_slices);

-- name: remove_allocation
DELETE FROM allocation WHERE slice_id BETWEEN
    (SELECT min(p.first_slice_id) FROM run r JOIN profile p ON p.run_id = r.id
        WHERE r.name = :run AND p.has_slices)
    AND (SELECT max(p.first_slice_id + p.slices) - 1 FROM run r JOIN profile p ON p.run_id = r.id
        WHERE r.name = :run AND p.has_slices);

-- name: remove_memory_range
DELETE FROM memory_range WHERE slice_id BETWEEN
    (SELECT min(p.first_slice_id) FROM run r JOIN profile p ON p.run_id = r.id
        WHERE r.name = :run AND p.has_slices)
    AND (SELECT max(p.first_slice_id + p.slices) - 1 FROM run r JOIN profile p ON p.run_id = r.id
        WHERE r.name = :run AND p.has_slices);

-- name: remove_slice_args
DELETE FROM slice_args WHERE slice_id BETWEEN
    (SELECT min(p.first_slice_id) FROM run r JOIN profile p ON p.run_id = r.id
        WHERE r.name = :run AND p.has_slices)
    AND (SELECT max(p.first_slice_id + p.slices) - 1 FROM run r JOIN profile p ON p.run_id = r.id
        WHERE r.name = :run AND p.has_slices);

-- name: remove_flow
DELETE FROM flow WHERE slice_out BETWEEN
    (SELECT min(p.first_slice_id) FROM run r JOIN profile p ON p.run_id = r.id
        WHERE r.name = :run AND p.has_slices)
    AND (SELECT max(p.first_slice_id + p.slices) - 1 FROM run r JOIN profile p ON p.run_id = r.id
        WHERE r.name = :run AND p.has_slices);

-- name: remove_op_detail
DELETE FROM op_detail WHERE id BETWEEN
    (SELECT min(p.first_op_detail_id) FROM run r JOIN profile p ON p.run_id = r.id
        WHERE r.name = :run AND p.has_slices)
    AND (SELECT max(p.first_op_detail_id + p.op_details) - 1 FROM run r
        JOIN profile p ON p.run_id = r.id WHERE r.name = :run AND p.has_slices);

-- name: remove_slice_pack
DELETE FROM slice_pack WHERE id BETWEEN
    (SELECT min(p.first_slice_id) FROM run r JOIN profile p ON p.run_id = r.id
        WHERE r.name = :run AND p.has_slices)
    AND (SELECT max(p.first_slice_id + p.slices) - 1 FROM run r JOIN profile p ON p.run_id = r.id
        WHERE r.name = :run AND p.has_slices);

-- name: remove_slice_row
DELETE FROM slice_row WHERE id BETWEEN
    (SELECT min(p.first_slice_id) FROM run r JOIN profile p ON p.run_id = r.id
        WHERE r.name = :run AND p.has_slices)
    AND (SELECT max(p.first_slice_id + p.slices) - 1 FROM run r JOIN profile p ON p.run_id = r.id
        WHERE r.name = :run AND p.has_slices);

-- name: remove_counter
DELETE FROM counter WHERE track_id IN (
    SELECT t.id FROM run r JOIN profile p ON p.run_id = r.id JOIN track t ON t.profile_id = p.id
    WHERE r.name = :run);

-- name: remove_step
DELETE FROM step WHERE profile_id IN (
    SELECT p.id FROM run r JOIN profile p ON p.run_id = r.id WHERE r.name = :run);

-- name: remove_track
DELETE FROM track WHERE profile_id IN (
    SELECT p.id FROM run r JOIN profile p ON p.run_id = r.id WHERE r.name = :run);

-- name: remove_thread
DELETE FROM thread WHERE profile_id IN (
    SELECT p.id FROM run r JOIN profile p ON p.run_id = r.id WHERE r.name = :run);

-- name: remove_process
DELETE FROM process WHERE profile_id IN (
    SELECT p.id FROM run r JOIN profile p ON p.run_id = r.id WHERE r.name = :run);

-- name: remove_device
DELETE FROM device WHERE profile_id IN (
    SELECT p.id FROM run r JOIN profile p ON p.run_id = r.id WHERE r.name = :run);

-- name: remove_call_edge
DELETE FROM call_edge WHERE callee_id IN (
    SELECT f.id FROM run r JOIN profile p ON p.run_id = r.id JOIN function f ON f.profile_id = p.id
    WHERE r.name = :run);

-- name: remove_line_stat
DELETE FROM line_stat WHERE function_id IN (
    SELECT f.id FROM run r JOIN profile p ON p.run_id = r.id JOIN function f ON f.profile_id = p.id
    WHERE r.name = :run);

-- name: remove_function_stat
DELETE FROM function_stat WHERE function_id IN (
    SELECT f.id FROM run r JOIN profile p ON p.run_id = r.id JOIN function f ON f.profile_id = p.id
    WHERE r.name = :run);

-- name: remove_sample_row
DELETE FROM sample_row WHERE series_id IN (
    SELECT s.id FROM run r JOIN profile p ON p.run_id = r.id
    JOIN sample_series s ON s.profile_id = p.id WHERE r.name = :run);

-- name: remove_sample_sum
DELETE FROM sample_sum WHERE series_id IN (
    SELECT s.id FROM run r JOIN profile p ON p.run_id = r.id
    JOIN sample_series s ON s.profile_id = p.id WHERE r.name = :run);

-- name: remove_sample_node
DELETE FROM sample_node WHERE profile_id IN (
    SELECT p.id FROM run r JOIN profile p ON p.run_id = r.id WHERE r.name = :run);

-- name: remove_sample_thread
DELETE FROM sample_thread WHERE profile_id IN (
    SELECT p.id FROM run r JOIN profile p ON p.run_id = r.id WHERE r.name = :run);

-- name: remove_sample_series
DELETE FROM sample_series WHERE profile_id IN (
    SELECT p.id FROM run r JOIN profile p ON p.run_id = r.id WHERE r.name = :run);

-- name: remove_function
DELETE FROM function WHERE profile_id IN (
    SELECT p.id FROM run r JOIN profile p ON p.run_id = r.id WHERE r.name = :run);

-- name: remove_finding
DELETE FROM finding WHERE profile_id IN (
    SELECT p.id FROM run r JOIN profile p ON p.run_id = r.id WHERE r.name = :run);

-- name: remove_op_stat
DELETE FROM op_stat WHERE profile_id IN (
    SELECT p.id FROM run r JOIN profile p ON p.run_id = r.id WHERE r.name = :run);

-- name: remove_annotation_stat
DELETE FROM annotation_stat WHERE profile_id IN (
    SELECT p.id FROM run r JOIN profile p ON p.run_id = r.id WHERE r.name = :run);

-- name: remove_summary
DELETE FROM summary WHERE profile_id IN (
    SELECT p.id FROM run r JOIN profile p ON p.run_id = r.id WHERE r.name = :run);

-- name: remove_step_part
DELETE FROM step_part WHERE profile_id IN (
    SELECT p.id FROM run r JOIN profile p ON p.run_id = r.id WHERE r.name = :run);

-- name: remove_gap_part
DELETE FROM gap_part WHERE profile_id IN (
    SELECT p.id FROM run r JOIN profile p ON p.run_id = r.id WHERE r.name = :run);

-- name: remove_gap_wait_part
DELETE FROM gap_wait_part WHERE profile_id IN (
    SELECT p.id FROM run r JOIN profile p ON p.run_id = r.id WHERE r.name = :run);

-- name: remove_gap_call_part
DELETE FROM gap_call_part WHERE profile_id IN (
    SELECT p.id FROM run r JOIN profile p ON p.run_id = r.id WHERE r.name = :run);

-- name: remove_device_part
DELETE FROM device_part WHERE profile_id IN (
    SELECT p.id FROM run r JOIN profile p ON p.run_id = r.id WHERE r.name = :run);

-- name: remove_stream_part
DELETE FROM stream_part WHERE profile_id IN (
    SELECT p.id FROM run r JOIN profile p ON p.run_id = r.id WHERE r.name = :run);

-- name: remove_rank_part
DELETE FROM rank_part WHERE profile_id IN (
    SELECT p.id FROM run r JOIN profile p ON p.run_id = r.id WHERE r.name = :run);

-- name: remove_graph_name_part
DELETE FROM graph_name_part WHERE profile_id IN (
    SELECT p.id FROM run r JOIN profile p ON p.run_id = r.id WHERE r.name = :run);

-- name: remove_kernel_part
DELETE FROM kernel_part WHERE profile_id IN (
    SELECT p.id FROM run r JOIN profile p ON p.run_id = r.id WHERE r.name = :run);

-- name: remove_transfer_part
DELETE FROM transfer_part WHERE profile_id IN (
    SELECT p.id FROM run r JOIN profile p ON p.run_id = r.id WHERE r.name = :run);

-- name: remove_memory_part
DELETE FROM memory_part WHERE profile_id IN (
    SELECT p.id FROM run r JOIN profile p ON p.run_id = r.id WHERE r.name = :run);

-- name: remove_comm_part
DELETE FROM comm_part WHERE profile_id IN (
    SELECT p.id FROM run r JOIN profile p ON p.run_id = r.id WHERE r.name = :run);

-- name: remove_profile
DELETE FROM profile WHERE run_id IN (SELECT id FROM run WHERE name = :run);

-- name: remove_run
DELETE FROM run WHERE name = :run;

-- Texts behind the last one that is used: those between others keep their ids.
-- name: remove_string
DELETE FROM string WHERE id > (SELECT max(id) FROM (
    SELECT 0 AS id
    UNION ALL SELECT max(name_id) FROM slice_row
    UNION ALL SELECT max(category_id) FROM slice_row
    UNION ALL SELECT max(lines_id) FROM kernel_source
    UNION ALL SELECT max(shapes_id) FROM op_detail
    UNION ALL SELECT max(stack_id) FROM op_detail
    UNION ALL SELECT max(module_id) FROM op_detail
    UNION ALL SELECT max(types_id) FROM op_detail
    UNION ALL SELECT max(values_id) FROM op_detail
    UNION ALL SELECT max(category_id) FROM flow
    UNION ALL SELECT max(name_id) FROM op_stat
    UNION ALL SELECT max(shapes_id) FROM op_stat
    UNION ALL SELECT max(stack_id) FROM op_stat
    UNION ALL SELECT max(overload_id) FROM op_stat
    UNION ALL SELECT max(name_id) FROM annotation_stat
    UNION ALL SELECT max(file_id) FROM function
    UNION ALL SELECT max(name_id) FROM function
    UNION ALL SELECT max(text_id) FROM line_stat
    UNION ALL SELECT max(what_id) FROM rank_part
    UNION ALL SELECT max(device_name_id) FROM step_part
    UNION ALL SELECT max(data_loading_from_id) FROM step_part
    UNION ALL SELECT max(host_to_device_from_id) FROM step_part
    UNION ALL SELECT max(optimizer_from_id) FROM step_part
    UNION ALL SELECT max(backward_from_id) FROM step_part
    UNION ALL SELECT max(forward_from_id) FROM step_part
    UNION ALL SELECT max(grew_slice_id) FROM step_part
    UNION ALL SELECT max(device_name_id) FROM gap_part
    UNION ALL SELECT max(key_id) FROM gap_part
    UNION ALL SELECT max(blamed_id) FROM gap_part
    UNION ALL SELECT max(op_id) FROM gap_wait_part
    UNION ALL SELECT max(frame_id) FROM gap_wait_part
    UNION ALL SELECT max(annotation_id) FROM gap_wait_part
    UNION ALL SELECT max(blamed_id) FROM gap_wait_part
    UNION ALL SELECT max(members_id) FROM gap_call_part
    UNION ALL SELECT max(name_id) FROM gap_call_part
    UNION ALL SELECT max(device_name_id) FROM device_part
    UNION ALL SELECT max(name_id) FROM device_part
    UNION ALL SELECT max(compute_capability_id) FROM device_part
    UNION ALL SELECT max(device_name_id) FROM stream_part
    UNION ALL SELECT max(stream_name_id) FROM stream_part
    UNION ALL SELECT max(name_id) FROM kernel_part
    UNION ALL SELECT max(name_id) FROM graph_name_part
    UNION ALL SELECT max(device_name_id) FROM transfer_part
    UNION ALL SELECT max(kind_id) FROM transfer_part
    UNION ALL SELECT max(memory_id) FROM transfer_part
    UNION ALL SELECT max(op_id) FROM transfer_part
    UNION ALL SELECT max(op_id) FROM memory_part
    UNION ALL SELECT max(device_name_id) FROM comm_part
    UNION ALL SELECT max(side_id) FROM comm_part
    UNION ALL SELECT max(collective_id) FROM comm_part
    UNION ALL SELECT max(dtype_id) FROM comm_part
    UNION ALL SELECT max(group_id) FROM comm_part
    UNION ALL SELECT max(group_ranks_id) FROM comm_part
    UNION ALL SELECT max(algorithm_id) FROM comm_part
    UNION ALL SELECT max(protocol_id) FROM comm_part
    UNION ALL SELECT max(name_id) FROM comm_part));

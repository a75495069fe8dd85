-- Named statements of the store's writer; statements.c finds them by the lines
-- "-- name: <name>".  Parameters are bound by name; a remove_* statement takes
-- :run, the name of a run, and they run in the order they stand here.

-- name: insert_class
INSERT INTO slice_class (id, name, is_device_work) VALUES (?1, ?2, ?3);

-- name: insert_run
INSERT INTO run (name) VALUES (?1);

-- name: select_strings
SELECT id, text FROM string ORDER BY id;

-- name: insert_profile
INSERT INTO profile (run_id, path, format, dialect, rank, world_size, host, base_ns, start_ns,
    dur_ns, window_end_ns, span_end_ns, bytes, slices, has_memory, has_shapes, has_stacks,
    has_flops, first_slice_id, first_op_detail_id, op_details, all_slices, split_annotations,
    float_memory_window, python_in_tree,
    keep_unfinished, annotation_fudge_ns, metadata)
VALUES (:run_id, :path, :format, :dialect, :rank, :world_size, :host, :base_ns, :start_ns,
    :dur_ns, :window_end_ns, :span_end_ns, :bytes, :slices, :has_memory, :has_shapes, :has_stacks,
    :has_flops, :first_slice_id, :first_op_detail_id, :op_details, :all_slices, :split_annotations,
    :float_memory_window, :python_in_tree,
    :keep_unfinished, :annotation_fudge_ns, :metadata);

-- A profile's slices are one range of ids, because they were written together.
-- name: remove_kernel
DELETE FROM kernel WHERE EXISTS (
    SELECT 1 FROM run r JOIN profile p ON p.run_id = r.id
    WHERE r.name = :run AND kernel.slice_id BETWEEN p.first_slice_id AND p.first_slice_id + p.slices - 1);

-- name: remove_copy
DELETE FROM copy WHERE EXISTS (
    SELECT 1 FROM run r JOIN profile p ON p.run_id = r.id
    WHERE r.name = :run AND copy.slice_id BETWEEN p.first_slice_id AND p.first_slice_id + p.slices - 1);

-- name: remove_device_wait
DELETE FROM device_wait WHERE EXISTS (
    SELECT 1 FROM run r JOIN profile p ON p.run_id = r.id
    WHERE r.name = :run AND device_wait.slice_id BETWEEN p.first_slice_id AND p.first_slice_id + p.slices - 1);

-- name: remove_collective
DELETE FROM collective WHERE EXISTS (
    SELECT 1 FROM run r JOIN profile p ON p.run_id = r.id
    WHERE r.name = :run AND collective.slice_id BETWEEN p.first_slice_id AND p.first_slice_id + p.slices - 1);

-- name: remove_allocation
DELETE FROM allocation WHERE EXISTS (
    SELECT 1 FROM run r JOIN profile p ON p.run_id = r.id
    WHERE r.name = :run AND allocation.slice_id BETWEEN p.first_slice_id AND p.first_slice_id + p.slices - 1);

-- name: remove_slice_args
DELETE FROM slice_args WHERE EXISTS (
    SELECT 1 FROM run r JOIN profile p ON p.run_id = r.id
    WHERE r.name = :run AND slice_args.slice_id BETWEEN p.first_slice_id AND p.first_slice_id + p.slices - 1);

-- name: remove_flow
DELETE FROM flow WHERE EXISTS (
    SELECT 1 FROM run r JOIN profile p ON p.run_id = r.id
    WHERE r.name = :run AND flow.slice_out BETWEEN p.first_slice_id AND p.first_slice_id + p.slices - 1);

-- name: remove_op_detail
DELETE FROM op_detail WHERE EXISTS (
    SELECT 1 FROM run r JOIN profile p ON p.run_id = r.id WHERE r.name = :run
    AND op_detail.id BETWEEN p.first_op_detail_id AND p.first_op_detail_id + p.op_details - 1);

-- name: remove_slice_row
DELETE FROM slice_row WHERE EXISTS (
    SELECT 1 FROM run r JOIN profile p ON p.run_id = r.id
    WHERE r.name = :run AND slice_row.id BETWEEN p.first_slice_id AND p.first_slice_id + p.slices - 1);

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

-- name: remove_finding
DELETE FROM finding WHERE profile_id IN (
    SELECT p.id FROM run r JOIN profile p ON p.run_id = r.id WHERE r.name = :run);

-- name: remove_op_stat
DELETE FROM op_stat WHERE profile_id IN (
    SELECT p.id FROM run r JOIN profile p ON p.run_id = r.id WHERE r.name = :run);

-- name: remove_annotation_stat
DELETE FROM annotation_stat WHERE profile_id IN (
    SELECT p.id FROM run r JOIN profile p ON p.run_id = r.id WHERE r.name = :run);

-- name: remove_profile
DELETE FROM profile WHERE run_id IN (SELECT id FROM run WHERE name = :run);

-- name: remove_run
DELETE FROM run WHERE name = :run;

-- How the operator table of a profile is built.
SELECT all_slices, split_annotations, float_memory_window, python_in_tree, keep_unfinished,
       annotation_fudge_ns, window_end_ns, span_end_ns, first_op_detail_id
FROM profile WHERE id = :profile

-- The slice :id as an event of a trace: its args are those that were recorded where they
-- were kept, as a JSON object; else those that the store holds, under the keys that
-- PyTorch gives them.
-- json_patch() takes out what is null.  Texts that slices share and that have more than :most
-- bytes are left out.
SELECT s.ts, s.dur, n.text, c.text, coalesce(s.flags, 0), s.track_id,
       coalesce(s.launch_id, 0),
       coalesce(x.args, CASE
           WHEN :is_xprof THEN json_patch('{}', json_object(
               'correlation_id', s.correlation,
               'step_num', (SELECT number FROM step WHERE id = s.step_id AND slice_id = s.id),
               'group_id', CASE WHEN s.correlation IS NULL THEN s.step_id END,
               'context_id', coalesce(k.context, y.context),
               'cuda_graph_id', coalesce(k.graph_id, y.graph_id),
               'cuda_graph_node_id', coalesce(k.graph_node_id, y.graph_node_id),
               'theoretical_occupancy_pct', k.occupancy_pct,
               'kernel_details', CASE WHEN l.name = 'kernel' THEN
                   'regs:' || coalesce(k.registers, 0)
                   || coalesce(' group_mem:' || k.shared_memory_bytes, '')
                   || coalesce(' grid:' || k.grid_x || ',' || k.grid_y || ',' || k.grid_z, '')
                   || coalesce(' block:' || k.block_x || ',' || k.block_y || ',' || k.block_z, '') END,
               'memcpy_details', CASE WHEN l.name = 'memcpy' THEN 'size:' || y.bytes END,
               'memset_details', CASE WHEN l.name = 'memset' THEN 'num_bytes:' || y.bytes END,
               'hlo_category', CASE WHEN l.name = 'accelerator' THEN 'other' END))
           WHEN k.slice_id IS NOT NULL THEN json_patch('{}', json_object(
               'External id', s.external_id, 'correlation', s.correlation, 'device', k.device,
               'context', k.context, 'stream', k.stream,
               'grid', CASE WHEN k.grid_x IS NOT NULL THEN json_array(k.grid_x, k.grid_y, k.grid_z) END,
               'block', CASE WHEN k.block_x IS NOT NULL THEN json_array(k.block_x, k.block_y, k.block_z) END,
               'registers per thread', k.registers, 'shared memory', k.shared_memory_bytes,
               'blocks per SM', k.blocks_per_sm,
               'warps per SM', k.warps_per_sm,
               'est. achieved occupancy %', k.occupancy_pct,
               'graph id', k.graph_id, 'graph node id', k.graph_node_id, 'queued', k.queued,
               'priority', k.priority,
               'stack', json('[' || replace(nullif(json_quote(source.text), 'null'), '; ', '","') || ']')))
           WHEN y.slice_id IS NOT NULL THEN json_patch('{}', json_object(
               'External id', s.external_id, 'correlation', s.correlation, 'device', y.device,
               'context', y.context, 'stream', y.stream,
               CASE WHEN l.name = 'runtime' THEN 'size' ELSE 'bytes' END, y.bytes,
               'graph id', y.graph_id, 'graph node id', y.graph_node_id,
               'direction', y.direction))
           WHEN w.slice_id IS NOT NULL THEN json_patch('{}', json_object(
               'External id', s.external_id, 'correlation', s.correlation, 'device', w.device,
               'stream', w.stream, 'cuda_sync_kind', w.kind, 'wait_on_stream', w.wait_stream,
               'wait_on_cuda_event_id', w.wait_event,
               'wait_on_cuda_event_record_corr_id', w.wait_correlation))
           WHEN a.slice_id IS NOT NULL THEN json_patch('{}', json_object(
               'Bytes', a.bytes, 'Addr', a.address, 'Total Allocated', a.total_allocated_bytes,
               'Total Reserved', a.total_reserved_bytes, 'Device Type', a.device_type,
               'Device Id', a.device))
           ELSE json_patch('{}', json_object(
               'External id', s.external_id, 'correlation', s.correlation,
               'finished', CASE WHEN s.flags & 2 THEN json('false') END,
               'Input Dims', json(shapes.text),
               'Input type', json('[' || replace(nullif(json_quote(types.text), 'null'), ';', '","') || ']'),
               'Concrete Inputs', json('[' || replace(nullif(json_quote(vals.text), 'null'), ';', '","') || ']'),
               'Call stack', stack.text,
               'Module Hierarchy', module.text, 'Sequence number', s.sequence,
               'Fwd thread id', d.fwd_thread, 'ptool flops', d.flops))
       END),
       CASE WHEN o.id IS NOT NULL AND x.args IS NULL THEN json_patch('{}', json_object(
           'Collective name', o.name, 'dtype', o.dtype, 'In msg nelems', o.in_elements,
           'Out msg nelems', o.out_elements, 'In split size', o.in_split,
           'Out split size', o.out_split, 'Process Group Name', o.group_name,
           'Process Group Description', o.group_description,
           'Process Group Ranks', o.group_ranks, 'Group size', o.group_size, 'Rank', o.rank,
           'Src Rank', o.source, 'Dst Rank', o.destination, 'Seq', o.sequence,
           'Comms Id', o.comm_id,
           'Is asynchronized op', json(CASE o.is_async WHEN 1 THEN 'true' WHEN 0 THEN 'false' END))) END,
       x.args IS NOT NULL
FROM slice_row s
JOIN string n ON n.id = s.name_id
JOIN slice_class l ON l.id = s.class
LEFT JOIN string c ON c.id = s.category_id
LEFT JOIN kernel k ON k.slice_id = s.id
LEFT JOIN kernel_source i ON i.slice_id = s.id
LEFT JOIN string source ON source.id = i.lines_id AND length(CAST(source.text AS BLOB)) <= :most
LEFT JOIN copy y ON y.slice_id = s.id
LEFT JOIN device_wait w ON w.slice_id = s.id
LEFT JOIN allocation a ON a.slice_id = s.id
LEFT JOIN op_detail d ON d.id = s.op_detail_id
LEFT JOIN string shapes ON shapes.id = d.shapes_id AND length(CAST(shapes.text AS BLOB)) <= :most AND json_valid(shapes.text)
LEFT JOIN string stack ON stack.id = d.stack_id AND length(CAST(stack.text AS BLOB)) <= :most
LEFT JOIN string module ON module.id = d.module_id AND length(CAST(module.text AS BLOB)) <= :most
LEFT JOIN string types ON types.id = d.types_id AND length(CAST(types.text AS BLOB)) <= :most
LEFT JOIN string vals ON vals.id = d.values_id AND length(CAST(vals.text AS BLOB)) <= :most
LEFT JOIN collective o ON o.slice_id = s.id
LEFT JOIN slice_args x ON x.slice_id = s.id AND CASE
    -- SQLite's functions stop at a NUL
    WHEN json_valid(x.args) AND instr(x.args, char(0)) = 0 THEN json_type(x.args) = 'object' END
WHERE s.id = :id

-- The ptool store, format 8: a public interface, explained in ptool-store(5).
--
-- Times are int64 nanoseconds.  `ts` counts from the profile's first event, so
-- that absolute time = profile.base_ns + profile.start_ns + ts.  Sizes are bytes.
-- NULL means not recorded, never 0.  Texts are stored once, in `string`.
-- Rows that one pass reads together stand together: slices by (profile, track,
-- ts, longest first), those set apart behind the others of the profile.

-- What one `ptool ingest` took in.
CREATE TABLE run (
    id          INTEGER PRIMARY KEY,       -- the newest run has the largest
    name        TEXT NOT NULL UNIQUE       -- --run, else the inputs' resolved common path
) STRICT;

-- One ingested file.
CREATE TABLE profile (
    id              INTEGER PRIMARY KEY,
    run_id          INTEGER NOT NULL REFERENCES run (id),
    path            TEXT NOT NULL,         -- as resolved when it was ingested; '-' is standard input
    mtime_ns        INTEGER,               -- when the file was changed last, since 1970; NULL: not known
    format          TEXT NOT NULL,         -- 'pytorch', 'xprof' (TensorFlow, JAX), 'chrome', 'pstats', 'samples'
    dialect         TEXT,                  -- which exporter wrote it: ptool-formats(5)
    rank            INTEGER,
    rank_source     TEXT,                  -- what tells it: 'recording' (distributedInfo), 'name', 'axes', 'order'
    tp              INTEGER,               -- its place among those of its tensor parallel group, from 0
    dp              INTEGER,               -- likewise data parallel
    pp              INTEGER,               -- pipeline parallel: its stage
    ep              INTEGER,               -- expert parallel
    cp              INTEGER,               -- context parallel
    worker          TEXT,                  -- of a name <worker>.<stamp>.pt.trace.json
    stamp           INTEGER,               -- likewise
    span            INTEGER,               -- place of the stamp among the worker's, from 1
    world_size      INTEGER,
    host            TEXT,
    base_ns         INTEGER,               -- absolute ns of the file clock's 0, when the file tells
    start_ns        INTEGER NOT NULL,      -- first event, in the file's clock
    dur_ns          INTEGER NOT NULL,      -- first event to the end of the last
    window_end_ns   INTEGER,               -- of 'Record Window End', in the file's clock
    span_end_ns     INTEGER,               -- end of the recording's own span, likewise
    bytes           INTEGER NOT NULL,      -- decompressed size of the input
    first_slice_id  INTEGER NOT NULL,      -- its slices are first_slice_id to
    slices          INTEGER NOT NULL,      --   first_slice_id + slices - 1; the last are those set apart
    first_op_detail_id INTEGER NOT NULL,   -- its op_details likewise
    op_details      INTEGER NOT NULL,
    device_type     TEXT,                  -- 'GPU', 'MTIA', 'HPU'; 'CPU': no device did work; NULL: no slices
    has_memory      INTEGER NOT NULL,      -- 1 when profile_memory was on, or memory events were recorded
    has_shapes      INTEGER NOT NULL,      -- record_shapes
    has_stacks      INTEGER NOT NULL,      -- with_stack
    has_flops       INTEGER NOT NULL,      -- with_flops
    has_slices      INTEGER NOT NULL,      -- 0: its slices, and samples one by one, were left out; its other rows are all there
    -- How the operator table is built (ptool-top(1), OPERATOR TREE):
    all_slices          INTEGER NOT NULL,  -- 1: every host slice counts as an operator
    split_annotations   INTEGER NOT NULL,  -- 1: annotations are rows apart from operators
    float_memory_window INTEGER NOT NULL,  -- 1: memory instants compared in float64 microseconds
    python_in_tree      INTEGER NOT NULL,  -- 1: Python frames take part in the nesting
    keep_unfinished     INTEGER NOT NULL,  -- 1: open ranges count, until the span's end
    annotation_fudge_ns INTEGER NOT NULL,  -- what the exporter added to a device annotation's dur
    metadata        TEXT NOT NULL          -- everything beside the events, as one JSON object
) STRICT;

-- Interned text.
CREATE TABLE string (
    id          INTEGER PRIMARY KEY,
    text        TEXT NOT NULL
) STRICT;

-- What slice_row.class means.
CREATE TABLE slice_class (
    id          INTEGER PRIMARY KEY,
    name        TEXT NOT NULL,             -- 'op', 'annotation', 'kernel', ...
    is_device_work INTEGER NOT NULL        -- 1: counts as device time
) STRICT;

CREATE TABLE process (
    upid        INTEGER PRIMARY KEY,
    profile_id  INTEGER NOT NULL REFERENCES profile (id),
    pid         INTEGER,                   -- NULL when the trace spells it as text
    pid_text    TEXT,                      -- the text, when it is no number
    name        TEXT,
    labels      TEXT,
    sort_index  INTEGER
) STRICT;

CREATE TABLE thread (
    utid        INTEGER PRIMARY KEY,
    profile_id  INTEGER NOT NULL REFERENCES profile (id),
    upid        INTEGER NOT NULL REFERENCES process (upid),
    tid         INTEGER,
    tid_text    TEXT,
    name        TEXT,
    is_main_thread INTEGER NOT NULL,       -- 1 when tid = pid
    sort_index  INTEGER
) STRICT;

-- What slices and counters lie on.
CREATE TABLE track (
    id          INTEGER PRIMARY KEY,
    profile_id  INTEGER NOT NULL REFERENCES profile (id),
    kind        TEXT NOT NULL,             -- 'thread', 'stream', 'stream_notes', 'async', 'counter'
    upid        INTEGER REFERENCES process (upid),
    utid        INTEGER REFERENCES thread (utid), -- of kind 'thread'
    tid         INTEGER,                   -- number of the thread or, of a 'stream', of the stream
    name        TEXT,                      -- thread name, stream, async id, counter and series
    first_slice_id INTEGER,                -- its slices are first_slice_id to
    slices      INTEGER NOT NULL           --   first_slice_id + slices - 1
) STRICT;

-- Small tables that each question reads for each profile: those of one profile
-- must not cost the others.
CREATE INDEX track_profile ON track (profile_id);

-- Parameters that many operator calls share.
CREATE TABLE op_detail (
    id          INTEGER PRIMARY KEY,
    shapes_id   INTEGER REFERENCES string (id), -- as Python prints them: [[8, 3], []]
    stack_id    INTEGER REFERENCES string (id), -- innermost first, ';' between frames
    module_id   INTEGER REFERENCES string (id), -- Module Hierarchy
    flops       INTEGER,                   -- of one call, by torch's formulas
    fwd_thread  INTEGER,                   -- 0 in the forward pass
    is_backward INTEGER NOT NULL,          -- 1: runs for the backward pass
    types_id    INTEGER REFERENCES string (id), -- of the inputs: bfloat16;bfloat16;Scalar
    values_id   INTEGER REFERENCES string (id)  -- of inputs that are no tensors, where work depends on them: ;;[1, 1]; of lists of tensors their shapes
) STRICT;

-- A step: ProfilerStep#N, what has a step_num, or an annotation of an inference engine or a
-- training loop.
CREATE TABLE step (
    id          INTEGER PRIMARY KEY,
    profile_id  INTEGER NOT NULL REFERENCES profile (id),
    number      INTEGER NOT NULL,          -- N; of an annotation that tells none its place, from 0
    slice_id    INTEGER REFERENCES slice_row (id), -- NULL: the whole file is the step (train_step_N.json), or the args of its work say its number
    ts          INTEGER NOT NULL,          -- its window [ts, ts + dur): the host range, or that of its device work
    dur         INTEGER NOT NULL,
    host_ts     INTEGER NOT NULL,          -- host range [host_ts, host_ts + host_dur)
    host_dur    INTEGER NOT NULL,
    source      TEXT,                      -- 'ProfilerStep', 'step_num', '--step-name', 'file name', 'args.step', or whose annotation: 'vLLM', or Python frame: 'vLLM frames'
    phase       TEXT,                      -- 'prefill', 'decode', 'mixed', 'other', as its annotation says
    requests    INTEGER,                   -- in its batch, likewise
    tokens      INTEGER,                   -- that go through the model
    context_tokens INTEGER                 -- that attention looks at
) STRICT;
CREATE INDEX step_profile ON step (profile_id);

-- Every span and instant; the view `slice` shows it with its texts.
CREATE TABLE slice_row (
    id          INTEGER PRIMARY KEY,
    track_id    INTEGER NOT NULL REFERENCES track (id),
    ts          INTEGER NOT NULL,
    dur         INTEGER NOT NULL,          -- 0 for instants
    name_id     INTEGER NOT NULL REFERENCES string (id),
    category_id INTEGER REFERENCES string (id),
    class       INTEGER NOT NULL REFERENCES slice_class (id),
    flags       INTEGER,                   -- 1 instant, 2 unfinished, 4 set apart (quarantine); NULL: none
    depth       INTEGER NOT NULL,          -- 0 at the root of its track
    parent_id   INTEGER REFERENCES slice_row (id),
    self_ns     INTEGER NOT NULL,          -- dur less direct children, children clipped
    step_id     INTEGER REFERENCES step (id),
    correlation INTEGER,                   -- joins a launch to its device work
    external_id INTEGER,                   -- joins both to an operator, where it can be trusted
    launch_id   INTEGER REFERENCES slice_row (id), -- device work: the call that launched it
    op_id       INTEGER REFERENCES slice_row (id), -- device work: the operator it was launched for
    op_detail_id INTEGER REFERENCES op_detail (id),
    sequence    INTEGER                    -- autograd sequence number
) STRICT;

-- The columns of slice_row that reports read whole, packed: ptool-store(5), PACKED SLICES.
-- Each row has up to 8192 slices of one track, in order; those that are set apart are in none.
CREATE TABLE slice_pack (
    id          INTEGER PRIMARY KEY,       -- of its first slice
    slices      INTEGER NOT NULL,          -- how many: their ids follow each other
    ts          BLOB NOT NULL,
    dur         BLOB,                      -- here and below NULL: 0 for each of them
    name_id     BLOB,
    class       BLOB,
    marks       BLOB,                      -- 1 instant, 2 unfinished, 4 has a sequence number
    step_id     BLOB,                      -- ids: 0 where slice_row has NULL
    launch_id   BLOB,
    op_id       BLOB,
    op_detail_id BLOB
) STRICT;

-- Slices whose times cannot be: kept with dur 0, outside every sum.  They stand behind
-- the slices of the profile's tracks, by (track, ts), and have no row in tables of details.
CREATE TABLE quarantine (
    id          INTEGER PRIMARY KEY,
    slice_id    INTEGER NOT NULL REFERENCES slice_row (id),
    code        TEXT NOT NULL,             -- of the finding: 'negative_duration', ...
    dur         INTEGER NOT NULL           -- as recorded
) STRICT;

-- Details of kernels.
CREATE TABLE kernel (
    slice_id    INTEGER PRIMARY KEY REFERENCES slice_row (id),
    device      INTEGER,
    stream      INTEGER,
    context     INTEGER,
    grid_x      INTEGER, grid_y INTEGER, grid_z INTEGER,
    block_x     INTEGER, block_y INTEGER, block_z INTEGER,
    registers   INTEGER,                   -- per thread
    shared_memory_bytes INTEGER,
    blocks_per_sm REAL,
    warps_per_sm REAL,
    occupancy_pct REAL,                    -- estimated achieved occupancy, 0 to 100
    graph_id    INTEGER,
    graph_node_id INTEGER,
    queued      INTEGER,
    priority    INTEGER
) STRICT;

-- Lines of source that Inductor made kernels of, of those that tell them.
CREATE TABLE kernel_source (
    slice_id    INTEGER PRIMARY KEY REFERENCES slice_row (id),
    lines_id    INTEGER NOT NULL REFERENCES string (id) -- 'model.py(29): forward; model.py(30): forward'
) STRICT;

-- Details of copies and sets.
CREATE TABLE copy (
    slice_id    INTEGER PRIMARY KEY REFERENCES slice_row (id),
    device      INTEGER,
    stream      INTEGER,
    context     INTEGER,
    bytes       INTEGER,
    graph_id    INTEGER,
    graph_node_id INTEGER,
    direction   TEXT                       -- 'DEVICE_TO_HOST', where not its name says it (MTIA)
) STRICT;

-- Details of waits that the device's tracer shows (cuda_sync; MTIA's event_wait).
CREATE TABLE device_wait (
    slice_id    INTEGER PRIMARY KEY REFERENCES slice_row (id),
    device      INTEGER,
    stream      INTEGER,
    kind        TEXT,                      -- 'Stream Wait Event', 'Context Sync', ...
    wait_stream INTEGER,
    wait_event  INTEGER,
    wait_correlation INTEGER               -- correlation of the call that recorded the event
) STRICT;

-- Details of collectives, on the operator and on its kernel.
CREATE TABLE collective (
    id          INTEGER PRIMARY KEY,
    slice_id    INTEGER NOT NULL REFERENCES slice_row (id),
    name        TEXT,
    dtype       TEXT,
    in_elements INTEGER,
    out_elements INTEGER,
    in_split    TEXT,
    out_split   TEXT,
    group_name  TEXT,
    group_description TEXT,
    group_ranks TEXT,
    group_size  INTEGER,
    rank        INTEGER,
    source      INTEGER,
    destination INTEGER,
    sequence    INTEGER,
    comm_id     TEXT,                      -- text: it may exceed 64 bits
    is_async    INTEGER
) STRICT;

-- Those of one profile must not cost the others.
CREATE INDEX collective_slice ON collective (slice_id);

-- Memory events.
CREATE TABLE allocation (
    slice_id    INTEGER PRIMARY KEY REFERENCES slice_row (id), -- the instant: ts, track, step
    op_id       INTEGER REFERENCES slice_row (id), -- innermost operator around it on its thread
    bytes       INTEGER,                   -- negative: freed
    address     INTEGER,
    total_allocated_bytes INTEGER,
    total_reserved_bytes INTEGER,
    device_type INTEGER NOT NULL,          -- c10::DeviceType: 0 CPU, 1 CUDA, 6 HIP, 12 XPU, ...
    device      INTEGER,                   -- index; -1 for the CPU
    out_of_memory INTEGER NOT NULL
) STRICT;

-- Details of calls that mprof followed: memory of the process around them.
CREATE TABLE memory_range (
    slice_id    INTEGER PRIMARY KEY REFERENCES slice_row (id),
    start_bytes INTEGER NOT NULL,
    end_bytes   INTEGER NOT NULL,
    level       INTEGER                    -- calls of followed functions around it, as recorded
) STRICT;

-- Samples of counters.
CREATE TABLE counter (
    id          INTEGER PRIMARY KEY,
    track_id    INTEGER NOT NULL REFERENCES track (id),
    ts          INTEGER NOT NULL,
    value       REAL NOT NULL
) STRICT;

-- Arrows between slices.
CREATE TABLE flow (
    id          INTEGER PRIMARY KEY,
    slice_out   INTEGER NOT NULL REFERENCES slice_row (id),
    slice_in    INTEGER NOT NULL REFERENCES slice_row (id),
    category_id INTEGER REFERENCES string (id), -- 'ac2g', 'fwdbwd', ...
    trace_id    INTEGER                    -- the arrow's id where it is a number
) STRICT;

-- Devices as the recording describes them.
CREATE TABLE device (
    id          INTEGER PRIMARY KEY,
    profile_id  INTEGER NOT NULL REFERENCES profile (id),
    device      INTEGER NOT NULL,
    name        TEXT,
    memory_bytes INTEGER,
    sms         INTEGER,
    compute_major INTEGER,
    compute_minor INTEGER,
    properties  TEXT NOT NULL,             -- the whole entry as JSON
    agent       INTEGER                    -- what its work calls it (ROCm), where that is certain
) STRICT;
CREATE INDEX device_profile ON device (profile_id);

-- args of an event as JSON text; only with `ptool ingest --keep args`, or in the format 'stragglers'.
CREATE TABLE slice_args (
    slice_id    INTEGER PRIMARY KEY REFERENCES slice_row (id),
    args        TEXT NOT NULL
) STRICT;

-- Functions of call graphs, line profiles and sampled stacks: (file, line, name) of a
-- profile once.
CREATE TABLE function (
    id          INTEGER PRIMARY KEY,
    profile_id  INTEGER NOT NULL REFERENCES profile (id),
    file_id     INTEGER NOT NULL REFERENCES string (id), -- '~' and line 0: built in
    line        INTEGER,                   -- of its definition
    name_id     INTEGER NOT NULL REFERENCES string (id),
    file_bytes  BLOB                       -- the file's name where it is no UTF-8
) STRICT;

-- What each took, in the order of the recording: pstats lists them so.
CREATE TABLE function_stat (
    id          INTEGER PRIMARY KEY,
    function_id INTEGER NOT NULL REFERENCES function (id),
    calls       INTEGER,                   -- pstats nc; NULL: a line profile does not tell
    primitive_calls INTEGER,               -- pstats cc: not within a call of itself; NULL likewise
    self_ns     INTEGER,                   -- pstats tottime, rounded; NULL: no number
    total_ns    INTEGER,                   -- pstats cumtime
    self_s      REAL,                      -- the same as recorded; -4.9e-324 is -0.0, which SQLite has not
    total_s     REAL,
    calls_text  TEXT,                      -- all digits, of counts beyond 64 bits
    primitive_calls_text TEXT
) STRICT;

-- What the calls of a function from one caller took, callee after callee.
CREATE TABLE call_edge (
    id          INTEGER PRIMARY KEY,
    callee_id   INTEGER NOT NULL REFERENCES function (id),
    caller_id   INTEGER NOT NULL REFERENCES function (id), -- may have no function_stat
    calls       INTEGER NOT NULL,
    primitive_calls INTEGER,               -- NULL: the producer (profile) counts calls alone
    self_ns     INTEGER,                   -- of the callee, when called from there
    total_ns    INTEGER,
    self_s      REAL,
    total_s     REAL,
    calls_text  TEXT,
    primitive_calls_text TEXT
) STRICT;

-- Lines of functions, as line_profiler and memory_profiler report them: `ptool lines`.
CREATE TABLE line_stat (
    id          INTEGER PRIMARY KEY,
    function_id INTEGER NOT NULL REFERENCES function (id),
    block       INTEGER NOT NULL,          -- which table of that function in the report, from 1
    line        INTEGER NOT NULL,
    hits        INTEGER,                   -- times it ran; NULL: not recorded
    self_ns     INTEGER,                   -- time of the line, with what it called
    memory_bytes INTEGER,                  -- largest memory of the process behind the line
    increment_bytes INTEGER,               -- what the line added to it, below 0: freed
    text_id     INTEGER REFERENCES string (id) -- the source, where the report has it
) STRICT;

-- Sampled stacks: one measure of a file.  Those of one unit, measure and mode may be added up.
CREATE TABLE sample_series (
    id          INTEGER PRIMARY KEY,
    profile_id  INTEGER NOT NULL REFERENCES profile (id),
    name        TEXT,                      -- as the file calls it: 'Thread 7 "MainThread"'
    measure     TEXT,                      -- what tells several of one unit apart: 'alloc_space'
    mode        TEXT,                      -- 'wall', 'cpu', 'gil', 'allocation', where the file tells
    unit        TEXT NOT NULL,             -- of all weights: 'ns', 'bytes', 'count'
    decimals    INTEGER NOT NULL,          -- of 'count': weights are in units of 10^-decimals; else 0
    is_default  INTEGER NOT NULL,          -- 1: the file wants it to be shown first
    is_evented  INTEGER NOT NULL,          -- 1: from events that open and close frames
    is_rounded  INTEGER NOT NULL,          -- 1: the producer rounded the weights
    start_at    INTEGER,                   -- where the file says that it begins and ends, in its unit
    end_at      INTEGER,
    samples     INTEGER,                   -- of all; NULL: they were not counted
    weight      INTEGER NOT NULL,          -- of all
    first_node_id INTEGER NOT NULL,        -- the nodes of its profile are first_node_id to
    nodes       INTEGER NOT NULL,          --   first_node_id + nodes - 1
    first_sum_id INTEGER NOT NULL,         -- its sample_sums likewise
    sums        INTEGER NOT NULL,
    first_sample_id INTEGER NOT NULL,      -- its sample_rows are among these
    sample_rows INTEGER NOT NULL
) STRICT;
CREATE INDEX sample_series_profile ON sample_series (profile_id);

-- Who was sampled, where the file tells.
CREATE TABLE sample_thread (
    id          INTEGER PRIMARY KEY,
    profile_id  INTEGER NOT NULL REFERENCES profile (id),
    pid         INTEGER,
    process     TEXT,
    tid         INTEGER,
    name        TEXT
) STRICT;

-- The stacks as a tree: a node is a stack whose innermost frame it is.
CREATE TABLE sample_node (
    id          INTEGER PRIMARY KEY,       -- larger than that of its caller
    profile_id  INTEGER NOT NULL REFERENCES profile (id),
    caller_id   INTEGER REFERENCES sample_node (id), -- NULL: the outermost frame
    function_id INTEGER NOT NULL REFERENCES function (id),
    line        INTEGER                    -- that ran, where it is known
) STRICT;

-- What was sampled, summed: each series, thread and stack once.
CREATE TABLE sample_sum (
    id          INTEGER PRIMARY KEY,
    series_id   INTEGER NOT NULL REFERENCES sample_series (id),
    thread_id   INTEGER REFERENCES sample_thread (id),
    node_id     INTEGER REFERENCES sample_node (id), -- NULL: an empty stack
    samples     INTEGER,
    weight      INTEGER NOT NULL
) STRICT;

-- The samples one by one, where the file has them in an order.
CREATE TABLE sample_row (
    id          INTEGER PRIMARY KEY,       -- in that order
    series_id   INTEGER NOT NULL REFERENCES sample_series (id),
    thread_id   INTEGER REFERENCES sample_thread (id),
    ts          INTEGER,                   -- as slice_row's; NULL: the file has no times
    node_id     INTEGER REFERENCES sample_node (id),
    weight      INTEGER NOT NULL
) STRICT;

-- What was repaired, skipped or not used: `ptool doctor`.
CREATE TABLE finding (
    id          INTEGER PRIMARY KEY,
    profile_id  INTEGER NOT NULL REFERENCES profile (id),
    code        TEXT NOT NULL,             -- stable, for scripts
    detail      TEXT NOT NULL,             -- tells kinds of one code apart; ''
    severity    TEXT NOT NULL,             -- 'info', 'warning', 'error'
    count       INTEGER NOT NULL,
    first_offset INTEGER NOT NULL,         -- byte of the first one in the decompressed input
    excerpt     TEXT NOT NULL,             -- of the first one
    time_ns     INTEGER,                   -- time of the events concerned, where that says something
    share_pct   REAL                       -- of what ptool-findings(7) says for the code
) STRICT;

-- The operator table, summed: what `ptool top` reads.  Three grains, each of which
-- adds up to the same totals: grain 0 has a row for each (profile, kind, annotation or
-- not, name) with step_id NULL; grain 1 for each of those and (shapes, stack,
-- overload), step_id NULL too; grain 2 for each (profile, step, kind, annotation or
-- not, name), where step_id NULL means outside every step.  The store of a baseline has
-- grain 3 in place of 2: the same for all steps together, without what is outside them.
CREATE TABLE op_stat (
    id          INTEGER PRIMARY KEY,
    profile_id  INTEGER NOT NULL REFERENCES profile (id),
    grain       INTEGER NOT NULL,
    step_id     INTEGER REFERENCES step (id), -- grain 2 only
    kind        INTEGER NOT NULL,          -- 0 host, 1 device work, 2 device annotation, 3 Python frame, 4 memory outside every operator
    name_id     INTEGER NOT NULL REFERENCES string (id), -- as torch's table spells it
    is_annotation INTEGER NOT NULL,
    shapes_id   INTEGER REFERENCES string (id),
    stack_id    INTEGER REFERENCES string (id),
    overload_id INTEGER REFERENCES string (id),
    first_ts    INTEGER NOT NULL,          -- rows in the order (first_ts, -first_dur, first_order)
    first_dur   INTEGER NOT NULL,          --   are in the order torch lists them unsorted
    first_order INTEGER NOT NULL,
    is_async    INTEGER NOT NULL,          -- of the first call: outside the tree, no self time
    is_top_level INTEGER NOT NULL,         -- of the first call: it has no parent
    calls       INTEGER NOT NULL,
    primitive_calls INTEGER NOT NULL,      -- not inside a call of the same name
    self_ns     INTEGER NOT NULL,
    total_ns    INTEGER NOT NULL,
    min_ns      INTEGER NOT NULL,
    max_ns      INTEGER NOT NULL,
    squares0    INTEGER NOT NULL,          -- the sum of the squares of durations is squares0 +
    squares1    INTEGER NOT NULL,          --   squares1 * 2^32 + squares2 * 2^64 + squares3 * 2^96,
    squares2    INTEGER NOT NULL,          --   each from 0 to 2^32 - 1, so that sums over rows
    squares3    INTEGER NOT NULL,          --   are exact without a carry
    histogram   BLOB,                      -- of durations, grain 1 only: ptool-store(5), HISTOGRAMS
    self_device_ns INTEGER NOT NULL,
    total_device_ns INTEGER NOT NULL,
    cpu_mem_bytes INTEGER NOT NULL,
    self_cpu_mem_bytes INTEGER NOT NULL,
    device_mem_bytes INTEGER NOT NULL,
    self_device_mem_bytes INTEGER NOT NULL,
    flops       INTEGER                    -- NULL: no call has a formula
) STRICT;

-- Reading one grain of one profile must not cost the others.
CREATE INDEX op_stat_grain ON op_stat (profile_id, grain);

-- Each label of record_function: what `ptool top --by annotation` reads.
CREATE TABLE annotation_stat (
    id          INTEGER PRIMARY KEY,
    profile_id  INTEGER NOT NULL REFERENCES profile (id),
    step_id     INTEGER REFERENCES step (id),
    name_id     INTEGER NOT NULL REFERENCES string (id),
    first_ts    INTEGER NOT NULL,
    calls       INTEGER NOT NULL,
    host_ns     INTEGER NOT NULL,
    device_ns   INTEGER NOT NULL,          -- device work launched inside it, on its thread
    device_span_ns INTEGER NOT NULL,       -- first start to last end of that work, each device apart
    launches    INTEGER NOT NULL           -- pieces of device work
) STRICT;
CREATE INDEX annotation_stat_profile ON annotation_stat (profile_id);

-- Which profiles have rows of their own in the tables *_part, where questions about whole
-- profiles find what else must be summed up from slices: ptool-store(5), SUMMARIES.
CREATE TABLE summary (
    id          INTEGER PRIMARY KEY,
    profile_id  INTEGER NOT NULL REFERENCES profile (id),
    part        TEXT NOT NULL,             -- name of the table: 'step_part'
    first_row_id INTEGER NOT NULL,         -- its rows are first_row_id to
    row_count   INTEGER NOT NULL,          --   first_row_id + row_count - 1, in the order of the view
    rules       INTEGER NOT NULL           -- by which they were made: src/base/part_rows.h
) STRICT;

-- Steps: what `ptool steps` reads.  One row for each (profile, device, step), in that order;
-- of the columns before compute_ns each device has the same.
CREATE TABLE step_part (
    id          INTEGER PRIMARY KEY,
    profile_id  INTEGER NOT NULL REFERENCES profile (id),
    device      INTEGER,                   -- NULL: none, or one without a number
    device_name_id INTEGER REFERENCES string (id), -- what it is called then
    step        INTEGER NOT NULL,          -- its number
    origin      INTEGER NOT NULL,          -- 0 recorded, 1 the whole file is the step, 2 none was recorded: all of it
    ts          INTEGER NOT NULL,          -- its window [ts, ts + dur), as of step
    dur         INTEGER NOT NULL,
    host_ts     INTEGER NOT NULL,          -- host range [host_ts, host_ts + host_dur)
    host_dur    INTEGER NOT NULL,
    device_events INTEGER NOT NULL,        -- pieces of device work that ran in it, on all devices
    launches    INTEGER NOT NULL,          -- of the profile, where it has no device work: calls that launched some
    kernel_ns   INTEGER NOT NULL,          -- these eight add up to dur
    memcpy_ns   INTEGER NOT NULL,
    memset_ns   INTEGER NOT NULL,
    communication_ns INTEGER NOT NULL,
    runtime_ns  INTEGER NOT NULL,
    dataloader_ns INTEGER NOT NULL,
    cpu_exec_ns INTEGER NOT NULL,
    other_ns    INTEGER NOT NULL,
    data_loading_ns INTEGER NOT NULL,      -- phases of the host: these six add up to host_dur
    host_to_device_ns INTEGER NOT NULL,
    optimizer_ns INTEGER NOT NULL,
    backward_ns INTEGER NOT NULL,
    forward_ns  INTEGER NOT NULL,
    no_phase_ns INTEGER NOT NULL,
    gpu_data_loading_ns INTEGER NOT NULL,  -- device work that each of them launched, of all devices
    gpu_host_to_device_ns INTEGER NOT NULL,
    gpu_optimizer_ns INTEGER NOT NULL,
    gpu_backward_ns INTEGER NOT NULL,
    gpu_forward_ns INTEGER NOT NULL,
    gpu_no_phase_ns INTEGER NOT NULL,
    data_loading_from_id INTEGER REFERENCES string (id), -- what tells the phase; NULL: nothing does
    host_to_device_from_id INTEGER REFERENCES string (id),
    optimizer_from_id INTEGER REFERENCES string (id),
    backward_from_id INTEGER REFERENCES string (id),
    forward_from_id INTEGER REFERENCES string (id),
    grew_slice_id INTEGER REFERENCES string (id), -- of a long step: what the host did more
    grew_slice_ns INTEGER,                 -- its self time above the mean of the other steps
    grew_unrecorded_ns INTEGER,            -- time more that is in no slice; NULL: nobody looked
    compute_ns  INTEGER NOT NULL,          -- the device: these three are its busy time in the step
    exposed_comm_ns INTEGER NOT NULL,
    exposed_copy_ns INTEGER NOT NULL
) STRICT;

-- Idle time of devices: what `ptool gaps` reads.  First a row of level 0 for each device; then,
-- for each way to group idle time, rows of level 1 for each (device, group), and behind them of
-- level 2 for each (device, group, cause).  Nothing is charged to other ranks here: what may be
-- theirs is in gap_wait_part.
CREATE TABLE gap_part (
    id          INTEGER PRIMARY KEY,
    profile_id  INTEGER NOT NULL REFERENCES profile (id),
    device      INTEGER,                   -- NULL: it has no number
    device_name_id INTEGER REFERENCES string (id), -- what it is called then
    level       INTEGER NOT NULL,
    grouping    TEXT,                      -- 'cause', 'step', 'stream', 'annotation', 'op', 'frame'; NULL: level 0
    place       INTEGER,                   -- of a step or stream: its place among the profile's; NULL: none
    number      INTEGER,                   -- of that step or stream
    key_id      INTEGER REFERENCES string (id), -- the operator, frame or annotation; a stream without a number
    cause       TEXT,                      -- of level 2, and where they are the groups
    idle_ns     INTEGER NOT NULL,
    gaps        INTEGER,                   -- of level 0 and 1: in how many
    longest_ns  INTEGER,                   -- of level 1: the most of it in one gap
    stepped_ns  INTEGER,                   -- of level 0 and 1: of idle_ns, in steps
    long_ns     INTEGER,                   -- where causes are the groups, of level 1: of idle_ns, in gaps in which it is 1 ms or more
    blamed_id   INTEGER REFERENCES string (id), -- of level 2: what is charged with most of it,
    blamed_ns   INTEGER,                   --   and with how much
    span_ns     INTEGER,                   -- of level 0: what idle_ns is a part of
    outside_ns  INTEGER,                   -- of level 0: idle between its first and last work, but in no step
    steps       INTEGER,                   -- of level 0: steps in which something counts
    is_merged   INTEGER                    -- of level 0: 1: there are too many steps to tell apart
) STRICT;

-- Idle time while the host was in a collective, one stretch after the other: what becomes
-- 'late_rank' as far as other ranks came to the collective later.
CREATE TABLE gap_wait_part (
    id          INTEGER PRIMARY KEY,
    profile_id  INTEGER NOT NULL REFERENCES profile (id),
    device_place INTEGER NOT NULL,         -- of its row of level 0 among those of the profile
    gap         INTEGER NOT NULL,          -- which gap, counted from 0 over all of the profile
    ts          INTEGER NOT NULL,          -- [ts, ts + dur)
    dur         INTEGER NOT NULL,
    step_place  INTEGER,                   -- as gap_part.place
    stream_place INTEGER,
    op_id       INTEGER REFERENCES string (id),
    frame_id    INTEGER REFERENCES string (id),
    annotation_id INTEGER REFERENCES string (id),
    blamed_id   INTEGER REFERENCES string (id)
) STRICT;

-- Collectives as ranks are compared by them: the nth of a group is the same on all ranks.
CREATE TABLE gap_call_part (
    id          INTEGER PRIMARY KEY,
    profile_id  INTEGER NOT NULL REFERENCES profile (id),
    members_id  INTEGER REFERENCES string (id), -- name and ranks of the process group
    on_device   INTEGER NOT NULL,          -- 1: the kernel, 0: the call on the host
    name_id     INTEGER REFERENCES string (id), -- of the collective
    ts          INTEGER NOT NULL,
    dur         INTEGER NOT NULL
) STRICT;

-- Devices: what `ptool devices` reads, a row for each that did work.
CREATE TABLE device_part (
    id          INTEGER PRIMARY KEY,
    profile_id  INTEGER NOT NULL REFERENCES profile (id),
    device      INTEGER,                   -- NULL: it has no number
    device_name_id INTEGER REFERENCES string (id), -- what it is called then
    span_ns     INTEGER NOT NULL,          -- from the first to the last work
    busy_ns     INTEGER NOT NULL,          -- of that, with any work
    idle_ns     INTEGER NOT NULL,
    compute_ns  INTEGER NOT NULL,
    communication_ns INTEGER NOT NULL,
    memory_ns   INTEGER NOT NULL,          -- copies and sets
    overlap_ns  INTEGER NOT NULL,          -- communication and computation at once
    exposed_comm_ns INTEGER NOT NULL,
    exposed_copy_ns INTEGER NOT NULL,
    events      INTEGER NOT NULL,          -- pieces of work
    start_ns    INTEGER NOT NULL,
    edge_ns     INTEGER,                   -- of the recording outside the span
    steps_ns    INTEGER NOT NULL,          -- all steps; what several share counts once
    busy_in_steps_ns INTEGER NOT NULL,
    kernel_ns   INTEGER NOT NULL,          -- sum of the durations of kernels
    tensor_core_ns INTEGER NOT NULL,       -- of that, by names that say Tensor Cores
    tensor_core_unknown_ns INTEGER NOT NULL, -- of that, by names that do not say
    window_start_ns INTEGER,               -- the TensorBoard plugin's window; NULL: there is none
    window_ns   INTEGER,
    utilization_tensorboard_pct REAL,      -- figures in that window; NULL: not known
    sm_efficiency_pct REAL,
    occupancy_pct REAL,
    name_id     INTEGER REFERENCES string (id), -- as the recording describes it
    memory_bytes INTEGER,
    compute_capability_id INTEGER REFERENCES string (id),
    sms         INTEGER
) STRICT;

-- Streams: what `ptool streams` reads, a row for each that did work.
CREATE TABLE stream_part (
    id          INTEGER PRIMARY KEY,
    profile_id  INTEGER NOT NULL REFERENCES profile (id),
    device      INTEGER,                   -- NULL: it has no number
    device_name_id INTEGER REFERENCES string (id), -- what it is called then
    stream      INTEGER,                   -- NULL: it has no number
    stream_name_id INTEGER REFERENCES string (id), -- what it is called then
    events      INTEGER NOT NULL,          -- pieces of work
    kernels     INTEGER NOT NULL,          -- those that neither copy nor set memory
    span_ns     INTEGER NOT NULL,          -- as in device_part, and below
    busy_ns     INTEGER NOT NULL,
    idle_ns     INTEGER NOT NULL,
    compute_ns  INTEGER NOT NULL,
    communication_ns INTEGER NOT NULL,
    memory_ns   INTEGER NOT NULL,
    overlap_ns  INTEGER NOT NULL,
    exposed_comm_ns INTEGER NOT NULL,
    exposed_copy_ns INTEGER NOT NULL,
    sum_ns      INTEGER NOT NULL,          -- sum of all durations
    start_ns    INTEGER NOT NULL,
    launched    INTEGER NOT NULL,          -- pieces of work whose launch is recorded
    queue_max   INTEGER,                   -- the longest queue; NULL: no launch is
    queue_wait_ns INTEGER,                 -- time that all pieces waited, added up
    queue_ns    INTEGER,                   -- from the first launch to the last start of work
    curve       INTEGER NOT NULL           -- the profile's time of work in 16 cells of 4 bits, the first in the lowest: eighths of it in which the stream was busy
) STRICT;

-- What the time of a rank's steps went to, in time: what `ptool ranks` reads.  A row for each
-- kind of time in each stretch; stretches begin and end where collectives and steps do.
CREATE TABLE rank_part (
    id          INTEGER PRIMARY KEY,
    profile_id  INTEGER NOT NULL REFERENCES profile (id),
    step        INTEGER,                   -- its number; NULL: none
    step_ts     INTEGER NOT NULL,          -- when it begins on the host
    ts          INTEGER NOT NULL,          -- the stretch
    dur         INTEGER NOT NULL,
    ns          INTEGER NOT NULL,          -- of this kind
    what_id     INTEGER NOT NULL REFERENCES string (id), -- 'compute', 'copy', 'collective' when nothing else ran; else the cause of idle time: ptool-gaps(1)
    place       INTEGER                    -- of a collective that is all of the stretch: slice_row.id less profile.first_slice_id
) STRICT;

-- What captured the kernels of replayed graphs.  First the paths of calls, then sequences of
-- kernels as graphs run them, each kernel with the path of its launch.
CREATE TABLE graph_name_part (
    id          INTEGER PRIMARY KEY,
    profile_id  INTEGER NOT NULL REFERENCES profile (id),
    sequence    INTEGER NOT NULL,          -- 0: a call of a path; else the number of a sequence
    place       INTEGER NOT NULL,          -- the call's number, from 1; the kernel's place in its sequence, from 0
    path        INTEGER NOT NULL,          -- the call around it, of a smaller number, or the innermost one around the launch; 0: none is known
    class       INTEGER,                   -- of a call: slice_class.id
    name_id     INTEGER REFERENCES string (id)
) STRICT;

-- Device work by name: what `ptool kernels` reads.  One row for each (profile, stream, name,
-- class, blocks_per_sm, occupancy_pct).
CREATE TABLE kernel_part (
    id          INTEGER PRIMARY KEY,
    profile_id  INTEGER NOT NULL REFERENCES profile (id),
    device      INTEGER,                   -- NULL: one without a number
    stream      INTEGER,                   -- likewise
    class       INTEGER NOT NULL REFERENCES slice_class (id),
    name_id     INTEGER REFERENCES string (id),
    blocks_per_sm REAL,                    -- NULL: not recorded
    occupancy_pct REAL,                    -- likewise, and where 0 stands for that
    calls       INTEGER NOT NULL,
    total_ns    INTEGER NOT NULL,
    min_ns      INTEGER NOT NULL,
    max_ns      INTEGER NOT NULL,
    durations   BLOB NOT NULL              -- each in ns with its calls: ptool-store(5), HISTOGRAMS
) STRICT;

-- Copies and sets of memory: what `ptool transfers` reads.  Each grain has all of them: 0 a
-- row for each (profile, device), 1 for each of those and (kind, memory), 2 for each of
-- those and op, 3 for each of those of grain 1 and step; in the order of the command.
CREATE TABLE transfer_part (
    id          INTEGER PRIMARY KEY,
    profile_id  INTEGER NOT NULL REFERENCES profile (id),
    grain       INTEGER NOT NULL,
    device      INTEGER,                   -- NULL: one without a number
    device_name_id INTEGER REFERENCES string (id), -- what it is called then
    kind_id     INTEGER REFERENCES string (id), -- 'HtoD', ..., 'copy', 'memset'
    memory_id   INTEGER REFERENCES string (id), -- 'pageable', 'pinned', 'managed'; NULL: not recorded
    op_id       INTEGER REFERENCES string (id), -- operator that launched them; NULL: none
    step        INTEGER,                   -- its number; NULL: none
    calls       INTEGER NOT NULL,
    total_ns    INTEGER NOT NULL,
    busy_ns     INTEGER NOT NULL,          -- time with any of them
    exposed_ns  INTEGER NOT NULL,          -- and without computation
    bytes       INTEGER,                   -- of those that tell; NULL: none does
    sized_ns    INTEGER NOT NULL,          -- time of those that tell
    blocking_calls INTEGER                 -- the host waited for them; NULL: no launch is recorded
) STRICT;

-- Memory of devices: what `ptool memory` reads, and what was live at their peaks.  Each
-- device has a row of grain 0, and behind it those of grain 1 by operator, 2 by size and 3
-- by step of the allocation, in the order of the command, as far as that is known.
CREATE TABLE memory_part (
    id          INTEGER PRIMARY KEY,
    profile_id  INTEGER NOT NULL REFERENCES profile (id),
    grain       INTEGER NOT NULL,
    device_type INTEGER NOT NULL,          -- as in allocation
    device      INTEGER,                   -- index; -1 for the CPU; NULL: none was recorded
    op_id       INTEGER REFERENCES string (id), -- of grain 1: the operator, or the category of a memory timeline
    from_bytes  INTEGER,                   -- of grain 2: the smallest size, a power of two
    step        INTEGER,                   -- number; of grain 0 that of the peak, of grain 3 that of the allocations; NULL: none
    bytes       INTEGER,                   -- of grain 0 the peak of allocated memory; else of the blocks
    blocks      INTEGER,                   -- of grain 1 to 3; NULL: not known
    at_ns       INTEGER,                   -- of grain 0, as all below: when that was
    reserved_bytes INTEGER,                -- peak of reserved memory; NULL: not recorded
    reserved_at_ns INTEGER,
    unused_bytes INTEGER,                  -- peak of reserved less allocated; NULL: not recorded
    unused_at_ns INTEGER,
    base_bytes  INTEGER,                   -- allocated before the recording
    older_bytes INTEGER,                   --   and not freed at the peak
    end_bytes   INTEGER,                   -- allocated at the end
    events      INTEGER,
    allocations INTEGER,
    frees       INTEGER,
    out_of_memory INTEGER,                 -- failed allocations
    mismatches  INTEGER,                   -- totals that do not follow from the event before
    has_totals  INTEGER,                   -- 1: totals were recorded
    has_addresses INTEGER,                 -- 1: addresses were
    curve       INTEGER                    -- the profile's time in 16 cells of 4 bits, the first in the lowest: the highest level in each, from 0 to 7
) STRICT;

-- Collectives one by one: what `ptool comm` reads, with --ranks, too.  By (profile, device,
-- ts, stream, slice), those of the host behind those of devices.
CREATE TABLE comm_part (
    id          INTEGER PRIMARY KEY,
    profile_id  INTEGER NOT NULL REFERENCES profile (id),
    device      INTEGER,                   -- NULL: the host, or a device without a number
    device_name_id INTEGER REFERENCES string (id), -- what it is called then
    stream      INTEGER,
    side_id     INTEGER NOT NULL REFERENCES string (id), -- 'device', 'host', 'launch' where only that was recorded
    ts          INTEGER NOT NULL,
    dur         INTEGER NOT NULL,
    step        INTEGER,                   -- number; NULL: none
    collective_id INTEGER REFERENCES string (id), -- 'all_reduce', ..., or as it is spelled
    dtype_id    INTEGER REFERENCES string (id),
    group_id    INTEGER REFERENCES string (id),
    group_ranks_id INTEGER REFERENCES string (id),
    group_size  INTEGER,
    sequence    INTEGER,                   -- number in the group
    bytes       INTEGER,                   -- size of the message: ptool-comm(1)
    algorithm_id INTEGER REFERENCES string (id),
    protocol_id INTEGER REFERENCES string (id),
    name_id     INTEGER REFERENCES string (id), -- of the kernel or range
    place       INTEGER NOT NULL,          -- slice_row.id less profile.first_slice_id
    compute     BLOB                       -- when computation ran beside it, packed: ptool-store(5)
) STRICT;

-- Slices with their texts; the first columns are those of Perfetto's table.
CREATE VIEW slice AS
SELECT s.id AS id, s.ts AS ts, s.dur AS dur, s.track_id AS track_id, c.text AS category,
       n.text AS name, s.depth AS depth, s.parent_id AS parent_id, s.self_ns AS self_ns,
       k.name AS class, t.profile_id AS profile_id, st.number AS step,
       s.correlation AS correlation, s.external_id AS external_id,
       s.launch_id AS launch_id, s.op_id AS op_id, s.sequence AS sequence,
       coalesce(s.flags & 1, 0) AS is_instant, coalesce(s.flags & 2, 0) / 2 AS is_unfinished,
       coalesce(s.flags & 4, 0) / 4 AS is_set_apart
FROM slice_row s
JOIN string n ON n.id = s.name_id
JOIN track t ON t.id = s.track_id
JOIN slice_class k ON k.id = s.class
LEFT JOIN string c ON c.id = s.category_id
LEFT JOIN step st ON st.id = s.step_id;

-- Tracks of CPU threads, as in Perfetto.
CREATE VIEW thread_track AS
SELECT id, name, utid, profile_id FROM track WHERE kind = 'thread';

-- The operator table of each profile.
CREATE VIEW v_op AS
SELECT o.profile_id AS profile_id, n.text AS name, o.is_annotation AS is_user_annotation,
       sum(o.calls) AS calls, sum(o.self_ns) AS self_cpu_ns, sum(o.total_ns) AS total_cpu_ns,
       sum(o.self_device_ns) AS self_device_ns, sum(o.total_device_ns) AS total_device_ns,
       sum(o.cpu_mem_bytes) AS cpu_mem_bytes, sum(o.self_cpu_mem_bytes) AS self_cpu_mem_bytes,
       sum(o.device_mem_bytes) AS device_mem_bytes,
       sum(o.self_device_mem_bytes) AS self_device_mem_bytes
FROM op_stat o JOIN string n ON n.id = o.name_id
WHERE o.grain = 0 AND o.kind = 0
GROUP BY o.profile_id, o.name_id, o.is_annotation;

-- Device work by name.
CREATE VIEW v_kernel AS
SELECT o.profile_id AS profile_id, n.text AS name, sum(o.calls) AS calls,
       sum(o.self_device_ns) AS total_ns, min(o.min_ns) AS min_ns, max(o.max_ns) AS max_ns
FROM op_stat o JOIN string n ON n.id = o.name_id
WHERE o.grain = 0 AND o.kind = 1
GROUP BY o.profile_id, o.name_id;

-- Steps: window, the device time launched in it, host range, and what its annotation says.
CREATE VIEW v_step AS
SELECT st.profile_id AS profile_id, st.number AS step, st.ts AS start_ns, st.dur AS total_ns,
       d.device_ns AS device_ns, st.host_ts AS host_start_ns, st.host_dur AS host_ns,
       st.source AS source, st.phase AS phase, st.requests AS requests, st.tokens AS tokens,
       st.context_tokens AS context_tokens
FROM step st
LEFT JOIN (SELECT step_id, sum(self_device_ns) AS device_ns FROM op_stat
           WHERE grain = 2 AND kind = 1 GROUP BY step_id) d ON d.step_id = st.id;

-- Functions of call graphs with their texts.
CREATE VIEW v_function AS
SELECT f.profile_id AS profile_id, file.text AS file, f.line AS line, name.text AS function,
       s.calls AS calls, s.primitive_calls AS primitive_calls, s.self_ns AS self_ns,
       s.total_ns AS total_ns
FROM function_stat s
JOIN function f ON f.id = s.function_id
JOIN string file ON file.id = f.file_id
JOIN string name ON name.id = f.name_id;

-- Lines of line profiles with their texts.
CREATE VIEW v_line AS
SELECT f.profile_id AS profile_id, file.text AS file, f.line AS function_line,
       name.text AS function, l.block AS block, l.line AS line, l.hits AS hits,
       l.self_ns AS self_ns, l.memory_bytes AS memory_bytes,
       l.increment_bytes AS increment_bytes, source.text AS source
FROM line_stat l
JOIN function f ON f.id = l.function_id
JOIN string file ON file.id = f.file_id
JOIN string name ON name.id = f.name_id
LEFT JOIN string source ON source.id = l.text_id;

-- Sampled stacks by their innermost function.
CREATE VIEW v_sample AS
SELECT r.profile_id AS profile_id, s.series_id AS series_id, r.name AS series, r.mode AS mode,
       r.unit AS unit, t.name AS thread, s.node_id AS node_id, file.text AS file,
       name.text AS function, n.line AS line, s.samples AS samples,
       CASE r.decimals WHEN 0 THEN s.weight ELSE s.weight / CAST('1e' || r.decimals AS REAL) END AS weight
FROM sample_sum s
JOIN sample_series r ON r.id = s.series_id
LEFT JOIN sample_thread t ON t.id = s.thread_id
LEFT JOIN sample_node n ON n.id = s.node_id
LEFT JOIN function f ON f.id = n.function_id
LEFT JOIN string file ON file.id = f.file_id
LEFT JOIN string name ON name.id = f.name_id;

-- Each stack as a text, the outermost frame first.  Of one of more than 512 frames those in
-- the middle are left out, else n calls within each other had n * n names: it is its first
-- 503 (head) and its last 8 (i1 to i8); tail is what frames 504 to 512 add.
CREATE VIEW v_stack AS
WITH RECURSIVE stack (node_id, depth, head, tail, i1, i2, i3, i4, i5, i6, i7, i8) AS (
    SELECT n.id, 1, substr(name.text, 1, 4096), '', '', '', '', '', '', '', '',
           substr(name.text, 1, 4096)
    FROM sample_node n
    JOIN function f ON f.id = n.function_id JOIN string name ON name.id = f.name_id
    WHERE n.caller_id IS NULL
    UNION ALL
    SELECT n.id, s.depth + 1,
           CASE WHEN s.depth < 503 THEN s.head || ';' || substr(name.text, 1, 4096) ELSE s.head END,
           CASE WHEN s.depth BETWEEN 503 AND 511 THEN s.tail || ';' || substr(name.text, 1, 4096)
                ELSE '' END,
           s.i2, s.i3, s.i4, s.i5, s.i6, s.i7, s.i8, substr(name.text, 1, 4096)
    FROM stack s
    JOIN sample_node n ON n.caller_id = s.node_id
    JOIN function f ON f.id = n.function_id JOIN string name ON name.id = f.name_id)
SELECT node_id, depth,
       head || CASE WHEN depth <= 512 THEN tail
                    ELSE ';[frames left out];' || i1 || ';' || i2 || ';' || i3 || ';' || i4 || ';'
                         || i5 || ';' || i6 || ';' || i7 || ';' || i8 END AS stack
FROM stack;

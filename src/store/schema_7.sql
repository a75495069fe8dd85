-- The schema of format 7, which ptool 0.2.0 wrote: what ptool migrate takes (lift.c).
-- No comments: ptool-store(5) of that version explains it.
CREATE TABLE run (
    id          INTEGER PRIMARY KEY,
    name        TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE profile (
    id              INTEGER PRIMARY KEY,
    run_id          INTEGER NOT NULL REFERENCES run (id),
    path            TEXT NOT NULL,
    mtime_ns        INTEGER,
    format          TEXT NOT NULL,
    dialect         TEXT,
    rank            INTEGER,
    rank_source     TEXT,
    worker          TEXT,
    stamp           INTEGER,
    span            INTEGER,
    world_size      INTEGER,
    host            TEXT,
    base_ns         INTEGER,
    start_ns        INTEGER NOT NULL,
    dur_ns          INTEGER NOT NULL,
    window_end_ns   INTEGER,
    span_end_ns     INTEGER,
    bytes           INTEGER NOT NULL,
    first_slice_id  INTEGER NOT NULL,
    slices          INTEGER NOT NULL,
    first_op_detail_id INTEGER NOT NULL,
    op_details      INTEGER NOT NULL,
    has_memory      INTEGER NOT NULL,
    has_shapes      INTEGER NOT NULL,
    has_stacks      INTEGER NOT NULL,
    has_flops       INTEGER NOT NULL,
    all_slices          INTEGER NOT NULL,
    split_annotations   INTEGER NOT NULL,
    float_memory_window INTEGER NOT NULL,
    python_in_tree      INTEGER NOT NULL,
    keep_unfinished     INTEGER NOT NULL,
    annotation_fudge_ns INTEGER NOT NULL,
    metadata        TEXT NOT NULL
) STRICT;
CREATE TABLE string (
    id          INTEGER PRIMARY KEY,
    text        TEXT NOT NULL
) STRICT;
CREATE TABLE slice_class (
    id          INTEGER PRIMARY KEY,
    name        TEXT NOT NULL,
    is_device_work INTEGER NOT NULL
) STRICT;
CREATE TABLE process (
    upid        INTEGER PRIMARY KEY,
    profile_id  INTEGER NOT NULL REFERENCES profile (id),
    pid         INTEGER,
    pid_text    TEXT,
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
    is_main_thread INTEGER NOT NULL,
    sort_index  INTEGER
) STRICT;
CREATE TABLE track (
    id          INTEGER PRIMARY KEY,
    profile_id  INTEGER NOT NULL REFERENCES profile (id),
    kind        TEXT NOT NULL,
    upid        INTEGER REFERENCES process (upid),
    utid        INTEGER REFERENCES thread (utid),
    tid         INTEGER,
    name        TEXT,
    first_slice_id INTEGER,
    slices      INTEGER NOT NULL
) STRICT;
CREATE INDEX track_profile ON track (profile_id);
CREATE TABLE op_detail (
    id          INTEGER PRIMARY KEY,
    shapes_id   INTEGER REFERENCES string (id),
    stack_id    INTEGER REFERENCES string (id),
    module_id   INTEGER REFERENCES string (id),
    flops       INTEGER,
    fwd_thread  INTEGER,
    is_backward INTEGER NOT NULL
) STRICT;
CREATE TABLE step (
    id          INTEGER PRIMARY KEY,
    profile_id  INTEGER NOT NULL REFERENCES profile (id),
    number      INTEGER NOT NULL,
    slice_id    INTEGER REFERENCES slice_row (id),
    ts          INTEGER NOT NULL,
    dur         INTEGER NOT NULL
) STRICT;
CREATE INDEX step_profile ON step (profile_id);
CREATE TABLE slice_row (
    id          INTEGER PRIMARY KEY,
    track_id    INTEGER NOT NULL REFERENCES track (id),
    ts          INTEGER NOT NULL,
    dur         INTEGER NOT NULL,
    name_id     INTEGER NOT NULL REFERENCES string (id),
    category_id INTEGER REFERENCES string (id),
    class       INTEGER NOT NULL REFERENCES slice_class (id),
    flags       INTEGER,
    depth       INTEGER NOT NULL,
    parent_id   INTEGER REFERENCES slice_row (id),
    self_ns     INTEGER NOT NULL,
    step_id     INTEGER REFERENCES step (id),
    correlation INTEGER,
    external_id INTEGER,
    launch_id   INTEGER REFERENCES slice_row (id),
    op_id       INTEGER REFERENCES slice_row (id),
    op_detail_id INTEGER REFERENCES op_detail (id),
    sequence    INTEGER
) STRICT;
CREATE TABLE slice_pack (
    id          INTEGER PRIMARY KEY,
    slices      INTEGER NOT NULL,
    ts          BLOB NOT NULL,
    dur         BLOB,
    name_id     BLOB,
    class       BLOB,
    marks       BLOB,
    step_id     BLOB,
    launch_id   BLOB,
    op_id       BLOB,
    op_detail_id BLOB
) STRICT;
CREATE TABLE quarantine (
    id          INTEGER PRIMARY KEY,
    slice_id    INTEGER NOT NULL REFERENCES slice_row (id),
    code        TEXT NOT NULL,
    dur         INTEGER NOT NULL
) STRICT;
CREATE TABLE kernel (
    slice_id    INTEGER PRIMARY KEY REFERENCES slice_row (id),
    device      INTEGER,
    stream      INTEGER,
    context     INTEGER,
    grid_x      INTEGER, grid_y INTEGER, grid_z INTEGER,
    block_x     INTEGER, block_y INTEGER, block_z INTEGER,
    registers   INTEGER,
    shared_memory_bytes INTEGER,
    blocks_per_sm REAL,
    warps_per_sm REAL,
    occupancy_pct REAL,
    graph_id    INTEGER,
    graph_node_id INTEGER,
    queued      INTEGER,
    priority    INTEGER
) STRICT;
CREATE TABLE copy (
    slice_id    INTEGER PRIMARY KEY REFERENCES slice_row (id),
    device      INTEGER,
    stream      INTEGER,
    context     INTEGER,
    bytes       INTEGER,
    graph_id    INTEGER,
    graph_node_id INTEGER,
    direction   TEXT
) STRICT;
CREATE TABLE device_wait (
    slice_id    INTEGER PRIMARY KEY REFERENCES slice_row (id),
    device      INTEGER,
    stream      INTEGER,
    kind        TEXT,
    wait_stream INTEGER,
    wait_event  INTEGER,
    wait_correlation INTEGER
) STRICT;
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
    comm_id     TEXT,
    is_async    INTEGER
) STRICT;
CREATE INDEX collective_slice ON collective (slice_id);
CREATE TABLE allocation (
    slice_id    INTEGER PRIMARY KEY REFERENCES slice_row (id),
    op_id       INTEGER REFERENCES slice_row (id),
    bytes       INTEGER,
    address     INTEGER,
    total_allocated_bytes INTEGER,
    total_reserved_bytes INTEGER,
    device_type INTEGER NOT NULL,
    device      INTEGER,
    out_of_memory INTEGER NOT NULL
) STRICT;
CREATE TABLE memory_range (
    slice_id    INTEGER PRIMARY KEY REFERENCES slice_row (id),
    start_bytes INTEGER NOT NULL,
    end_bytes   INTEGER NOT NULL,
    level       INTEGER
) STRICT;
CREATE TABLE counter (
    id          INTEGER PRIMARY KEY,
    track_id    INTEGER NOT NULL REFERENCES track (id),
    ts          INTEGER NOT NULL,
    value       REAL NOT NULL
) STRICT;
CREATE TABLE flow (
    id          INTEGER PRIMARY KEY,
    slice_out   INTEGER NOT NULL REFERENCES slice_row (id),
    slice_in    INTEGER NOT NULL REFERENCES slice_row (id),
    category_id INTEGER REFERENCES string (id),
    trace_id    INTEGER
) STRICT;
CREATE TABLE device (
    id          INTEGER PRIMARY KEY,
    profile_id  INTEGER NOT NULL REFERENCES profile (id),
    device      INTEGER NOT NULL,
    name        TEXT,
    memory_bytes INTEGER,
    sms         INTEGER,
    compute_major INTEGER,
    compute_minor INTEGER,
    properties  TEXT NOT NULL,
    agent       INTEGER
) STRICT;
CREATE INDEX device_profile ON device (profile_id);
CREATE TABLE slice_args (
    slice_id    INTEGER PRIMARY KEY REFERENCES slice_row (id),
    args        TEXT NOT NULL
) STRICT;
CREATE TABLE function (
    id          INTEGER PRIMARY KEY,
    profile_id  INTEGER NOT NULL REFERENCES profile (id),
    file_id     INTEGER NOT NULL REFERENCES string (id),
    line        INTEGER,
    name_id     INTEGER NOT NULL REFERENCES string (id),
    file_bytes  BLOB
) STRICT;
CREATE TABLE function_stat (
    id          INTEGER PRIMARY KEY,
    function_id INTEGER NOT NULL REFERENCES function (id),
    calls       INTEGER,
    primitive_calls INTEGER,
    self_ns     INTEGER,
    total_ns    INTEGER,
    self_s      REAL,
    total_s     REAL,
    calls_text  TEXT,
    primitive_calls_text TEXT
) STRICT;
CREATE TABLE call_edge (
    id          INTEGER PRIMARY KEY,
    callee_id   INTEGER NOT NULL REFERENCES function (id),
    caller_id   INTEGER NOT NULL REFERENCES function (id),
    calls       INTEGER NOT NULL,
    primitive_calls INTEGER,
    self_ns     INTEGER,
    total_ns    INTEGER,
    self_s      REAL,
    total_s     REAL,
    calls_text  TEXT,
    primitive_calls_text TEXT
) STRICT;
CREATE TABLE line_stat (
    id          INTEGER PRIMARY KEY,
    function_id INTEGER NOT NULL REFERENCES function (id),
    block       INTEGER NOT NULL,
    line        INTEGER NOT NULL,
    hits        INTEGER,
    self_ns     INTEGER,
    memory_bytes INTEGER,
    increment_bytes INTEGER,
    text_id     INTEGER REFERENCES string (id)
) STRICT;
CREATE TABLE sample_series (
    id          INTEGER PRIMARY KEY,
    profile_id  INTEGER NOT NULL REFERENCES profile (id),
    name        TEXT,
    measure     TEXT,
    mode        TEXT,
    unit        TEXT NOT NULL,
    decimals    INTEGER NOT NULL,
    is_default  INTEGER NOT NULL,
    is_evented  INTEGER NOT NULL,
    is_rounded  INTEGER NOT NULL,
    start_at    INTEGER,
    end_at      INTEGER,
    samples     INTEGER,
    weight      INTEGER NOT NULL,
    first_node_id INTEGER NOT NULL,
    nodes       INTEGER NOT NULL,
    first_sum_id INTEGER NOT NULL,
    sums        INTEGER NOT NULL,
    first_sample_id INTEGER NOT NULL,
    sample_rows INTEGER NOT NULL
) STRICT;
CREATE INDEX sample_series_profile ON sample_series (profile_id);
CREATE TABLE sample_thread (
    id          INTEGER PRIMARY KEY,
    profile_id  INTEGER NOT NULL REFERENCES profile (id),
    pid         INTEGER,
    process     TEXT,
    tid         INTEGER,
    name        TEXT
) STRICT;
CREATE TABLE sample_node (
    id          INTEGER PRIMARY KEY,
    profile_id  INTEGER NOT NULL REFERENCES profile (id),
    caller_id   INTEGER REFERENCES sample_node (id),
    function_id INTEGER NOT NULL REFERENCES function (id),
    line        INTEGER
) STRICT;
CREATE TABLE sample_sum (
    id          INTEGER PRIMARY KEY,
    series_id   INTEGER NOT NULL REFERENCES sample_series (id),
    thread_id   INTEGER REFERENCES sample_thread (id),
    node_id     INTEGER REFERENCES sample_node (id),
    samples     INTEGER,
    weight      INTEGER NOT NULL
) STRICT;
CREATE TABLE sample_row (
    id          INTEGER PRIMARY KEY,
    series_id   INTEGER NOT NULL REFERENCES sample_series (id),
    thread_id   INTEGER REFERENCES sample_thread (id),
    ts          INTEGER,
    node_id     INTEGER REFERENCES sample_node (id),
    weight      INTEGER NOT NULL
) STRICT;
CREATE TABLE finding (
    id          INTEGER PRIMARY KEY,
    profile_id  INTEGER NOT NULL REFERENCES profile (id),
    code        TEXT NOT NULL,
    detail      TEXT NOT NULL,
    severity    TEXT NOT NULL,
    count       INTEGER NOT NULL,
    first_offset INTEGER NOT NULL,
    excerpt     TEXT NOT NULL,
    time_ns     INTEGER,
    share_pct   REAL
) STRICT;
CREATE TABLE op_stat (
    id          INTEGER PRIMARY KEY,
    profile_id  INTEGER NOT NULL REFERENCES profile (id),
    grain       INTEGER NOT NULL,
    step_id     INTEGER REFERENCES step (id),
    kind        INTEGER NOT NULL,
    name_id     INTEGER NOT NULL REFERENCES string (id),
    is_annotation INTEGER NOT NULL,
    shapes_id   INTEGER REFERENCES string (id),
    stack_id    INTEGER REFERENCES string (id),
    overload_id INTEGER REFERENCES string (id),
    first_ts    INTEGER NOT NULL,
    first_dur   INTEGER NOT NULL,
    first_order INTEGER NOT NULL,
    is_async    INTEGER NOT NULL,
    is_top_level INTEGER NOT NULL,
    calls       INTEGER NOT NULL,
    primitive_calls INTEGER NOT NULL,
    self_ns     INTEGER NOT NULL,
    total_ns    INTEGER NOT NULL,
    min_ns      INTEGER NOT NULL,
    max_ns      INTEGER NOT NULL,
    mean_ns     REAL NOT NULL,
    m2          REAL NOT NULL,
    histogram   BLOB,
    self_device_ns INTEGER NOT NULL,
    total_device_ns INTEGER NOT NULL,
    cpu_mem_bytes INTEGER NOT NULL,
    self_cpu_mem_bytes INTEGER NOT NULL,
    device_mem_bytes INTEGER NOT NULL,
    self_device_mem_bytes INTEGER NOT NULL,
    flops       INTEGER
) STRICT;
CREATE INDEX op_stat_grain ON op_stat (profile_id, grain);
CREATE TABLE annotation_stat (
    id          INTEGER PRIMARY KEY,
    profile_id  INTEGER NOT NULL REFERENCES profile (id),
    step_id     INTEGER REFERENCES step (id),
    name_id     INTEGER NOT NULL REFERENCES string (id),
    first_ts    INTEGER NOT NULL,
    calls       INTEGER NOT NULL,
    host_ns     INTEGER NOT NULL,
    device_ns   INTEGER NOT NULL,
    device_span_ns INTEGER NOT NULL,
    launches    INTEGER NOT NULL
) STRICT;
CREATE INDEX annotation_stat_profile ON annotation_stat (profile_id);
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
CREATE VIEW thread_track AS
SELECT id, name, utid, profile_id FROM track WHERE kind = 'thread';
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
CREATE VIEW v_kernel AS
SELECT o.profile_id AS profile_id, n.text AS name, sum(o.calls) AS calls,
       sum(o.self_device_ns) AS total_ns, min(o.min_ns) AS min_ns, max(o.max_ns) AS max_ns
FROM op_stat o JOIN string n ON n.id = o.name_id
WHERE o.grain = 0 AND o.kind = 1
GROUP BY o.profile_id, o.name_id;
CREATE VIEW v_step AS
SELECT st.profile_id AS profile_id, st.number AS step, st.ts AS start_ns, st.dur AS total_ns,
       d.device_ns AS device_ns
FROM step st
LEFT JOIN (SELECT step_id, sum(self_device_ns) AS device_ns FROM op_stat
           WHERE grain = 2 AND kind = 1 GROUP BY step_id) d ON d.step_id = st.id;
CREATE VIEW v_function AS
SELECT f.profile_id AS profile_id, file.text AS file, f.line AS line, name.text AS function,
       s.calls AS calls, s.primitive_calls AS primitive_calls, s.self_ns AS self_ns,
       s.total_ns AS total_ns
FROM function_stat s
JOIN function f ON f.id = s.function_id
JOIN string file ON file.id = f.file_id
JOIN string name ON name.id = f.name_id;
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
CREATE VIEW v_stack AS
WITH RECURSIVE stack (node_id, depth, stack) AS (
    SELECT n.id, 1, name.text FROM sample_node n
    JOIN function f ON f.id = n.function_id JOIN string name ON name.id = f.name_id
    WHERE n.caller_id IS NULL
    UNION ALL
    SELECT n.id, s.depth + 1, s.stack || ';' || name.text FROM stack s
    JOIN sample_node n ON n.caller_id = s.node_id
    JOIN function f ON f.id = n.function_id JOIN string name ON name.id = f.name_id)
SELECT node_id, depth, stack FROM stack;

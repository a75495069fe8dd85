#!/usr/bin/env bats
# ptool info: which runs and profiles a store holds, and what was recorded.

load setup

# Three runs: two ranks, a CPU recording, GPU work.
three_runs() {
	ptool ingest -q --run ddp "$TORCH"/t260_ddp_rank[01]/trace.json.gz
	ptool ingest -q --run odd "$TORCH/t260_odd/trace.json.gz"
	ptool ingest -q --run gpu "$GPU/two_devices.json"
}

# The folder of the fixtures differs from machine to machine, and the size of a
# file is not what these goldens are about.
without_folder() {
	sed -E "s|$FIXTURES|FIXTURES|g; s/,[0-9]+,("[CG]PU"),/,BYTES,\1,/; s/(\"input_bytes\":)[0-9]+/\1BYTES/"
}

@test "all profiles of all runs, in the order they came, as people read it" {
	three_runs
	ptool info >out
	sed '1s/, [0-9.]* KiB$/, SIZE/' out | like_golden info.txt
	size=$(stat -c %s ptool.db)
	[ "$(head -1 out)" = "ptool.db: 3 runs, 4 profiles, $((size / 1024)).00 KiB" ]
}

@test "every format has what was recorded, with paths and exact times" {
	three_runs
	for format in csv json; do
		ptool info --format $format | without_folder | like_golden info.$format
	done
}

@test "the start is the first event's absolute time, to the nanosecond" {
	ptool ingest -q "$GPU/copies.json"
	ns=$(ask ptool.db 'SELECT base_ns + start_ns FROM profile')
	want=$(date -u -d "@$((ns / 1000000000))" +%Y-%m-%dT%H:%M:%S).$(printf %09d $((ns % 1000000000)))Z
	ptool info --format ndjson | grep -qF "\"start\":\"$want\""
}

@test "the start of a trace of torch 1.8, whose times are since 1970, is known" {
	cat >old.json <<-'EOF'
		{"traceEvents": [{"ph": "X", "cat": "Operator", "name": "aten::mm", "pid": 7, "tid": "7",
		 "ts": 1623142623531625, "dur": 9, "args": {"Device": 7, "External id": 1}}]}
	EOF
	ptool info old.json --format ndjson 2>/dev/null | grep -F '"start":"2021-06-08T08:57:03.531625000Z"'
}

@test "a clock that starts before 1970 has whole seconds below the fraction" {
	echo '{"schemaVersion": 1, "baseTimeNanoseconds": -5000000007, "traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": 1000, "dur": 9}]}' >old.json
	ptool info old.json --format ndjson 2>/dev/null | grep -F '"start":"1969-12-31T23:59:55.000999993Z"'
}

@test "where the file does not tell its clock's start, that is null" {
	echo '{"traceEvents":[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2}]}' >plain.json
	ptool info plain.json --format ndjson 2>/dev/null | grep -F '"start":null'
	ptool info plain.json 2>/dev/null | grep -E '^ID  Run +Span'
}

@test "--run, --rank and --profile narrow it" {
	three_runs
	ptool info --run odd --format csv | tail -n +2 | cut -d, -f2 | prints_lines '"odd"'
	ptool info --rank 1 --format csv | tail -n +2 | cut -d, -f1,7 | prints_lines 2,1
	ptool info --profile 4 --format csv | tail -n +2 | cut -d, -f1 | prints_lines 4
}

prints_lines() { # LINE...: all of stdin
	diff <(printf '%s\n' "$@") -
}

@test "without --run the newest run is not the only one that --rank looks at" {
	three_runs # the newest has no ranks
	run --separate-stderr ptool info --rank 0 --format ndjson
	exits 0
	[ ${#lines[@]} -eq 1 ]
}

@test "flags say what the recording has" {
	ptool ingest -q "$TORCH/t2141_cnn_w0_stack/trace.json.gz"
	ptool info --format ndjson | grep -F '"has_memory":true,"has_shapes":true,"has_stacks":true'
	ptool info | grep -x 'note: recorded: shapes, memory, stacks; not recorded: flops'
}

@test "people are told when something was repaired" {
	ptool ingest -q --run odd "$TORCH/t260_odd/trace.json.gz"
	ptool info | grep -x "note: 1 profile has repaired or damaged events; 'ptool doctor' lists them"
	ptool info --format json | grep -F '"findings":2'
	ptool ingest -q --run new "$GPU/copies.json"
	ptool info | grep -x "note: 1 profile has repaired or damaged events; 'ptool doctor --run odd' lists them"
}

@test "an empty store is exit 3" {
	ptool ingest -q --run only "$GPU/copies.json"
	ptool rm -q only
	run --separate-stderr ptool info
	exits 3
	says "ptool: info: ptool.db: the store holds no run; 'ptool ingest FILE' adds one"
	prints ''
}

@test "names that could drive a terminal are shown, not obeyed" {
	ptool ingest -q --run $'red \e[31m\n' "$GPU/copies.json"
	ptool info | grep -F 'red \x1b[31m\n'
	run --separate-stderr ptool info --run $'red \e[31m'
	exits 3
	says "ptool: info: ptool.db: no run 'red \\x1b[31m'; did you mean 'red \\x1b[31m\\n'? (runs: red \\x1b[31m\\n)"
}

@test "files of one name in several folders are told apart by their folders" {
	for run in one two; do
		mkdir -p runs/$run
		cp "$GPU/copies.json" runs/$run/trace.json
	done
	cp "$GPU/copies.json" runs/alone.json
	ptool ingest -q runs
	ptool info >got
	grep -E '^ *1 +alone ' got
	grep -E '^ *2 +one/trace ' got
	grep -E '^ *3 +two/trace ' got
}

@test "a hint that names a command line has no name that a shell would take apart" {
	printf '[{"ph":"X","name":"a","ts":1,"dur":-2,"pid":1,"tid":1},{"ph":"X","name":"b","ts":1,"dur":2,"pid":1,"tid":1}]' >plain.json
	for name in 'a;b' 'a b' "\$(a)" "a'b" $'a\033b'; do
		cp plain.json "$name.json"
		run -0 --separate-stderr ptool ingest -o "$name.db" "$name.json"
		[[ $stderr == *"; 'ptool doctor FILE' lists "* ]]
		ptool info --names full "$name.db" | grep -F "; 'ptool doctor FILE' lists them"
		run -2 --separate-stderr ptool callers "$name.db" f
		[[ $stderr == *": 'ptool callers f FILE'" ]]
	done
	ptool info -q plain.json | grep -F "; 'ptool doctor plain.json' lists them"
}

@test "a store may have any name, also one that SQLite has a meaning for" {
	for name in :memory: file:x.db 'a?mode=rwc' '#b' 'p%41' '-c.db'; do
		ptool ingest -q -o "$name" --run one "$EVERYTHING"
		ptool info --format csv -- "$name" | grep -q '"one"' || { echo "$name"; return 1; }
	done
}

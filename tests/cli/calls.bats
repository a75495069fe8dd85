#!/usr/bin/env bats
# ptool callers, callees and tree, and top on call graphs, as users see them.  The
# numbers are held against Python's in tests/pyprof/check_calls.py.

load setup

PROF=$FIXTURES/pyprof/pstats/sys311/w_gen.prof
TRACE=$TORCH/t2141_cnn_w0/trace.json.gz

@test "callers: a function is named once, above who calls it" {
	cp "$PROF" a.prof
	ptool callers 'contextlib' a.prof | like_golden callers.txt
	ptool callers 'contextlib' a.prof --format csv | like_golden callers.csv
}

@test "callees: what a function calls, and how many of those that match call nothing" {
	cp "$PROF" a.prof
	ptool callees 'w_gen|sum' a.prof | like_golden callees.txt
}

@test "rows sorted by one key, reversed, and limited" {
	cp "$PROF" a.prof
	ptool callers . a.prof --sort ncalls --limit 3 --format csv >most
	[ "$(wc -l <most)" -eq 4 ]
	ptool callers . a.prof --sort calls --format csv | head -n 4 | cmp most -
	ptool callers . a.prof --sort calls --format csv | tail -n +2 | cut -d, -f7 | sort -rnc
	ptool callers . a.prof --sort cumtime --reverse --format csv | tail -n +2 | cut -d, -f10 | sort -nc
	ptool callees . a.prof --sort help | grep -q '^total_ns .*cumulative'
	for key in $(ptool callers . a.prof --sort help --format csv | tail -n +2 | cut -d, -f1 | tr -d '"'); do
		for format in table csv; do
			ptool callers . a.prof --sort "$key" --format $format >/dev/null
			ptool callees . a.prof --sort "$key" --format $format >/dev/null
		done
	done
	ptool callers . a.prof --sort caller_line --format csv | tail -n +2 | cut -d, -f2 | sort -nc
}

@test "a regular expression that nothing matches names what is near" {
	cp "$PROF" a.prof
	run -3 --separate-stderr ptool callers pipline a.prof
	says "ptool: callers: a.prof: 28 functions read into the cache
ptool: callers: a.prof: no function matches 'pipline'; did you mean w_gen.py:6(pipeline)?"
	run -3 --separate-stderr ptool callees '^nothing like it$' a.prof
	says "ptool: callees: a.prof: no function matches '^nothing like it\$'; 'ptool top a.prof' lists them"
	run -3 --separate-stderr ptool callers 'builtins.exec' a.prof
	says "ptool: callers: a.prof: no match of 'builtins.exec' has callers: nothing that was recorded calls it"
	run -3 --separate-stderr ptool callees 'builtins.print' a.prof
	says "ptool: callees: a.prof: no match of 'builtins.print' has callees"
}

@test "mistakes in the command line are one line, and exit 2" {
	run -2 --separate-stderr ptool callers
	says 'ptool: callers: RE is missing'
	run -2 --separate-stderr ptool callers '(' "$PROF"
	says "ptool: callers: RE '(': character 2: missing closing parenthesis"
	run -2 --separate-stderr ptool callees x "$PROF" --sort cumulatve
	[[ $stderr == "ptool: callees: unknown sort key 'cumulatve'; did you mean 'cumulative'? (valid: caller_file, "* ]]
	run -2 --separate-stderr ptool tree "$PROF" --min 101
	says "ptool: tree: --min wants 0 to 100 percent or a time with its unit (1ms), not '101'"
	run -2 --separate-stderr ptool tree "$PROF" --min nan
	says "ptool: tree: --min wants 0 to 100 percent or a time with its unit (1ms), not 'nan'"
	run -2 --separate-stderr ptool tree "$PROF" --min 5min
	says "ptool: tree: --min wants 0 to 100 percent or a time with its unit (1ms), not '5min'"
	run -2 --separate-stderr ptool tree "$TRACE" --stream 7
	says "ptool: tree: --stream and --device choose device work, which has no callers: see 'ptool list' and 'ptool top'"
}

@test "what cannot be read, and where nothing can be written, ends as in other commands" {
	for command in callers callees; do
		run -4 --separate-stderr ptool $command x missing.db
		says "ptool: $command: missing.db: No such file or directory"
		run -4 --separate-stderr ptool $command x
		says "ptool: $command: ptool.db: no store here; run 'ptool ingest FILE' first"
		cp "$PROF" a.prof
		run -5 --separate-stderr bash -c '"$PTOOL" "$@" >/dev/full' - $command . a.prof
		[[ $stderr == *'standard output: No space left on device' ]]
		run -0 bash -c 'set -o pipefail; "$PTOOL" "$@" 2>stderr | true' - $command . a.prof
		touch out.csv
		run -2 --separate-stderr ptool $command . a.prof -o out.csv
		says "ptool: $command: out.csv exists; -f replaces it"
	done
}

@test "callers and callees of a trace are its operators" {
	ptool ingest -q "$TRACE"
	ptool callees '^aten::linear$' --format csv | cut -d, -f3,6,7 | grep -qx '"aten::linear","aten::addmm",3'
	ptool callers '^aten::addmm$' --format csv | cut -d, -f3,6,7 | grep -qx '"aten::linear","aten::addmm",3'
}

@test "a tree of a call graph says that it is estimated" {
	cp "$PROF" a.prof
	ptool tree a.prof --depth 5 | like_golden tree_estimated.txt
	ptool tree a.prof --depth 2 --format csv | like_golden tree_estimated.csv
}

@test "a number of calls beyond 64 bits is none in a tree" {
	ptool tree -q "$FIXTURES/pyprof/pstats/special/bigcounts.prof" --format csv >out
	grep -q '^3,2,1,.*,"call",,1000000000,' out
}

@test "a tree of a trace is the real one" {
	ptool ingest -q "$TRACE"
	ptool tree --depth 4 --min 3 | like_golden tree.txt
	ptool tree --format json | lacks '"is_estimated":true'
	ptool tree --step 3 --focus mm --format csv | cut -d, -f5 | tail -n +2 | head -1 | grep -qx '"ProfilerStep\*"'
	run -3 --separate-stderr ptool tree --focus 'nothing like it'
	says "ptool: tree: ptool.db: --focus 'nothing like it' matches no name"
}

@test "on a narrow terminal deep names have room, and the depth is told" {
	tree() { on_terminal 80 "$PTOOL" tree -q --no-pager --color never "$@"; }
	tree --depth 18 --limit 2 "$TORCH/t2141_cnn_w0_stack/trace.json.gz" | like_golden tree_80.txt
	tree --kernels "$EVERYTHING" | like_golden tree_kernels_80.txt
}

@test "the tree of imports is real, and nothing says that it is estimated" {
	run --separate-stderr ptool tree --depth 1 "$FIXTURES/pyprof/reports/importtime.txt"
	exits 0
	[[ $output != *estimated* && $output == *'  site'* ]]
	[ "$(ptool tree --format csv "$FIXTURES/pyprof/reports/importtime.txt" | cut -d, -f 11 | sort -u)" = "0
is_estimated" ]
}

@test "top on a call graph: functions, under anybody's sort keys" {
	cp "$PROF" a.prof
	ptool top a.prof --limit 5 | like_golden top_functions.txt
	ptool top a.prof --limit 5 --sort cumulative --format csv | like_golden top_functions.csv
	for key in cum cumtime total cpu_time_total total_ns; do
		ptool top a.prof --limit 5 --sort $key --format csv | cmp - "$GOLDEN/top_functions.csv"
	done
	ptool top a.prof --focus w_gen --ignore genexpr --limit 0 --format csv | tail -n +2 >some
	[ -s some ]
	lacks genexpr <some
	[ "$(grep -c w_gen some)" -eq "$(wc -l <some)" ]
}

@test "in 80 columns functions keep readable names, and other columns leave" {
	sort_by() { on_terminal 80 "$PTOOL" top --no-pager --color never "$PROF" -q --sort "$1" | head -1; }
	[[ $(sort_by self) =~ ^Function\ +Self ]]
	sort_by self | lacks Primitive
	sort_by primitive_calls | grep -q Primitive
	on_terminal 80 "$PTOOL" top -q --no-pager --color never "$PROF" >table
	grep -qE '[0-9] columns hidden, --wide shows them' table
	grep -qF '{built-in method ' table
	lacks -E '^.{0,24}(…|~)[^ ]{0,5} ' <table # no name of fewer than 25 cells
	on_terminal 80 "$PTOOL" callers -q --no-pager --color never w_gen "$PROF" | tr -d '\r' >table
	[ "$(wc -L <table)" -le 80 ]
	head -1 table | lacks Primitive
}

@test "what only traces have is refused for call graphs, and the other way round" {
	ptool ingest -q "$PROF"
	for option in '--by shape' --flops --top-level '--format torch'; do
		run -2 --separate-stderr ptool top $option
		[[ $stderr == *'--by, --flops, --tensor-cores, --top-level and --format torch are for traces; this profile has only functions' ]]
	done
	for command in top tree; do
		for option in '--step 3' '--cat cpu_op' '--min-dur 1us' '--time 0..1ms' '--thread 1'; do
			run -2 --separate-stderr ptool $command $option
			says "ptool: $command: a call graph has no slices to filter: only --focus and --ignore apply"
		done
	done
	run -2 --separate-stderr ptool top --sort self_device_time_total
	[[ $stderr == "ptool: top: unknown sort key 'self_device_time_total'"* ]]
	ptool ingest -q -o trace.db "$TRACE"
	run -2 --separate-stderr ptool top trace.db --sort avg_ns
	[[ $stderr == "ptool: top: unknown sort key 'avg_ns'"* ]]
}

@test "a run of both kinds asks which is meant" {
	ptool ingest -q "$PROF" "$TRACE"
	for command in top tree; do
		run -3 --separate-stderr ptool $command
		says "ptool: $command: ptool.db: the run holds call graphs (1) and traces (1), which cannot be added up: choose one with --profile ('ptool info' lists them)"
		ptool $command --profile w_gen.prof >/dev/null
		ptool $command --profile trace.json.gz >/dev/null
	done
}

@test "device work stands below its launches" {
	ptool ingest -q "$GPU/one_stream.json"
	ptool tree --kernels --step 4 --depth 6 --min 0 --focus forward | like_golden tree_kernels.txt
	run -2 --separate-stderr ptool tree "$PROF" --kernels
	[[ $stderr = *"--kernels, --instances and --by step are for traces; this is a call graph" ]]
	run -3 --separate-stderr ptool tree "$TRACE" --kernels
	[[ $stderr = *"--kernels: no device work was recorded (ProfilerActivity.CUDA)" ]]
}

@test "every call apart, in the order of starts" {
	ptool ingest -q "$GPU/one_stream.json"
	ptool tree --instances --kernels --step 4 --focus addmm --min 0 --format csv |
		like_golden tree_instances.csv
}

@test "steps are one row, or one each; --depth shows as many levels" {
	ptool ingest -q "$TRACE"
	run -0 ptool tree --depth 1 --min 10 --format csv
	[ "${#lines[@]}" -eq 3 ]
	[[ ${lines[1]} == *'"ProfilerStep*","ProfilerStep*","call",3,'* ]]
	[[ ${lines[2]} == *' more)'* ]]
	run -0 ptool tree --depth 1 --min 10 --by step --format csv
	[ "$(printf '%s\n' "${lines[@]}" | grep -c '"ProfilerStep#[234]","call",1,')" -eq 3 ]
	run -2 --separate-stderr ptool tree --by rank
	says "ptool: tree: unknown --by 'rank' (valid: step)"
}

@test "--root-at begins paths where names match, and shares are of those" {
	ptool ingest -q "$TRACE"
	run -0 ptool tree --root-at '^(forward|dataload)$' --depth 1 --min 0 --format csv
	[ "${#lines[@]}" -eq 3 ]
	[[ ${lines[1]} == *'"forward","forward","call",3,'* ]]
	[[ ${lines[2]} == *'"dataload","dataload","call",3,'* ]]
	ptool tree --root-at '^(forward|dataload)$' --depth 1 --min 0 --format json | python3 -c '
import json, sys
assert abs(sum(row["total_pct"] for row in json.load(sys.stdin)["rows"]) - 100) < 1e-9'
	run -3 --separate-stderr ptool tree --root-at 'nothing like it'
	run -2 --separate-stderr ptool tree --root-at '('
	[[ $stderr == "ptool: tree: --root-at '(': "* ]]
}

@test "a thread that only waits is in no share" {
	cat >idle.json <<'EOF'
{"traceEvents": [
{"ph": "X", "cat": "python_function", "name": "train.py(3): main", "pid": 7, "tid": 7, "ts": 0, "dur": 1000},
{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 7, "tid": 7, "ts": 100, "dur": 250},
{"ph": "X", "cat": "python_function", "name": "threading.py(359): wait", "pid": 7, "tid": 7, "ts": 400, "dur": 250},
{"ph": "X", "cat": "python_function", "name": "threading.py(9): _bootstrap", "pid": 7, "tid": 8, "ts": 0, "dur": 1000},
{"ph": "X", "cat": "python_function", "name": "threading.py(359): wait", "pid": 7, "tid": 8, "ts": 1, "dur": 998},
{"ph": "X", "cat": "python_function", "name": "<built-in method acquire of _thread.lock object at 0x7f>",
 "pid": 7, "tid": 8, "ts": 2, "dur": 996}]}
EOF
	ptool tree --min 0 --format csv idle.json | cut -d, -f5,9,10 >got
	diff - got <<'EOF'
name,total_ns,total_pct
"train.py(3): main",1000000,100
"aten::mm",250000,25
"threading.py(359): wait",250000,25
"threading.py(9): _bootstrap",1000000,0
"threading.py(359): wait",998000,0
"<built-in method acquire of _thread.lock object at 0x7f>",996000,0
EOF
}

@test "times of the tree close on the host and on the device, merged or not" {
	ptool ingest -q "$GPU/graph.json"
	launched=$(ask ptool.db "SELECT sum(s.dur) FROM slice_row s JOIN slice_class c ON c.id = s.class
		WHERE c.is_device_work AND s.launch_id IS NOT NULL")
	for option in "" --instances; do
		# shellcheck disable=SC2086 # none or one word
		ptool tree --kernels $option --min 0 --depth 0 --format json | python3 -c '
import collections, json, sys
rows = json.load(sys.stdin)["rows"]
host, device = collections.Counter(), collections.Counter()
for r in rows:
    host[r["parent_id"]] += r["total_ns"]
    device[r["parent_id"]] += r["total_device_ns"]
for r in rows:
    assert r["total_ns"] == r["self_ns"] + host[r["id"]], r
    assert r["kind"] == "device" or r["total_device_ns"] == device[r["id"]], r
assert device[None] == int(sys.argv[1]) > 0, device[None]' "$launched"
	done
}

@test "a file where the function belongs is told, not taken for its name" {
	run -2 --separate-stderr ptool callers "$PROF"
	says "ptool: callers: $PROF is a file: the function comes first: 'ptool callers RE FILE'"
	run --separate-stderr ptool callers "$PROF" main
	exits 2
	says "ptool: callers: $PROF is a file: the function comes first: 'ptool callers main $PROF'"
}

@test "a tree says which threads have no share" {
	{
		event python_function 'train.py(1): main' 0 100
		event python_function 'threading.py(655): wait' 0 900 1 2
	} | made waits.json
	ptool tree -q waits.json >rows
	grep -q '^ *100.00 .* train.py(1): main$' rows
	grep -q '^note: threads that only wait have no share of the time$' rows
	event python_function 'train.py(1): main' 0 100 | made busy.json
	! ptool tree -q busy.json | grep -q '^note:' || false
}

@test "a call without a parent within calls that go on leaves these open" {
	# torch gives what ends on another thread no parent, and no time of its own
	made ddp.json <<-END
		$(event cpu_op DDP.forward 0 1000)
		$(event cpu_op aten::mul 10 100)
		$(event cpu_op nccl:all_reduce 200 100)
		$(event cuda_runtime cudaLaunchKernel 210 10)
		$(event cpu_op aten::add 400 100)
		$(event cpu_op aten::add 1200 100)
	END
	ptool callees '^DDP' ddp.json -q --format csv | cut -d, -f6,7,8,10 >got
	diff - got <<-END
		function,calls,primitive_calls,total_ns
		"aten::add",1,1,100000
		"aten::mul",1,1,100000
		"cudaLaunchKernel",1,1,10000
	END
	run -3 ptool callers '^nccl' ddp.json -q
	ptool pstats -q ddp.json | grep -qE '^ +2 +0.000 +0.000 +0.000 +0.000 aten::add'
}

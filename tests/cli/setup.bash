# For the bats files: each test in an empty folder of its own, with no setting of
# the user's in sight, and comparison with the files of golden/ (UPDATE=1 rewrites
# them).  tests/run says where the program and the fixtures are.

bats_require_minimum_version 1.5.0

GOLDEN=$BATS_TEST_DIRNAME/golden
GPU=$FIXTURES/gpu
TORCH=$FIXTURES/torch
EVERYTHING=$GPU/everything.json # a trace that has something for every command

setup() {
	mkdir "$BATS_TEST_TMPDIR/here" "$BATS_TEST_TMPDIR/tmp"
	cd "$BATS_TEST_TMPDIR/here" || return 1
	unset PTOOL_STORE PTOOL_CACHE PTOOL_PAGER PAGER NO_COLOR CLICOLOR_FORCE COLUMNS
	export XDG_CACHE_HOME=$BATS_TEST_TMPDIR/cache TMPDIR=$BATS_TEST_TMPDIR/tmp
}

ptool() {
	"$PTOOL" "$@"
}

# Changes slice_row of ptool.db by hand, and what is packed with it.
edit_slices() { # SQL
	sqlite3 ptool.db "$1"
	python3 "$TESTS/store/slice_packs.py" ptool.db
}

# A copy of FILE becomes STORE while a command waits for the lock of that; $status, and `told`.
meanwhile() { # FILE STORE COMMAND...
	exec 7>"$2.lock"
	flock 7
	"${@:3}" 2>told &
	sleep 0.3
	cp "$1" "$2"
	flock -u 7
	exec 7>&-
	status=0
	wait $! || status=$?
}

# recorded RANK RANKS SECOND: a recording from that second on, of lines "name start duration" in us.
recorded() {
	python3 -c '
import json, sys
rank, ranks, second = map(int, sys.argv[1:])
events = []
for name, start, dur in map(str.split, sys.stdin):
    event = {"ph": "X", "name": name, "ts": float(start), "dur": float(dur)}
    if name.startswith("Profiler"):
        event |= {"cat": "user_annotation", "pid": 1, "tid": 1}
    else:
        event |= {"cat": "kernel", "pid": 0, "tid": 7, "args": {"device": 0, "stream": 7}}
    if name.startswith("nccl"):
        event["args"] |= {"Process Group Name": "0", "Group size": ranks, "In msg nelems": 1000, "dtype": "Float"}
    events.append(event)
json.dump({"schemaVersion": 1, "baseTimeNanoseconds": 1700000000000000000 + second * 10**9, "traceEvents": events,
           "distributedInfo": {"backend": "nccl", "rank": rank, "world_size": ranks}}, sys.stdout)' "$@" >"rank$1_$3.json"
}

# The exit status, stdout and stderr of the last `run --separate-stderr`.
exits() { # STATUS
	[ "$status" -eq "$1" ] && return
	printf 'exit status %s, not %s\nstdout: %s\nstderr: %s\n' "$status" "$1" "$output" "${stderr-}"
	return 1
}

says() { # TEXT: all of stderr is this
	[ "${stderr-}" = "$1" ] && return
	printf 'stderr: %s\nwanted: %s\n' "${stderr-}" "$1"
	return 1
}

prints() { # TEXT: all of stdout is this
	[ "$output" = "$1" ] && return
	printf 'stdout: %s\nwanted: %s\n' "$output" "$1"
	return 1
}

# stdin is what golden/NAME holds.
like_golden() { # NAME
	if [ -n "${UPDATE-}" ]; then
		cat >"$GOLDEN/$1"
	else
		diff -u "$GOLDEN/$1" -
	fi
}

# stdin says something, and no line of it has the pattern.  (`! grep` in the middle of
# a test fails nothing.)
lacks() { # GREP-ARGUMENT...
	text=$(cat)
	[ -n "$text" ] || return 1
	if grep "$@" <<<"$text"; then
		return 1
	fi
}

# What a store holds, as SQLite prints it.
ask() { # STORE SQL
	sqlite3 -readonly "$1" "$2"
}

# Python's truth of an expression about JSON on stdin, `j`.
json_is() { # EXPRESSION
	python3 -c 'import json, sys; j = json.load(sys.stdin); sys.exit(not eval(sys.argv[1]))' "$1"
}

# Nothing but these files is here.
only_files() { # NAME...
	diff <(printf '%s\n' "$@" | sort) <(ls -A)
}

# A command on a terminal so many columns wide; what it wrote there.
on_terminal() { # COLUMNS COMMAND...
	python3 "$BATS_TEST_DIRNAME/on_terminal.py" "$@"
}

# Every reading command there is, one a line, but those whose operands are others or
# which draw no table of any store: calls.bats, export.bats, diff.bats, lines.bats,
# report.bats, flame.bats, view.bats, mcp.bats, ranks.bats, merge.bats, migrate.bats and
# gate.bats have the same of them.
reading_commands() {
	ptool help --list | grep -vxE 'ingest|help|rm|push|pull|gc|schema|callers|callees|export|diff|lines|report|flame|view|mcp|ranks|graphs|merge|migrate|gate|baseline|compile'
}

# Calls a function for each of them: $command, and in ${extra[@]} what it cannot do
# without.
each() { # FUNCTION
	for command in $(reading_commands); do
		extra=()
		[ "$command" != sql ] || extra=('SELECT name, count(*) AS n FROM slice GROUP BY name')
		"$1"
	done
}

# An event of a made trace: CATEGORY NAME START DUR [PID TID ARGS], in microseconds.
event() {
	printf '{"ph":"X","cat":"%s","name":"%s","ts":%s,"dur":%s,"pid":%s,"tid":%s,"args":{%s}},\n' \
		"$1" "$2" "$3" "$4" "${5-1}" "${6-1}" "${7-}"
}

# A trace of the events on stdin.
made() { # FILE
	{
		echo '{"schemaVersion":1,"traceEvents":['
		cat
		echo '{"ph":"M","name":"process_name","pid":1,"args":{"name":"python"}}]}'
	} >"$1"
}

# Two prefills and three decodes of an engine, each of an attention and a product, in
# compiled code.
engine_events() {
	local n at name
	for n in 0 1 2 3 4; do
		at=$((n * 100)) name="step[DECODE bs=4]"
		[ $n -gt 1 ] || name="step[EXTEND bs=2 toks=64]"
		event user_annotation "$name" $at 50
		event cpu_op "Torch-Compiled Region: 0/0" $at $((8 + n))
		event cuda_runtime cudaLaunchKernel $((at + 1)) 3 1 1 "\"correlation\":$((2 * n + 1))"
		event cuda_runtime cudaLaunchKernel $((at + 5)) 3 1 1 "\"correlation\":$((2 * n + 2))"
		event kernel flash_fwd_kernel $((at + 10)) 20 0 7 "\"device\":0,\"stream\":7,\"correlation\":$((2 * n + 1))"
		event kernel nvjet_tst_64x8 $((at + 30)) $((30 + n)) 0 7 "\"device\":0,\"stream\":7,\"correlation\":$((2 * n + 2))"
	done
}

an_engine() {
	engine_events | made engine.json
}

# 1,500 steps of 20 us, one every 30 us, and in each a kernel of so many on a device of its own.
steps_of_many_devices() { # US
	python3 - "$1" <<'END'
import json, sys
x = {"ph": "X", "pid": 9999, "tid": 1, "cat": "user_annotation", "dur": 20}
kernel = {**x, "cat": "kernel", "name": "gemm", "dur": int(sys.argv[1])}
print(json.dumps([{**x, "name": f"ProfilerStep#{n}", "ts": 30 * n} for n in range(1500)]
                 + [{**kernel, "pid": n, "ts": 30 * n, "args": {"device": n, "stream": 7}} for n in range(1500)]))
END
}

#!/usr/bin/env bats
# ptool list: single slices, in an order, filtered; held against SQL on the store.

load setup

# "id,start,dur,self" of each slice listed, in that order.
listed() { # OPTION...
	ptool list --format csv "$@" | tail -n +2 | cut -d, -f3-6
}

# The same in SQL: WHERE and ORDER BY of the view slice, as s.
wanted() { # WHERE ORDER
	sqlite3 -readonly -separator , ptool.db "SELECT s.id, s.ts, s.dur, s.self_ns FROM slice s
		JOIN track t ON t.id = s.track_id LEFT JOIN process p ON p.upid = t.upid
		LEFT JOIN thread th ON th.utid = t.utid
		WHERE t.profile_id IN (SELECT id FROM profile WHERE run_id = (SELECT max(id) FROM run))
		AND ($1) ORDER BY ${2:-t.profile_id, s.ts, s.id}"
}

# What is listed with the options is what the SQL gives, and not nothing.
same() { # WHERE ORDER OPTION...
	wanted "$1" "$2" >wanted
	listed "${@:3}" >listed
	[ -s wanted ]
	diff wanted listed | head -20
	cmp wanted listed
}

@test "slices by start, as people read them" {
	ptool ingest -q --run gpu "$GPU/two_devices.json"
	ptool list --limit 12 | like_golden list.txt
	ptool list --sort dur --cat kernel --limit 3 | like_golden list_kernels.txt
}

@test "people see 20 rows and whole names; machines all rows" {
	ptool ingest -q "$TORCH/t2141_cnn_w0_stack/trace.json.gz"
	ptool list | grep -qE '^20 of [0-9,]+ rows'
	[ "$(ptool list --format csv | wc -l)" -gt 1000 ]
	[ "$(ptool list --limit 0 | wc -l)" -gt 1000 ]
	run -2 --separate-stderr ptool list --limit=-1
	says "ptool: list: --limit wants a non-negative number, not '-1'"
	on_terminal 80 "$PTOOL" list --no-pager --color never | tr -d '\r' >table
	[ "$(wc -L <table)" -le 80 ]
	grep -q 'profiler.py([0-9]*): ' table
	grep -qE '[0-9] columns? hidden' table
}

@test "machines get all columns, bare numbers, and null for what there is not" {
	ptool ingest -q --run gpu "$GPU/two_devices.json"
	ptool list --limit 12 --format csv | like_golden list.csv
	ptool list --sort dur --limit 2 --cat kernel --format json | like_golden list.json
}

@test "by start: all slices of all profiles, each once, in the order of time" {
	for trace in "$TORCH"/t2141_cnn_w0_stack/trace.json.gz "$GPU"/*s.json; do
		ptool ingest -q --run r "$trace"
		same 1 ''
	done
	ptool ingest -q --run r "$TORCH"/t260_ddp_rank[01]/trace.json.gz "$GPU/phases_of_chrome.json"
	same 1 ''
	[ "$(wc -l <listed)" = "$(ask ptool.db 'SELECT sum(slices) FROM profile')" ]
}

@test "by dur and self the largest are first, by name the bytes count; ids end every tie" {
	ptool ingest -q "$TORCH"/t260_ddp_rank[01]/trace.json.gz "$GPU/two_streams.json"
	same 1 's.dur DESC, s.id' --sort dur
	same 1 's.self_ns DESC, s.id' --sort self
	same 1 's.name, s.id' --sort name
}

@test "--limit gives the first of the same order, 0 all of them" {
	ptool ingest -q "$TORCH"/t260_ddp_rank[01]/trace.json.gz
	for sort in start dur self name; do
		listed --sort $sort >all
		listed --sort $sort --limit 0 | cmp all -
		for n in 1 2 63 64 65 700 1316 1317; do
			listed --sort $sort --limit $n | cmp <(head -n $n all) -
		done
	done
}

@test "the footer says of how many rows, where that is known" {
	ptool ingest -q "$TORCH/t2141_cnn_w0/trace.json.gz"
	[ "$(ptool list -n 3 | tail -1)" = '3 of 4,684 rows' ]
	[ "$(ptool list -n 3 --sort dur --cat cpu_op | tail -1)" = "3 of $(ask ptool.db \
		"SELECT printf('%,d', count(*)) FROM slice WHERE category = 'cpu_op'") rows" ]
	[ "$(ptool list -n 3 --cat cpu_op | tail -1)" = 'first 3 rows; -n 0 shows all' ]
	ptool list -n 3 --cat cpu_op --format json | grep '"total_rows":null'
}

@test "each filter lets through what the same question in SQL gives" {
	ptool ingest -q "$GPU/two_devices.json"
	same "s.name LIKE '%mm%'" '' --focus mm
	same "s.name NOT LIKE '%a%'" '' --ignore '[aA]'
	same "s.category IN ('kernel', 'cpu_op')" '' --cat kernel --cat cpu_op
	same "s.category IN ('kernel', 'cpu_op')" '' --cat kernel,cpu_op
	same "th.tid = 4242" '' --thread 4242
	same "th.name = 'thread 4242 (python3)'" '' --thread 'thread 4242 (python3)'
	same "t.kind LIKE 'stream%' AND t.tid = 7" '' --stream 7
	same "t.kind LIKE 'stream%' AND p.pid = 1" '' --device 1
	same 's.step = 1' '' --step 1
	same 's.step BETWEEN 0 AND 1' '' --step 0..1
	same 's.ts >= 150000 AND s.ts < 250000' '' --time 150us..250us
	same 's.dur >= 30000' '' --min-dur 30us
	same "s.category = 'kernel' AND s.step = 1 AND s.dur >= 35000 AND p.pid = 0" \
		's.dur DESC, s.id' --cat kernel --step 1 --min-dur 35us --device 0 --sort dur
}

@test "torch 1.8 spells streams and categories otherwise: filters mean the same" {
	cat >old.json <<'EOF'
{"traceEvents": [
{"ph": "X", "cat": "Operator", "name": "aten::mm", "pid": 7, "tid": "7", "ts": 10, "dur": 9,
 "args": {"Device": 7, "External id": 1}},
{"ph": "X", "cat": "Runtime", "name": "cudaLaunchKernel", "pid": 7, "tid": "7", "ts": 12, "dur": 3,
 "args": {"correlation": 5, "external id": 1}},
{"ph": "X", "cat": "Kernel", "name": "sgemm", "pid": 0, "tid": "stream 7", "ts": 20, "dur": 5,
 "args": {"device": 0, "context": 1, "stream": 7, "correlation": 5, "external id": 1}},
{"ph": "X", "cat": "Memset", "name": "Memset", "pid": 0, "tid": "stream 20", "ts": 30, "dur": 1,
 "args": {"device": 0, "context": 1, "stream": 20, "correlation": 6, "bytes": 4}}]}
EOF
	ptool ingest -q old.json
	names() { ptool list --format csv "$@" | python3 -c 'import csv, sys
print(*(row["name"] for row in csv.DictReader(sys.stdin)))'; }
	[ "$(names --stream 7)" = sgemm ]
	[ "$(names --stream 20)" = Memset ]
	[ "$(names --cat kernel)" = sgemm ]
	[ "$(names --cat KERNEL,memset)" = 'sgemm Memset' ]
	[ "$(names --cat cpu_op)" = aten::mm ]
	[ "$(names --cat op)" = aten::mm ]
	ptool list | grep 'sgemm .* stream 7'
	ptool top --stream 7 --format csv | grep sgemm
	ptool top --by stream --format csv | grep '^"sgemm".*,7$'
	ptool top --cat kernel --format csv | grep sgemm
	ptool streams --format csv | grep '^1,,0,7,'
}

@test "a time in the middle of long tracks is found, whatever the order" {
	ptool ingest -q "$TORCH/t2141_cnn_w0_stack/trace.json.gz"
	for sort in start dur; do
		order=$([ $sort = dur ] && echo 's.dur DESC, s.id') || :
		same 's.ts >= 50000000 AND s.ts < 70000000' "$order" --time 50ms..70ms --sort $sort
		same 's.ts >= 60000000' "$order" --time 60ms.. --sort $sort
		same 's.ts < 60000000' "$order" --time ..60ms --sort $sort
	done
}

@test "names are listed as they are, for people as they may be shown" {
	ptool ingest -q "$TORCH/t260_odd/trace.json.gz"
	ptool list --format ndjson --focus 'quote' | grep -F '"name":"quote \" backslash'
	ptool list -n 0 --wide | grep -F 'quote " backslash / tab\t slash / uni é 漢 \u2028'
	[ -z "$(ptool list | tr -d '\n' | LC_ALL=C tr -cd '\0-\037\177')" ]
}

@test "3: nothing matches, in every order; the table is empty and not unfiltered" {
	ptool ingest -q "$GPU/two_devices.json"
	for sort in start dur self name; do
		run --separate-stderr ptool list --sort $sort --focus nosuchname --format csv
		exits 3
		says "ptool: list: ptool.db: --focus 'nosuchname' matches no name"
		[ ${#lines[@]} -eq 1 ]
	done
	run --separate-stderr ptool list --time 1h..
	exits 2
	run --separate-stderr ptool list --focus nosuchname
	exits 3
	[ -z "$output" ]
}

@test "3: the filter that matches nothing is named, with what there is, in every command" {
	ptool ingest -q "$GPU/two_devices.json"
	while IFS=: read -r options message; do
		for command in list top; do
			# shellcheck disable=SC2086 # options
			run --separate-stderr ptool $command $options --format csv
			exits 3
			says "ptool: $command: ptool.db: $message"
		done
	done <<-'EOF'
		--step 99:--step 99: there are steps 0, 1
		--step 7..9:--step 7..9: there are steps 0, 1
		--device 7,9:--device 7, 9: there are devices 0, 1
		--stream 99 --step 0:--stream 99: there are streams 1, 7, 12
		--thread nobody:--thread nobody: there are threads 4242 (thread 4242 (python3)), PyTorch Profiler, Trace PyTorch Profiler
		--cat nothing:--cat nothing: there are categories user_annotation, cpu_op, cuda_runtime, kernel, gpu_memcpy, cuda_sync, gpu_user_annotation, Trace
		--step 0 --focus nosuch:--focus 'nosuch' matches no name
		--ignore .:--ignore '.' matches every name
		--time 1s..:--time begins after the recording, which lasts 636.124 us
		--min-dur 1s:--min-dur: the longest slice lasts 596.124 us
	EOF
	for command in kernels steps gaps; do
		run --separate-stderr ptool $command --step 99
		exits 3
		says "ptool: $command: ptool.db: --step 99: there are steps 0, 1"
	done
	# each matches something, but not together
	run --separate-stderr ptool list --step 0 --stream 1 --cat cpu_op
	exits 3
	says 'ptool: list: ptool.db: no slice matches'
}

@test "3: without a filter, what the recording lacks is told" {
	echo '{"traceEvents": []}' >empty.json
	for command in list:slices top:operators tree:calls; do
		run --separate-stderr ptool ${command%:*} empty.json
		exits 3
		[ "${stderr_lines[-1]}" = "ptool: ${command%:*}: empty.json: the recording has no ${command#*:}" ]
	done
	run --separate-stderr ptool tree "$FIXTURES/snapshot/two_devices_p5.pickle"
	exits 3
	[[ ${stderr_lines[-1]} == *": a recording of memory has no calls; 'ptool memory "*"' shows what it has" ]]
}

@test "2: a misspelt order or filter, before a trace is read" {
	run --separate-stderr ptool list --sort nmae missing.json
	exits 2
	says "ptool: list: unknown sort key 'nmae'; did you mean 'name'? (valid: start_ns, dur_ns, self_ns, name)"
	ptool list --sort help --format csv >keys
	[ "$(cut -d, -f1 keys | tr -d '"' | tr '\n' ' ')" = "key start_ns dur_ns self_ns name " ]
	run --separate-stderr ptool list --focus '(' missing.json
	exits 2
	[[ $stderr == "ptool: list: --focus '(': "* ]]
	run --separate-stderr ptool list --limit x missing.json
	exits 2
}

@test "4: a store whose slices do not fit together is told, not trusted" {
	ptool ingest -q "$GPU/two_devices.json"
	cp ptool.db good.db
	damage() { # SQL
		cp good.db ptool.db
		sqlite3 ptool.db "PRAGMA foreign_keys = OFF; $1"
	}
	damage 'DELETE FROM string WHERE id IN (SELECT name_id FROM slice_row)'
	run --separate-stderr ptool list
	exits 4
	damage 'UPDATE slice_row SET name_id = -5'
	run --separate-stderr ptool list --focus a
	exits 4
	damage 'UPDATE slice_row SET class = 9999, category_id = NULL, step_id = 77, parent_id = 1e15'
	run --separate-stderr ptool list
	exits 0
	damage 'UPDATE track SET first_slice_id = 1, slices = 1000000000000'
	run --separate-stderr ptool list --limit 5 --time 1us..
	[ "$status" -eq 4 ] || [ "$status" -eq 0 ]
	damage 'UPDATE track SET first_slice_id = 9223372036854775800, slices = 1000'
	run --separate-stderr ptool list
	exits 4
	damage 'UPDATE slice_row SET dur = -9223372036854775808, self_ns = -9223372036854775808'
	run --separate-stderr ptool list --sort dur
	exits 4
	damage 'UPDATE track SET slices = -3'
	run --separate-stderr ptool list
	exits 3
}

@test "the first rows of a large trace come at once, and do not wait for the others" {
	ptool ingest -q "$TORCH/t2141_cnn_w0_stack/trace.json.gz"
	set -o pipefail
	ptool list --format csv | head -1 | grep -q '^profile,'
}

@test "slices whose times cannot be come last, marked, and at no time" {
	cat >odd.json <<-'END'
		[{"ph":"X","name":"lost","pid":1,"tid":1,"ts":0,"dur":2},
		{"ph":"X","name":"a","pid":1,"tid":1,"ts":1700000000000000,"dur":20},
		{"ph":"X","name":"back","pid":1,"tid":1,"ts":1700000000000005,"dur":-2},
		{"ph":"X","name":"b","pid":1,"tid":2,"ts":1700000000000010,"dur":30},
		{"ph":"X","name":"ever","pid":1,"tid":2,"ts":1700000000000015,"dur":7447584000000000}]
	END
	ptool ingest -q odd.json
	ptool list | like_golden list_set_apart.txt
	ptool list --format csv | like_golden list_set_apart.csv
	[ "$(ptool list --time 0.. --format csv | wc -l)" = 3 ]
	[ "$(ptool list --min-dur 1ns --format csv | wc -l)" = 3 ]
	[ "$(ptool list --thread 2 --format ndjson | grep -c '"is_set_apart":true')" = 1 ]
	[ "$(ask ptool.db "SELECT group_concat(code || ' ' || dur, ', ') FROM quarantine ORDER BY id")" = \
		'impossible_time 2000, negative_duration -2000, impossible_duration 7447584000000000000' ]
	[ "$(ask ptool.db 'SELECT dur_ns FROM profile')" = 40000 ]
}

@test "a store whose schema somebody changed is refused" {
	ptool ingest -q "$GPU/two_devices.json"
	sqlite3 ptool.db "PRAGMA writable_schema = 1;
		UPDATE sqlite_schema SET sql = replace(sql, 'NOT NULL', '') WHERE name = 'slice_class';
		PRAGMA writable_schema = RESET; UPDATE slice_class SET name = NULL"
	run --separate-stderr ptool list --format csv
	exits 4
	says "ptool: list: ptool.db: not the schema of a ptool store: the table 'slice_class' was changed; ingest the trace again"
}

@test "numbers that name something have no separators, and options take them" {
	sed 's/ProfilerStep#1"/ProfilerStep#1009"/; s/"stream": 7\b/"stream": 1007/g' "$EVERYTHING" >t.json
	ptool list --cat kernel t.json >list.txt
	! grep -q '1,0' list.txt
	grep -q ' 1007 ' list.txt
	ptool list --stream 1007 --format csv t.json | grep -q ',1007,'
	ptool gaps --by step t.json | grep -q '^ *1009 '
	ptool gaps --by step --step 1009 t.json | grep -q '^ *1009 '
}

@test "asynchronous slices whose category, scope and id read alike are of tracks of their own" {
	python3 - <<-'END'
		import json
		def pair(path, first, second, phases="bebe"):
		    at = lambda ph, ts, ids: {"ph": ph, "name": "op", "ts": ts, "pid": 1, "tid": 1, **ids}
		    json.dump([at(phases[0], 0, first), at(phases[2], 5, second), at(phases[1], 10, first), at(phases[3], 20, second)], open(path, "w"))
		pair("scope.json", {"cat": "a", "scope": "b", "id": 1}, {"cat": "a:b", "id": 1})
		pair("blank.json", {"cat": "x", "id": "1 2"}, {"cat": "x 1", "id": "2"})
		pair("old.json", {"cat": "q", "id": 1, "name": "net"}, {"cat": "net", "id": 1, "name": "net"}, "SFbe")
		pair("local.json", {"cat": "x", "id2": {"local": 1}, "pid": 0}, {"cat": "x", "id": 1})
		pair("alike.json", {"cat": "x", "id": 1}, {"cat": "\0", "id": 1})
	END
	sed -i 's/"\\u0000"/"\\u0078"/g' alike.json
	for file in scope blank old local; do
		ptool ingest -q -o $file.db $file.json
		[ "$(ask $file.db 'SELECT min(dur), max(dur) FROM slice')" = '10000|15000' ]
		[ $file != local ] || continue # a store has no process for what has none but process 0
		ptool export -q --to chrome -o again.json $file.db
		ptool ingest -q -o $file.again.db again.json
		[ "$(ask $file.again.db 'SELECT min(dur), max(dur) FROM slice')" = '10000|15000' ]
		rm again.json
	done
	# spelt in two ways it is one category
	ptool ingest -q -o alike.db alike.json
	[ "$(ask alike.db "SELECT count(*) FROM track WHERE kind = 'async'")" = 1 ]
}

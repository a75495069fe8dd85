#!/usr/bin/env bats
# ptool export, as users see it.  What it writes is held against Python's own reading
# in tests/pyprof/check_export.py.

load setup

PROF=$FIXTURES/pyprof/pstats/sys311/w_gen.prof

@test "a dump goes to a file, to - or to a pipe, the same bytes" {
	cp "$PROF" a.prof
	ptool export --to pstats a.prof -o b.prof
	ptool export --to pstats a.prof -o - | cmp b.prof -
	ptool export --to pstats a.prof | cmp b.prof -
	ptool export a.prof -o c.pstats
	cmp b.prof c.pstats
	only_files a.prof b.prof c.pstats
}

@test "what is exported is read again as the same profile" {
	ptool export --to pstats "$PROF" -o b.prof
	ptool callers . "$PROF" --format csv >want
	ptool callers . b.prof --format csv | cmp want -
	ptool export --to pstats b.prof | cmp b.prof -
}

@test "a report of totals alone is no dump, which has self times" {
	run -3 --separate-stderr ptool export -q --to pstats "$FIXTURES/pyprof/reports/lightning_2.6.txt" -o out.prof
	says "ptool: export: $FIXTURES/pyprof/reports/lightning_2.6.txt: the report has only totals, no self times, which a dump holds: 'ptool top' lists them"
	[ ! -e out.prof ]
}

@test "a format must be told, by --to or by the suffix" {
	run -2 --separate-stderr ptool export "$PROF"
	says 'ptool: export: no format is given: --to FORMAT names one, such as pstats'
	run -2 --separate-stderr ptool export "$PROF" -o out.txt
	says 'ptool: export: no format is given: --to FORMAT names one, such as pstats'
	run -2 --separate-stderr ptool export "$PROF" --to pstat
	says "ptool: export: unknown --to 'pstat'; did you mean 'pstats'? (valid: pstats, folded, speedscope, pprof, callgrind, chrome, pftrace, parquet)"
	[ -z "$(ls -A)" ]
}

@test "a terminal gets no binary" {
	run -2 on_terminal 80 "$PTOOL" export --to pstats "$PROF"
	[[ $output == *'pstats is binary and is not written to a terminal: -o FILE writes a file'* ]]
}

@test "a file appears whole or not at all, and is replaced only with -f" {
	cp "$PROF" a.prof
	echo mine >out.prof
	run -2 --separate-stderr ptool export --to pstats a.prof -o out.prof
	says 'ptool: export: out.prof exists; -f replaces it'
	[ "$(cat out.prof)" = mine ]
	ptool export --to pstats a.prof -f -o out.prof
	ptool export --to pstats a.prof | cmp out.prof -
	run -5 --separate-stderr ptool export --to pstats a.prof -o missing/out.prof
	[[ $stderr == *'missing/out.prof: No such file or directory' ]]
	run -5 --separate-stderr bash -c '"$PTOOL" export --to pstats a.prof >/dev/full'
	says 'ptool: export: standard output: No space left on device'
	run -0 --separate-stderr bash -c 'set -o pipefail; "$PTOOL" export --to pstats a.prof | true'
	says ''
	only_files a.prof out.prof
}

@test "a full disk ends every format at once, wherever it fills" {
	local format store bytes sets
	ptool ingest -q -o all.db "$EVERYTHING"
	# threads whose names alone fill what is written first, arrows, and a counter
	python3 - <<-'PY'
		import json
		events = [{"ph": "M", "name": "thread_name", "pid": 1, "tid": tid, "args": {"name": "n" * 500}} for tid in range(90)]
		events += [{"ph": "X", "cat": "cpu_op", "name": "f", "pid": 1, "tid": tid, "ts": tid, "dur": 5} for tid in range(90)]
		events += [{"ph": ph, "id": 1, "name": "a", "cat": "ac2g", "pid": 1, "tid": tid, "ts": tid + 1, "bp": "e"}
		           for ph, tid in (("s", 1), ("f", 2))]
		events += [{"ph": "C", "name": "c", "pid": 1, "ts": ts, "args": {"v": ts}} for ts in range(20)]
		json.dump(events, open("names.json", "w"))
	PY
	ptool ingest -q -o names.db names.json
	[ "$(sqlite3 names.db 'SELECT count(*) FROM flow')" -eq 1 ]
	for format in folded speedscope pprof callgrind chrome pftrace 'parquet --table slice'; do
		for store in all.db names.db; do
			# shellcheck disable=SC2086 # two words
			run -5 --separate-stderr timeout 60 bash -c '"$PTOOL" export --to $0 "$1" >/dev/full' "$format" "$store"
			[[ $stderr == 'ptool: export: '*': No space left on device' ]]
		done
	done
	[ -z "${VALGRIND:-}" ] || skip "valgrind needs files of its own"
	for bytes in 0 1 4; do
		run -5 --separate-stderr timeout 60 bash -c 'set -o pipefail; (ulimit -f $0; exec "$PTOOL" export --to chrome -o out.json all.db 2>&1) | cat' "$bytes"
	done
	only_files all.db names.db names.json
}

@test "what holds no function leaves no file" {
	echo '[{"ph":"C","ts":1,"pid":1,"name":"c","args":{"a":1}}]' >counter.json
	ptool ingest -q counter.json
	run -3 --separate-stderr ptool export --to pstats -o out.prof
	[[ $stderr == 'ptool: export: ptool.db: '* ]]
	[ ! -e out.prof ]
	run -4 --separate-stderr ptool export --to pstats missing.db
	says 'ptool: export: missing.db: No such file or directory'
}

@test "stacks heed filters and --weight; what a format cannot heed is refused" {
	ptool export --to folded --step 1 "$FIXTURES/gpu/sync.json" >one.txt
	ptool export --to folded "$FIXTURES/gpu/sync.json" >all.txt
	sum() { awk '{ n += $NF } END { print n }' "$1"; }
	[ "$(sum one.txt)" -gt 0 ]
	[ "$(sum one.txt)" -lt "$(sum all.txt)" ]
	run -3 --separate-stderr ptool export --to folded --step 99 "$FIXTURES/gpu/sync.json"
	[[ $stderr == *'--step 99: there are steps '* ]]
	run -2 --separate-stderr ptool export --to callgrind --step 1 "$FIXTURES/gpu/sync.json"
	says 'ptool: export: callgrind files hold whole profiles: give no filters'
	run -2 --separate-stderr ptool export --to pstats --weight device "$FIXTURES/gpu/sync.json"
	says 'ptool: export: --weight is for formats of stacks, not for pstats'
	run -3 --separate-stderr ptool export -q --to folded --weight device "$FIXTURES/torch/t2141_cnn_w0/trace.json.gz"
	[[ $stderr == *'--weight device: no device work was recorded' ]]
}

@test "what a format cannot hold is said once" {
	cat >odd.json <<-'EOF'
	[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":5,"cat":"cpu_op","name":"f [with T = int; U = int]"}]
	EOF
	run -0 --separate-stderr ptool export -q --to folded odd.json
	[ "$output" = 'f [with T = int: U = int] 5000' ]
	printf '[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":5,"cat":"cpu_op","name":"a\\u001b[m;\\u009b[31m\\n"}]' >controls.json
	run -0 --separate-stderr ptool export -q --to folded controls.json
	[ "$output" = 'a [m: [31m  5000' ]
	run -0 --separate-stderr ptool export -q --to callgrind controls.json
	[[ $output == *$'fn=(1) a [m; [31m \n'* ]]
	run -0 --separate-stderr ptool export --to folded odd.json
	[[ $stderr == *'1 names have characters that folded cannot hold; they were replaced'* ]]
	run -0 --separate-stderr ptool export --to folded "$PROF"
	[[ $stderr == *'paths are estimated: a call graph records callers and callees'* ]]
}

@test "a stack deeper than 512 frames lacks frames in the middle, and no time" {
	for n in 512 700; do
		python3 -c 'import json, sys; n = int(sys.argv[1])
print(json.dumps([{"ph": "X", "cat": "cpu_op", "name": f"f{i}", "pid": 1, "tid": 1, "ts": i, "dur": 2 * (n - i) - 1} for i in range(n)]))' $n >deep$n.json
	done
	run -0 --separate-stderr ptool export --to folded deep512.json
	[[ $stderr != *deeper* ]]
	awk -F';' '{ if (NF > most) most = NF } END { exit most != 512 }' <<<"$output"
	run -0 --separate-stderr ptool export --to folded deep700.json
	[[ $stderr == *'stacks deeper than 512 frames lack frames in the middle: these lose total time; self times and sums are whole'* ]]
	[[ ${lines[699]} == f0\;f1\;*';f502;[frames left out];f692;f693;f694;f695;f696;f697;f698;f699 1000' ]]
	awk -F';' '{ if (NF > most) most = NF; n = split($NF, word, " "); sum += word[n] } END { exit most != 512 || sum != 1399000 }' <<<"$output"
}

@test "deep sampled stacks lack frames in the middle in speedscope, too" {
	python3 -c 'import json
n = 700
head = {"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": [{"name": f"f{i}"} for i in range(n)]}}
events = [{"type": "O", "frame": i, "at": i} for i in range(n)] + [{"type": "C", "frame": n - 1 - i, "at": n + i} for i in range(n)]
kinds = {"sampled": {"samples": [list(range(i)) for i in range(1, n + 1)], "weights": [1] * n}, "evented": {"events": events}}
for kind, what in kinds.items():
    profile = {"type": kind, "name": "a", "unit": "nanoseconds", "startValue": 0, "endValue": 2 * n, **what}
    json.dump({**head, "profiles": [profile]}, open(f"{kind}.json", "w"))'
	for kind in sampled evented; do
		run -0 --separate-stderr ptool export --to speedscope -o $kind.out $kind.json
		[[ $stderr == *'stacks deeper than 512 frames lack frames in the middle'* ]]
	done
	run -0 python3 -c 'import json
file, events = json.load(open("sampled.out")), json.load(open("evented.out"))
deepest, most, opened = file["profiles"][0]["samples"][-1], 0, []
assert deepest == [*range(503), 700, *range(692, 700)], deepest
assert [frame["name"] for frame in file["shared"]["frames"]] == [*(f"f{i}" for i in range(700)), "[frames left out]"]
assert sum(file["profiles"][0]["weights"]) == 700
for event in events["profiles"][0]["events"]:
    if event["type"] == "O":
        opened.append(event["frame"])
    else:
        assert opened.pop() == event["frame"]
    most = max(most, len(opened))
assert most == 512 and not opened and events["profiles"][0]["endValue"] == 1400'
}

@test "parquet is no text for a terminal, and of a table that there is" {
	cp "$FIXTURES/gpu/sync.json" .
	run -2 on_terminal 80 "$PTOOL" top --format parquet sync.json
	[[ $output == *'parquet is binary and is not written to a terminal: -o FILE writes a file'* ]]
	run -2 --separate-stderr ptool export -o out.parquet sync.json
	[[ $stderr == *'--table NAME says which table'* ]]
	run -2 --separate-stderr ptool export -q --table nosuch -o out.parquet sync.json
	[[ $stderr == *'no such table: nosuch' ]]
	run -2 --separate-stderr ptool export --table slice --to folded sync.json
	says 'ptool: export: --table is for parquet, not for folded'
	only_files sync.json
}

@test "parquet has an integer among doubles only where it is the same number" {
	ptool ingest -q -o s.db "$FIXTURES/gpu/sync.json"
	for number in 9007199254740993 -9007199254740993 9223372036854775807; do
		run -2 --separate-stderr ptool sql --format parquet -o out.parquet s.db "SELECT $number AS v UNION ALL SELECT 0.5"
		[[ $stderr == *'column v has numbers first and others later, which Parquet cannot hold; CAST it' ]]
	done
	for number in 9007199254740992 9007199254740994 -9223372036854775808; do
		ptool sql --format parquet -f -o out.parquet s.db "SELECT $number AS v UNION ALL SELECT 0.5"
	done
}

@test "a chrome trace is JSON whatever an edited store holds, and has no args that nobody recorded" {
	ptool ingest -q --keep args -o s.db "$FIXTURES/gpu/copies.json"
	ptool export -q -o sound.json s.db
	sqlite3 s.db "UPDATE slice_args SET args = '{\"a\": \"' || CAST(x'ffc29b' AS TEXT) || '\"}' WHERE slice_id % 3 = 0;
		UPDATE slice_args SET args = '{\"a\": 1}, {' WHERE slice_id % 3 = 1; UPDATE slice_args SET args = '\"a\"' WHERE slice_id % 3 = 2;
		UPDATE slice_args SET args = '{\"b\": 1}' || char(0) WHERE slice_id % 6 = 5;
		UPDATE profile SET metadata = '{\"a\": 1}, \"traceEvents\": ['"
	ptool export -q -o edited.json s.db
	ptool ingest -q -o without.db "$FIXTURES/gpu/copies.json"
	ptool export -q -o without.json without.db
	run -0 python3 -c 'import json
def events(name):
    return [e for e in json.load(open(name, encoding="utf-8"))["traceEvents"] if e["ph"] == "X" and e["cat"] != "idle"]
edited, sound, without = events("edited.json"), events("sound.json"), events("without.json")
assert len(edited) == len(sound) == len(without)
kept = [e["args"]["a"] for e in edited if "a" in e.get("args", {})]
assert kept and set(kept) == {"\ufffd\x9b"}, kept
others = [(e.get("args"), w.get("args")) for e, w in zip(edited, without) if "a" not in e.get("args", {})]
assert others and all(e == w for e, w in others), others
assert not any(value == [None] for e in without for value in e.get("args", {}).values())'
	run -1 grep -P '\x9b' edited.json
	sqlite3 s.db "UPDATE profile SET metadata = '{\"a\": 1}' || char(0)"
	ptool export -q -f -o edited.json s.db
	run -0 python3 -c 'import json; assert "a" not in json.load(open("edited.json"))'
}

@test "sampled bytes and counts are no seconds, which a dump holds" {
	for what in go_heap.pb.gz:bytes pyspy_raw.txt:counts; do
		run -3 --separate-stderr ptool export -q --to pstats "$FIXTURES/samples/${what%:*}" -o out.prof
		says "ptool: export: $FIXTURES/samples/${what%:*}: a dump holds seconds, and these samples weigh ${what#*:}: callgrind, folded, speedscope and pprof hold them"
		[ ! -e out.prof ]
	done
}

@test "texts of an edited store that are no UTF-8 are, in pprof, pftrace and speedscope" {
	ptool ingest -q --keep args -o s.db "$EVERYTHING"
	sqlite3 s.db "UPDATE string SET text = text || CAST(x'ff' AS TEXT); UPDATE thread SET name = CAST(x'ede2' AS TEXT);
		UPDATE process SET labels = CAST(x'80' AS TEXT); UPDATE slice_class SET name = name || CAST(x'ff' AS TEXT);
		UPDATE track SET name = name || CAST(x'c3' AS TEXT); UPDATE collective SET group_description = CAST(x'ff' AS TEXT)"
	for format in pprof pftrace speedscope; do ptool export -q --to $format s.db -o s.$format; done
	PYTHONPATH=$TESTS/pyprof run -0 python3 -c 'import gzip, json
from proto import message
profile = message(gzip.open("s.pprof").read())
assert sum("\ufffd" in text.decode() for text in profile[6]) > 10
texts = []
for packet in map(message, message(open("s.pftrace", "rb").read())[1]):
    for data in map(message, packet[12]):
        texts += [message(entry)[2][0] for part in (1, 2) for entry in data[part]]
    for track in map(message, packet[60]):
        texts += track[2] + [message(p)[6][0] for p in track[3]] + [message(t)[5][0] for t in track[4]]
    for event in map(message, packet[11]):
        for note in map(message, event[4]):
            texts += note[6]
            for args in note[9]:
                json.loads(args.decode())
assert sum("\ufffd" in text.decode() for text in texts) > 30
json.load(open("s.speedscope", encoding="utf-8"))'
}

@test "samples of an edited store begin in order, and weigh something" {
	ptool ingest -q -o s.db "$FIXTURES/samples/evented.speedscope.json"
	cp s.db bad.db
	sqlite3 s.db "UPDATE sample_row SET ts = 2147483648 WHERE id = 2; UPDATE sample_row SET ts = 1 WHERE id = 4;
		UPDATE sample_series SET start_at = 9007199254740993"
	ptool export -q -o s.speedscope.json s.db
	run -0 python3 -c 'import json
profiles = json.load(open("s.speedscope.json"))["profiles"]
assert {p["type"] for p in profiles} == {"evented", "sampled"}
for p in profiles:
    times = [p["startValue"], *(e["at"] for e in p.get("events", [])), p["endValue"]]
    assert times == sorted(times), times'
	sqlite3 bad.db "UPDATE sample_row SET weight = -1 WHERE id = 1"
	run -4 --separate-stderr ptool export -q -o bad.speedscope.json bad.db
	[[ $stderr == 'ptool: export: bad.db: '* ]]
	[ ! -e bad.speedscope.json ]
}

@test "callgrind: a text that is a file and a function is told as both, and none is blank" {
	python3 - <<-'END'
		import json
		frame = lambda i, file, name: {"ph": "X", "cat": "python_function", "name": f"{file}(1): {name}", "pid": 1, "tid": 1,
		                               "ts": i * 10, "dur": 5, "args": {"Python id": i + 1}}
		json.dump([frame(0, "same", "same"), frame(1, "other", "f"), frame(2, "g", "other"), frame(3, "h", "\t"),
		           frame(4, "i", "")], open("a.json", "w"))
	END
	run -0 --separate-stderr ptool export --to callgrind -o out a.json
	[[ $stderr == *'2 names have characters that callgrind cannot hold; they were replaced'* ]]
	# as readers have it: files and functions have numbers of their own
	run -0 python3 - <<-'END'
		import re
		names = {"l": {}, "n": {}}
		for line in open("out"):
		    found = re.match(r"c?f([iln])=\((\d+)\)\s*(.*)$", line)
		    if found:
		        known = names["n" if found[1] == "n" else "l"]
		        assert found[3] or found[2] in known, line
		        known.setdefault(found[2], found[3])
		print(sorted(names["l"].values()), sorted(names["n"].values()))
	END
	[ "$output" = "['g', 'h', 'i', 'other', 'same'] ['[no name]', '[no name]', 'f', 'other', 'same']" ]
}

@test "calls below zero, which an edited store may have, are none to callgrind" {
	ptool ingest -q -o s.db "$FIXTURES/samples/node.cpuprofile"
	sqlite3 s.db "UPDATE sample_sum SET samples = -1"
	run -0 --separate-stderr ptool export -q --to callgrind s.db
	[[ $output == *$'\ncalls=0 '* && $output != *calls=-* ]]
}

@test "an asynchronous track of an edited store that is not called by its slices has no id" {
	ptool ingest -q -o s.db "$FIXTURES/gpu/phases_of_chrome.json"
	for name in "'x'" "''"; do
		sqlite3 s.db "UPDATE track SET name = $name WHERE kind = 'async'"
		ptool export -q -f -o out.json s.db
		run -0 python3 -c 'import json
ids = [str(e.get("id", e.get("id2"))) for e in json.load(open("out.json"))["traceEvents"] if e["ph"] in "beSFn"]
assert len(ids) > 4 and all(text in ("", "{\"local\": \"\"}", "{\x27local\x27: \x27\x27}") for text in ids), ids'
	done
}

@test "a call graph that lacks a function is damaged" {
	ptool ingest -q -o s.db "$PROF"
	sqlite3 s.db "UPDATE function SET id = 0 WHERE id = 1"
	for format in callgrind pstats folded; do
		run -4 --separate-stderr ptool export -q --to $format -o out s.db
		says "ptool: export: s.db: the store's call graph is damaged"
		only_files s.db
	done
}

# A function with a name of 100 kB, and 5,000 lines of it, or functions that it calls.
long_name() { # lines|stacks|calls
	PYTHONPATH="$TESTS/bench" python3 -c "import stack_files; print(stack_files.$1_of_a_long_name(5000, '.'))"
}

@test "long names that a format repeats are cut, each alike, and a note says so" {
	run -0 --separate-stderr ptool export --to folded -f -o out "$(long_name stacks)"
	[[ $stderr == *'names of more than '*' bytes are cut: folded repeats them'* ]]
	[ "$(stat -c %s out)" -lt 40000000 ]
	[ "$(cut -d';' -f1 out | sort -u | wc -l)" -eq 1 ]
	head -c 9000 out | grep -q '^x* \[cut [0-9]*\];g'
	[ "$(awk '{ sum += $NF } END { print sum }' out)" -eq 5000 ]
	run -0 --separate-stderr ptool export --to speedscope -f -o out "$(long_name lines)"
	[[ $stderr == *'names of more than '*' bytes are cut: speedscope repeats them'* ]]
	[ "$(stat -c %s out)" -lt 40000000 ]
	run -0 --separate-stderr ptool export --to folded -f -o out "$(long_name lines)"
	[[ $stderr != *cut* ]] # it has one stack
	rm out
}

@test "a long text that many events have is bounded in traces, and a note says so" {
	python3 -c '
import json
event = lambda i: {"ph": "X", "cat": "cpu_op", "name": "N", "pid": 1, "tid": 1, "ts": i * 20, "dur": 10,
                   "args": {"External id": i, "Call stack": "S"}}
json.dump({"schemaVersion": 1, "traceEvents": [event(i) for i in range(400)]}, open("short.json", "w"))'
	ptool ingest -q -o name.db short.json
	ptool ingest -q -o args.db short.json
	python3 - <<-'END'
		import sqlite3
		for path, short, text in ("name.db", "N", "x" * 500000), ("args.db", "S", "x" * 500000 + '": [{'):
		    db = sqlite3.connect(path, isolation_level=None)
		    assert db.execute("UPDATE string SET text = ? WHERE text = ?", (text, short)).rowcount == 1
	END
	run -0 --separate-stderr ptool export --to chrome -o name.json name.db
	[[ $stderr == *'names of more than '*' bytes are cut: chrome repeats them'* ]]
	run -0 --separate-stderr ptool export --to chrome -o args.json args.db
	[[ $stderr == *'args of more than 256 bytes are left out of some events: chrome repeats them'* ]]
	run -0 --separate-stderr ptool export --to pftrace -o args.pftrace args.db
	[[ $stderr == *'are left out of some events: pftrace repeats them'* ]]
	run -0 --separate-stderr ptool export --to pftrace -o name.pftrace name.db
	[ -z "$stderr" ] # it has each name once
	[ "$(stat -c %s name.pftrace)" -lt 1000000 ]
	[ "$(stat -c %s args.pftrace)" -lt 60000000 ]
	python3 - <<-'END'
		import json, os
		for name in "name.json", "args.json":
		    assert os.path.getsize(name) < 60000000, os.path.getsize(name)
		    events = [e for e in json.load(open(name))["traceEvents"] if e["ph"] == "X"]
		    assert [e["args"]["External id"] for e in events] == list(range(400))
		    assert len({e["name"] for e in events}) == 1
		    assert ("Call stack" in events[-1]["args"]) == (name == "name.json")
	END
	rm ./*
}

@test "a long text is once in a dump for pstats" {
	local dump
	dump=$(long_name calls)
	ptool export -q --to pstats -f -o out.prof "$dump"
	[ "$(stat -c %s out.prof)" -lt 1000000 ]
	python3 -c 'import marshal, sys
a, b = (marshal.load(open(path, "rb")) for path in sys.argv[1:])
assert list(a) == list(b) and all(set(a[key][4]) == set(b[key][4]) for key in a)' "$dump" out.prof
}

@test "idle time of devices that have no number has their names" {
	python3 - <<-'END'
		import json
		work = lambda i, ts, dur, **more: {"ph": "X", "name": "k", "cat": "kernel", "pid": f"gpu {'AB'[i % 2]}", "tid": 7, "ts": ts, "dur": dur, "args": {}}
		json.dump({"schemaVersion": 1, "traceEvents": [work(i, 100 * i, 50) for i in range(6)]}, open("a.json", "w"))
	END
	ptool ingest -q -o s.db a.json
	for to in chrome pftrace; do
		ptool export -q --to $to -o one.$to s.db
		ptool export -q --to $to -o two.$to s.db
		cmp one.$to two.$to
		[ "$(grep -ao ', device gpu [AB]' one.$to | sort -u | wc -l)" = 2 ]
		[ "$(grep -ao ', device [0-9-]' one.$to | wc -l)" = 0 ]
	done
}

@test "chrome: arrows lead to the lane of the work, and are read again as those of its stream" {
	{
		event cuda_runtime cudaLaunchKernel 10 5 1 1 '"correlation":1'
		event cuda_runtime cudaLaunchKernel 20 5 1 1 '"correlation":2'
		event kernel a 100 100 0 7 '"device":0,"stream":7,"correlation":1'
		event kernel b 150 100 0 7 '"device":0,"stream":7,"correlation":2'
		echo '{"ph":"s","cat":"own","name":"own","id":2,"pid":1,"tid":1,"ts":20},'
		echo '{"ph":"f","bp":"e","cat":"own","name":"own","id":2,"pid":0,"tid":7,"ts":150},'
	} | made a.json
	ptool ingest -q -o a.db a.json
	ptool export -q --to chrome -o b.json a.db
	grep '"ph":"X".*"name":"b"' b.json | grep -q '"tid":"7 lane 2"'
	grep '"ph":"f"' b.json | grep -q '"tid":"7 lane 2"'
	ptool ingest -q -o b.db b.json
	[ "$(sqlite3 b.db 'SELECT slice_out, slice_in FROM flow')" = "2|4" ]
	[ "$(sqlite3 a.db 'SELECT slice_out, slice_in FROM flow')" = "2|4" ]
}

@test "idle time is that of the devices that --device chooses" {
	for to in chrome pftrace; do
		ptool export -q --to $to -o out.$to --device 1 "$FIXTURES/gpu/two_devices.json"
		[ "$(grep -ao ', device [0-9]' out.$to | sort -u)" = ", device 1" ]
	done
}

@test "idle time is that of the phase that --phase chooses" {
	an_engine
	ptool ingest -q -o s.db engine.json
	for phase in prefill decode; do
		ptool gaps -q --list --limit 0 --phase $phase --format ndjson s.db |
			sed -E 's/.*"dur_ns":([0-9]+).*/\1/' | sort >want
		[ -s want ]
		ptool export -q --to chrome --phase $phase s.db -o - | python3 -c '
import json, sys
for e in json.load(sys.stdin)["traceEvents"]:
    if e["ph"] == "X" and "idle" in e["cat"]:
        print(round(1000 * e["dur"]))' |
			sort |
			diff want -
	done
}

@test "streams that have a name and no number are streams of their own again" {
	python3 - <<-'END'
		import json
		work = lambda i: {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": "ab"[i % 2], "ts": 100 * i, "dur": 150, "args": {"device": 0}}
		json.dump({"schemaVersion": 1, "traceEvents": [work(i) for i in range(4)]}, open("a.json", "w"))
	END
	ptool ingest -q -o s.db a.json
	ptool export -q --to chrome -o again.json s.db
	ptool ingest -q -o again.db again.json
	for command in streams gaps steps; do
		diff <(ptool $command -q --format csv s.db) <(ptool $command -q --format csv again.db)
	done
	[ "$(ask again.db "SELECT count(*) FROM track WHERE kind = 'stream'")" = 2 ]
}

#!/usr/bin/env bats
# Names that want to drive a terminal, names that are no text, and small files that
# want to be large: what SECURITY.md promises of them.

load setup

# A trace whose operator is called NAME, as JSON writes it.
named() { # NAME FILE
	printf '{"traceEvents":[{"ph":"X","cat":"cpu_op","name":"%s","ts":1,"dur":2,"pid":1,"tid":1}]}' "$1" >"$2"
}

# Characters that a terminal obeys or does not show, escaped as in grep -P.
UNSEEN='[\x00-\x08\x0b-\x1f\x7f-\x9f\x{ad}\x{200b}-\x{200f}\x{2028}-\x{202e}\x{e0001}-\x{e007f}]|\x{301}{3}'

@test "on a terminal no format lets an escape or an unseen character through" {
	named 'a\u001b]0;title\u0007\u001b[31mred\u009b\u202etxt\u200b\u00ad\udb40\udc41z\u0301\u0301\u0301\u0301' evil.json
	ptool ingest -q evil.json
	for format in table csv tsv json ndjson markdown; do
		on_terminal 200 "$PTOOL" top --no-pager --color never --format $format >shown
		grep -q title shown
		run grep -cP "$UNSEEN" shown
		prints 0
	done
	# of a column that a query names, too
	on_terminal 200 "$PTOOL" sql --no-pager --format csv "SELECT 1 AS \"$(printf 'x\033[31m')\"" >shown
	run grep -c "$(printf '\033')" shown
	prints 0
}

@test "in a pipe csv and tsv keep names as they were recorded, but for controls" {
	named 'a\u001b[31m\"\tb\\\u200b\u009b' odd.json
	ptool ingest -q odd.json
	ptool top --format csv | grep -qF "$(printf '"a\\x1b[31m""\tb\\\u200b\\u009b"')"
	ptool top --format tsv | grep -qF "$(printf 'a\\x1b[31m"\\tb\\\\\u200b\\u009b')"
	# and json is exact
	ptool top --format json | python3 -c '
import json, sys
assert json.load(sys.stdin)["rows"][0]["name"] == "a\x1b[31m\"\tb\\\u200b\u009b"'
}

@test "formulas are escaped where that is asked for" {
	named '=cmd|\"a\"' formula.json
	ptool ingest -q formula.json
	ptool top --format csv | grep -q '^"=cmd'
	for format in csv tsv; do
		ptool top --format $format --escape-formulas | grep -qE "^\"?'=cmd"
		run ptool sql --format $format --escape-formulas "SELECT -1 AS n, '-1' AS \"@t\", 'a=b' AS u"
		lines=$(printf '%s\n' "$output" | tr -d '"' | tr '\t' ,)
		[ "$lines" = "n,'@t,u
-1,'-1,a=b" ]
	done
}

@test "shapes, element types and values are cut where they are too long, too" {
	python3 - <<-'END'
		import json
		args = {"Input Dims": [[1] * 400000, ["=B"]], "Input type": ["fl=Boat", "Scalar=B"], "Concrete Inputs": ["=B", "4"]}
		events = [{"ph": "X", "cat": "cpu_op", "name": "aten::sum", "pid": 1, "tid": 1, "ts": ts, "dur": 2, "args": args}
		          for ts in (1, 5)]
		open("bytes.json", "wb").write(json.dumps({"traceEvents": events}).encode().replace(b"=B", b"\xb0"))
	END
	ptool ingest -q -o s.db bytes.json
	python3 - <<-'END'
		import sqlite3
		db = sqlite3.connect("s.db")
		texts = [text for text, in db.execute("SELECT text FROM string")]
		assert "fl\ufffdoat;Scalar\ufffd" in texts, texts[-5:]
		assert max(len(text.encode()) for text in texts) == 1 << 20
		assert db.execute("SELECT count FROM finding WHERE code = 'text_size'").fetchall() == [(2,)]
	END
}

@test "a path that is no UTF-8 is escaped in every format" {
	name=$(printf 'no\377utf\302.json')
	cp "$GPU/copies.json" "$name"
	ptool ingest -q "$name"
	for format in table csv tsv json ndjson markdown; do
		ptool info --format $format --names full >shown
		iconv -f UTF-8 -t UTF-8 shown >/dev/null
		grep -q 'no.*utf' shown
	done
	ptool info --format csv | grep -qF 'no\xffutf\xc2.json'
	ptool info --format tsv | grep -qF 'no\xffutf\xc2.json'
}

@test "no command breaks a line, a table or a text at a path that is none" {
	name=$(printf 'no\377\033[31m\nutf.json')
	cp "$GPU/copies.json" "$name"
	ptool ingest -q "$name"
	mkdir shown
	for format in table csv json ndjson; do
		for command in info doctor list 'top --by profile' 'kernels --by profile'; do
			ptool $command --format $format >"shown/${command%% *}.$format"
		done
	done
	ptool export -o shown/export.json
	ptool report -q -o shown/report.html
	python3 - <<-'END'
		import csv, glob, io, json
		with_path = set()
		for path in glob.glob("shown/*"):
		    text = open(path, "rb").read().decode("utf-8")
		    assert "\x1b" not in text, path
		    command, form = path[6:].split(".")
		    if "utf.json" in text:
		        with_path.add(command)
		    if form == "table":
		        assert not any(line.startswith("utf.json") for line in text.split("\n")), path
		    elif form == "csv":
		        rows = list(csv.reader(io.StringIO(text)))
		        assert len(rows) > 1 and {len(row) for row in rows} == {len(rows[0])}, path
		    elif form == "ndjson":
		        assert all(isinstance(json.loads(line), dict) for line in text.splitlines()), path
		    elif form == "json":
		        json.loads(text)
		assert with_path >= {"info", "doctor", "top", "kernels", "report"}, with_path
	END
}

@test "a message about the longest path says what is wrong with it" {
	name=$(printf '\377%.0s' {1..4095})
	run -4 --separate-stderr ptool top "$name"
	[[ $stderr == 'ptool: top: \xff'*'\xff: File name too long' ]]
}

@test "types and values of inputs are text, whatever their bytes" {
	args='{"Input Dims":[[2,3],[]],"Input type":["fl\377oat","x\\u0041"],"Concrete Inputs":["","no"]}'
	printf '{"traceEvents":[{"ph":"X","cat":"cpu_op","name":"%s","ts":1,"dur":2,"pid":1,"tid":1,"args":%b}]}' \
		aten::upsample_nearest2d "$args" >bytes.json
	ptool ingest -q bytes.json
	ptool sql --format csv 'SELECT text FROM string' >texts
	iconv -f UTF-8 -t UTF-8 texts >/dev/null
	grep -qF "$(printf 'fl\357\277\275oat;xA')" texts
}

@test "what expands too far is refused, unless the user says that it may" {
	named a small.json
	{ cat small.json; head -c 200M /dev/zero | tr '\0' ' '; } | zstd -q >once
	zstd -q <once >twice
	run --separate-stderr ptool ingest -q -o once.db once
	exits 0
	run --separate-stderr ptool ingest -q -o twice.db twice
	exits 4
	[[ $stderr == "ptool: ingest: twice: it expands to more than 200 times its size; \
if you trust it, use 'ptool ingest --max-expand N'" ]]
	[ ! -e twice.db ]
	run --separate-stderr ptool top twice
	exits 4
	[[ $stderr == *"--max-expand N"* ]]
	run --separate-stderr ptool ingest -q --max-expand 10000000 -o twice.db twice
	exits 0
	run --separate-stderr ptool ingest -q --max-expand 0 -o fine.db once
	exits 2
	# which is not reached by what is small or does not shrink
	gzip -c "$GPU/one_stream.json" | gzip >fine
	run --separate-stderr ptool ingest -q -o fine.db fine
	exits 0
}

@test "a report is found behind many blanks and long lines" {
	printf '         2 function calls in 0.002 seconds\n\n   Ordered by: standard name\n\n%s\n%s\n' \
		'   ncalls  tottime  percall  cumtime  percall filename:lineno(function)' \
		'        2    0.002    0.001    0.002    0.001 a.py:1(f)' >report
	{ printf '%70000s' ''; printf '%70000s' '' | tr ' ' '\n'; cat report; } >blanks.txt
	{ printf '%70000s' '' | tr ' ' x; echo; cat report; } >line.txt
	printf '%70000s' '' >nothing.txt
	for file in blanks line; do
		ptool ingest -q -o s.db $file.txt
		[[ $(ptool pstats --format csv s.db | tail -n 1) == *'"f",'* ]]
		rm s.db
	done
	run --separate-stderr ptool ingest -q -o s.db nothing.txt
	exits 4
	[[ $stderr == *'no known format'* ]]
}

@test "4: of XPROF more than 32,768 processes and threads with a name are told" {
	python3 - <<-'PY'
		import json
		def named(kind, name, **of):
		    return {"ph": "M", "pid": 1, "name": kind, "args": {"name": name}, **of}
		events = [named("process_name", "/device:GPU:0")] + [named("thread_name", f"Stream #{i}", tid=i) for i in range(32768)]
		json.dump({"traceEvents": events[:-1] + [{"ph": "X", "pid": 1, "tid": 0, "ts": 1, "dur": 2, "name": "k"}]}, open("most.json", "w"))
		json.dump({"traceEvents": events + [{"ph": "X", "pid": 1, "tid": 32767, "ts": 1, "dur": 2, "name": "k"}]}, open("more.json", "w"))
	PY
	ptool doctor -q most.json | lacks many_rows
	ptool doctor -q more.json >shown
	[[ $(cat shown) == *many_rows*'32,768'*'no device work'* ]]
	ptool list -q --format csv most.json | grep -q ',"kernel",'
	ptool list -q --format csv more.json | lacks ',"kernel",'
}

@test "operators of so many threads beside data loading that their sum leaves 64 bits are advised on" {
	python3 - <<-'PY'
		import json
		week = 7 * 86400 * 1000000
		def x(cat, name, tid=0):
		    return {"ph": "X", "cat": cat, "pid": 1, "tid": tid, "name": name, "ts": 0, "dur": week}
		events = [x("user_annotation", "ProfilerStep#0"), x("user_annotation", "enumerate(DataLoader)#_X.__next__")]
		json.dump({"schemaVersion": 1, "traceEvents": events + [x("cpu_op", "aten::mm", i) for i in range(1, 15401)]}, open("long.json", "w"))
	PY
	ptool advise -q long.json >/dev/null # UBSan says more
}

@test "an entry that is nested too deep is told as what it is" {
	deep=$(printf '[%.0s' {1..66000})$(printf ']%.0s' {1..66000})
	echo "{\"deviceProperties\":$deep,\"traceEvents\":[{\"ph\":\"X\",\"ts\":1,\"dur\":2,\"name\":\"a\"}]}" >deep.json
	[[ $(ptool doctor -q deep.json) == *'deviceProperties'*'an event or another entry is not valid JSON, or is nested too deep; it was skipped'* ]]
}

@test "4: a snapshot of more than 1,024 devices is refused" {
	python3 -c 'import pickle
pickle.dump({"segments": [], "device_traces": [[]] * 1025}, open("a.pickle", "wb"), protocol=4)'
	run -4 --separate-stderr ptool ingest -q -o s.db a.pickle
	[[ $stderr == *'device_traces of more than 1024 devices' ]]
	[ ! -e s.db ]
}

@test "4: a dictionary of a snapshot has at most 64 keys" {
	python3 - <<-'END'
		import pickle
		entry = {"action": "alloc", "addr": 4096, "size": 512, "stream": 0, "time_us": 1, "frames": []}
		for n in 64, 65:
		    entry |= {f"key{n}_{i}": i for i in range(n - len(entry))}
		    pickle.dump({"segments": [], "device_traces": [[entry]]}, open(f"{n}.pickle", "wb"), protocol=4)
	END
	ptool ingest -q -o s.db 64.pickle
	run -4 --separate-stderr ptool ingest -q -o t.db 65.pickle
	[[ $stderr == *'an entry of device_traces has more than 64 keys' ]]
	[ ! -e t.db ]
}

@test "entries that are there twice are told among the first 4,096" {
	python3 - <<-'END'
		import json
		call = {"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 1}
		for n in 4096, 4097:  # that with the events
		    keys = "".join(f'"k{i}": 1, ' for i in range(n - 3))
		    open(f"{n}.json", "w").write(f'{{"traceEvents": [{json.dumps(call)}], {keys}"a": 1, "a": 2}}')
	END
	for n in 4096 4097; do
		ptool ingest -q -o $n.db $n.json
		ask $n.db "SELECT detail FROM finding WHERE code = 'duplicate_key'"
	done >told
	[ "$(cat told)" = a ]
}

@test "names of more than 1 MiB are cut in dumps, listings and snapshots, too, and told" {
	python3 - <<-'END'
		import marshal, pickle
		name = "f" * (1 << 20) + "é"
		open("a.prof", "wb").write(marshal.dumps({("a.py", 1, name): (1, 1, 1.0, 1.0, {})}))
		open("a.txt", "w").write(f"         1 function calls in 0.001 seconds\n\n   Ordered by: standard name\n\n"
		                         "   ncalls  tottime  percall  cumtime  percall filename:lineno(function)\n"
		                         f"        1    0.001    0.001    0.001    0.001 a.py:1({name})\n\n\n")
		entry = {"action": "alloc", "addr": 4096, "size": 512, "stream": 0, "time_us": 1,
		         "frames": [{"filename": "a.py", "line": 1, "name": name}]}
		pickle.dump({"segments": [], "device_traces": [[entry]]}, open("a.pickle", "wb"), protocol=4)
	END
	for file in a.prof a.txt a.pickle; do
		ptool ingest -q -o s.db $file
		run ptool doctor --format csv s.db
		[[ $output == *text_size* ]]
		run ptool sql --format csv s.db 'SELECT max(length(CAST(text AS BLOB))) AS n FROM string'
		[[ ${lines[1]} == 1048576 ]]
		rm s.db
		run -4 ptool ingest -q --strict -o s.db $file
	done
}

@test "4: a merged file of more than 16,384 ranks is refused, however it tells them" {
	python3 - <<-'END'
		import json
		n = 16385
		name = lambda kind, pid, tid, **args: {"ph": "M", "name": f"{kind}_name", "pid": pid, "tid": tid, "args": args}
		call = {"ph": "X", "ts": 3, "dur": 5, "name": "a", "tid": 7}
		pids = [call | {"pid": f"[rank {i}] 1"} for i in range(n)]
		fused = [e for i in range(n) for e in (name("process", i * 10**9, 0, name="python", rank=i, pid_raw=1), call | {"pid": i * 10**9})]
		forward = {"ph": "X", "ts": 3, "dur": 5, "name": "forward-compute", "cat": "forward-compute", "pid": 0,
		           "args": dict.fromkeys(("step", "model_chunk", "mb_id", "seq_id"), 0)}
		workers = [forward | {"tid": i * 5} for i in range(n)]
		for kind in ("pids", "fused", "workers"):
		    json.dump({"traceEvents": globals()[kind]}, open(kind, "w"))
		json.dump({"traceEvents": pids[:4098]}, open("fine", "w"))
	END
	for file in pids fused workers; do
		run -4 --separate-stderr ptool ingest -q -o s.db $file
		[[ $stderr == "ptool: ingest: $file: more than 16384 ranks in one file: ingest the files that it was made of, or some of \
the ranks at a time" ]]
		[ ! -e s.db ]
	done
	ptool ingest -q --summaries no -o s.db fine
	[ "$(ask s.db 'SELECT count(*), max(rank) FROM profile')" = '4098|4097' ]
}

@test "a long text that a file has once and shares makes no store many times its size, and is told" {
	python3 - <<-'END'
		import json, marshal, pickle
		long, n = "K" * 1000000 + ".py", 80
		entries = [{"action": "alloc", "addr": i, "size": 8, "time_us": i,
		            "frames": [{"filename": long, "line": i, "name": "f"}]} for i in range(n)]
		pickle.dump({"segments": [], "device_traces": [entries]}, open("a.pickle", "wb"), protocol=4)
		code = (lambda: 0).__code__
		codes = [code.replace(co_filename=long, co_name="f", co_firstlineno=i + 1) for i in range(n)]
		marshal.dump({(long, i, c): (1, 1, 0.0, 0.0, {}) for i, c in enumerate(codes)}, open("a.prof", "wb"), 4)
		slices = [{"ph": "X", "pid": f"[rank {i}] 1", "tid": 2, "ts": 1, "dur": 2, "name": "a"} for i in range(n)]
		json.dump({"note": long, "end": 1, "traceEvents": slices}, open("note.json", "w"))
		devices = [{"id": i, "name": "x" * 500} for i in range(1000)]
		json.dump({"deviceProperties": devices, "traceEvents": slices}, open("devices.json", "w"))
		counter = {"ph": "C", "pid": 1, "ts": 1, "name": long, "args": {f"s{i}": 1 for i in range(n)}}
		with open("files.prof", "wb") as f:
		    marshal.dump({(long, i, f"f{i}"): (1, 1, 1.0, 1.0, {}) for i in range(n)}, f)
		json.dump({"traceEvents": slices[:1] + [counter]}, open("counter.json", "w"))
		name = lambda kind, text, tid=0: {"ph": "M", "pid": 1, "tid": tid, "name": f"{kind}_name", "args": {"name": text}}
		shared = [name("process", "DP rank [0] " + long)]
		for i in range(n):
		    shared += [name("thread", f"PP rank {i}, TP rank 0, compute", i), slices[0] | {"pid": 1, "tid": i}]
		json.dump({"traceEvents": shared}, open("process.json", "w"))

		def number(n):
		    return bytes([n & 127 | 128]) + number(n >> 7) if n > 127 else bytes([n])
		field = lambda at, data: number(at << 3 | 2) + number(len(data)) + data
		value = lambda at, n: number(at << 3) + number(n)
		label = lambda key, at, n: field(3, value(1, key) + value(at, n))
		with open("label.pb", "wb") as f:
		    f.write(field(1, value(1, 4) + value(2, 2)))
		    f.write(b"".join(field(2, field(1, b"\1") + field(2, b"\1") + label(5, 2, 1) + label(6, 3, i)) for i in range(n)))
		    f.write(field(4, value(1, 1) + field(4, value(1, 1) + value(2, 3))) + field(5, value(1, 1) + value(2, 3)))
		    f.write(b"".join(field(6, s.encode()) for s in ("", long, "count", "f", "samples", "thread", "thread_id")))
	END
	for file in a.pickle a.prof files.prof note.json devices.json counter.json process.json label.pb; do
		ptool ingest -q --summaries no -o s.db $file
		[ "$(stat -c %s s.db)" -lt 64000000 ]
		[ "$(ask s.db "SELECT count(*) > 0 FROM finding WHERE code = 'shared_size'")" = 1 ]
		mv s.db $file.db
		run -4 ptool ingest -q --strict -o s.db $file
		rm -f s.db
	done
	# what tells names apart is behind the part that was cut
	[ "$(ask a.pickle.db "SELECT count(*) FROM string WHERE text LIKE 'KK%): f'")" = 80 ]
	[ "$(ask a.prof.db "SELECT count(*) FROM string WHERE text LIKE '<code object f, file %, line %>'")" = 80 ]
	# each answer spells the file of each function
	[ "$(ask files.prof.db "SELECT count(*), sum(length(text)) < 40e6 FROM function JOIN string s ON s.id = file_id")" = '80|1' ]
	# every rank has what is short
	[ "$(ask note.json.db "SELECT count(*), sum(metadata LIKE '%end%'), sum(metadata LIKE '%note%') FROM profile")" = '80|80|1' ]
}

@test "64 MiB without a value are told as what they are, not as a value of 1 GiB" {
	{
		printf '{"$schema":"https://www.speedscope.app/file-format-schema.json",'
		head -c 65M /dev/zero | tr '\0' ' '
		printf '"shared":{"frames":[]},"profiles":[]}'
	} >blank.json
	run -4 ptool ingest -q -o s.db blank.json
	[[ $output == *"more than 64 MiB before the next value" ]]
}

@test "4: a sample of speedscope has at most 256 MiB" {
	start() {
		printf '{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"a"}]},'
		printf '"profiles":[{"type":"sampled","name":"x","unit":"none","startValue":0,"endValue":1,"samples":[['
		head -c 257M /dev/zero | tr '\0' ' '
	}
	run -4 --separate-stderr ptool ingest -q -o s.db - < <(start)
	[[ $stderr == *': a sample of more than 256 MiB' ]]
	[ ! -e s.db ]
}

@test "4: a store that was made anew in UTF-16 is refused in plain words" {
	named 'aten::mm' a.json
	ptool ingest -q -o own.db a.json
	for encoding in UTF-16le UTF-16be; do
		(
			echo "PRAGMA encoding = '$encoding'; PRAGMA application_id = $(sqlite3 own.db 'PRAGMA application_id');"
			echo "PRAGMA user_version = $(sqlite3 own.db 'PRAGMA user_version');"
			sqlite3 own.db .dump
		) | sqlite3 wide.db
		for command in top migrate; do
			run --separate-stderr ptool $command wide.db
			exits 4
			[ "$stderr" = "ptool: $command: wide.db: another program changed the store's texts to UTF-16; ingest the trace again" ]
		done
		rm wide.db
	done
}

@test "keys of events that are written with escapes are those keys" {
	cat >escaped.json <<-'E'
		{"traceEvents":[{"p\u0068":"X","n\u0061me":"a","\u0074s":1,"dur":2,"pid":1,"tid":1},
		{"p\u0068":"X","n\u0061me":"b","\u0074s":5,"dur":2,"pid":1,"tid":1},{"ph":"X","name":"c","ts":9,"dur":2,"pid":1,"tid":1}]}
	E
	ptool ingest -q --strict escaped.json
	[ "$(ask ptool.db 'SELECT name, ts, dur FROM slice')" = $'a|0|2000\nb|4000|2000\nc|8000|2000' ]
}

@test "names of processes and threads, asynchronous tracks and series are cut at 1 MiB, too, and told" {
	python3 - <<-'END'
		import json
		long = "é" * (1 << 20)
		name = lambda kind, **args: {"ph": "M", "name": kind, "pid": 1, "tid": 1, "args": args}
		mark = {"ph": "b", "cat": long, "id": 1, "name": "a", "pid": 1, "tid": 1, "ts": 1}
		events = [name("process_name", name=long), name("thread_name", name=long), name("process_labels", labels=long), mark,
		          {"ph": "C", "name": "c", "pid": 1, "ts": 1, "args": {long: 1}}, {"ph": "X", "name": "x", "pid": 1, "tid": 1, "ts": 1, "dur": 2}]
		json.dump({"traceEvents": events}, open("a.json", "w"))
	END
	ptool ingest -q -o s.db a.json
	[ "$(ask s.db 'SELECT max(length(CAST(text AS BLOB))) FROM string WHERE text NOT LIKE '\''c %'\''')" = 1048576 ]
	[ "$(ask s.db "SELECT count FROM finding WHERE code = 'text_size'")" = 5 ]
}

@test "metadata of events has the limit of entries beside them, and all together one, and is told" {
	python3 - <<-'END'
		import json
		note = lambda i, n: {"ph": "M", "name": f"note{i}", "pid": 1, "args": {"v": "a" * n}}
		call = {"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 1}
		json.dump([call, note(0, 1 << 20), note(1, 9)], open("large.json", "w"))
		again = [note(1, 1000000), note(0, 999999)]
		json.dump([call] + [note(i, 1000000) for i in range(70)] + again, open("many.json", "w"))
	END
	ptool ingest -q -o s.db large.json
	[ "$(ask s.db 'SELECT metadata FROM profile')" = '{"note1": {"v": "aaaaaaaaa"}}' ]
	[ "$(ask s.db "SELECT detail, count FROM finding WHERE code = 'metadata_size'")" = 'note0|1' ]
	rm s.db
	ptool ingest -q -o s.db many.json
	[ "$(ask s.db 'SELECT length(metadata) / 1000000 FROM profile')" = 67 ]
	[ "$(ask s.db "SELECT length(json_extract(metadata, '\$.note0.v')) FROM profile")" = 999999 ]
	[ "$(ask s.db "SELECT count FROM finding WHERE code = 'metadata_size'")" = 3 ]
}

@test "processes whose long names begin alike are two, also in a merged file" {
	python3 - <<-'END'
		import json
		call = lambda pid: {"ph": "X", "cat": "cpu_op", "name": "a", "pid": pid, "tid": 1, "ts": 0, "dur": 5, "args": {"pid_raw": 3, "rank": 0}}
		json.dump([call("€" * 20), call("€" * 11 + "x")], open("a.json", "w"))
	END
	ptool ingest -q -o s.db a.json
	[ "$(ask s.db 'SELECT pid_text FROM process ORDER BY upid')" = "[rank 0] €€€€€€€€€€€€€€€€€€€€
[rank 0] €€€€€€€€€€€x" ]
}

@test "what an export and memory files tell is within the limits of traces" {
	python3 - <<-'END'
		import json, pickle
		call = {"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": 0, "dur": 5}
		json.dump({"schemaVersion": 1, "baseTimeNanoseconds": 0, "traceEvents": [call],
		           "ptool": {"dialect": "F", "annotation_fudge_ns": -2**63 + 1}}, open("fudge.json", "w"))
		sizes = [[0, i, 2, 3, 4, 5, 6, 7, 8] for i in (1, 5, 7)]
		json.dump([[-9e15, 5.0, 9e15], sizes], open("curve.json", "w"))
		entry = lambda us: {"action": "alloc", "addr": us, "size": 5, "time_us": us, "frames": []}
		segment = {"device": 0, "total_size": 64, "allocated_size": 15, "blocks": []}
		pickle.dump({"segments": [segment], "device_traces": [[entry(us) for us in (-9 * 10**15, 7, 9 * 10**15)]]}, open("a.pickle", "wb"), protocol=4)
	END
	ptool ingest -q -o s.db fudge.json
	[ "$(ask s.db 'SELECT annotation_fudge_ns FROM profile')" = 0 ]
	rm s.db
	ptool ingest -q -o s.db curve.json
	[ "$(ask s.db "SELECT count FROM finding WHERE code = 'time_range'")" = 9 ]
	[ "$(ask s.db 'SELECT bytes, total_allocated_bytes FROM allocation')" = '4|40' ]
	rm s.db
	ptool ingest -q -o s.db a.pickle
	[ "$(ask s.db "SELECT count FROM finding WHERE code = 'time_range'")" = 2 ]
	[ "$(ask s.db 'SELECT bytes, total_allocated_bytes FROM allocation')" = '5|10' ]
	run -4 ptool ingest -q --strict -o t.db curve.json
}

@test "ids with a NUL byte are those of their own process and thread, also in a merged file" {
	python3 - <<-'END'
		import json
		name = lambda kind, text, pid, tid=0: {"ph": "M", "pid": pid, "tid": tid, "name": f"{kind}_name", "args": {"name": text}}
		call = lambda pid, tid, ts=1, dur=2: {"ph": "X", "name": "f", "pid": pid, "tid": tid, "ts": ts, "dur": dur}
		# the process p NUL "t is none of the threads of process p
		events = []
		for pid in "p", 'p\0"t':
		    events += [name("process", "DP rank [0]", pid)]
		    events += [name("thread", f"PP rank {1 - i}, TP rank 0, compute", pid, tid) for i, tid in enumerate("uv")]
		    events += [call(pid, tid) for tid in "uv"]
		json.dump({"traceEvents": events + [call("p", "t")]}, open("shared.json", "w"))
		pids = [f"[rank {rank}] a\0{pid}" for rank in (0, 1) for pid in "bc"]
		json.dump([call(pid, 1, i % 2, 10 - 4 * (i % 2)) for i, pid in enumerate(pids)], open("tagged.json", "w"))
	END
	for jobs in 1 2; do
		ptool ingest -q -j $jobs -o s.db shared.json
		[ "$(ask s.db 'SELECT group_concat(pp), group_concat(slices) FROM profile')" = '1,0|3,2' ]
		rm s.db
	done
	ptool ingest -q -o s.db tagged.json
	[ "$(ask s.db 'SELECT count(*) FROM track')" = 4 ]
	[ "$(ask s.db 'SELECT sum(self_ns) FROM slice')" = 32000 ]
}

@test "ranks that no job has are no places on an axis" {
	python3 - <<-'END'
		import json
		call = {"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 2}
		most = 2**63 - 1
		groups = [{"pg_desc": "ddp", "ranks": []}, {"pg_desc": "dp_shard", "ranks": [1, most]}, {"pg_desc": "tp", "ranks": []}]
		for i, rank in enumerate((most, most - 1)):
		    info = {"rank": rank, "world_size": 4, "pg_config": groups}
		    json.dump({"schemaVersion": 1, "distributedInfo": info, "traceEvents": [call]}, open(f"{i}.json", "w"))
	END
	ptool ingest -q -o s.db 0.json 1.json
	[ "$(ask s.db 'SELECT DISTINCT tp IS NULL, ep IS NULL FROM profile')" = '1|1' ]
	[ "$(ask s.db 'SELECT max(dp) FROM profile')" = 1 ]
}

@test "times at the end of 64 bits stay there in trees and lines, and nothing is divided by them" {
	python3 - <<-'END'
		import marshal, pickle, sys, types
		most = 9223372036.9
		f, g = ("a.py", 1, "f"), ("a.py", 2, "g")
		marshal.dump({f: (1, 1, most, most, {}), g: (1, 1, most, most, {f: (1, 1, most, most)})}, open("a.prof", "wb"))
		name = "line_profiler._line_profiler"
		sys.modules["line_profiler"], sys.modules[name] = types.ModuleType("line_profiler"), types.ModuleType(name)
		LineStats = type("LineStats", (), {"__module__": name, "__qualname__": "LineStats"})
		sys.modules[name].LineStats = LineStats
		stats = LineStats()
		stats.timings, stats.unit = {("a.py", 1, "f"): [(1, 1, 2**63 - 1), (2, 1, 5)]}, 1e-9
		pickle.dump(stats, open("a.lprof", "wb"), 2)
	END
	for file in a.prof a.lprof; do
		ptool ingest -q -o ${file#a.}.db $file
	done
	ptool tree --format json prof.db >tree.json
	ptool lines --format json lprof.db >lines.json
	ptool top --format json lprof.db >top.json
	ptool flame -q -o flame.svg prof.db
	python3 - <<-'END'
		import json
		rows = {name: json.load(open(f"{name}.json"))["rows"] for name in ("tree", "lines", "top")}
		times = [value for some in rows.values() for row in some for key, value in row.items() if key.endswith("_ns") and value is not None]
		assert len(times) > 5 and min(times) >= 0, times
		assert any(row["function"] == "f" if "function" in row else "f" in row["name"] for row in rows["tree"]), rows["tree"]
	END
	ptool lines lprof.db | grep -E '^ +1 +1 +9223372036\.855s +-$'
	[ "$(ptool top lprof.db | grep -c -- '-9223')" = 0 ]
}

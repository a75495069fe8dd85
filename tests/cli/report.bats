#!/usr/bin/env bats
# ptool report as users see it from the shell; tests/browser opens its pages.  Runs under TSAN,
# too: tabs are made by several threads.

load setup

@test "the page goes to a file, to - or to a pipe, the same bytes" {
	cp "$EVERYTHING" a.json
	ptool report -q a.json -o a.html
	ptool report -q a.json -o - | cmp a.html -
	ptool report -q a.json | cmp a.html -
	only_files a.json a.html
}

@test "its policy allows nothing but its own script and style" {
	ptool report -q "$EVERYTHING" -o a.html
	grep -q "content=\"default-src 'none'; script-src 'sha256-[^ ]*'; style-src 'sha256-[^ ]*'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'\"" a.html
	python3 - <<'END'
import base64, hashlib, re
page = open("a.html", "rb").read()
for tag in b"script", b"style":
	text, = re.findall(b"<%s>(.*?)</%s>" % (tag, tag), page, re.S)
	hashed = base64.b64encode(hashlib.sha256(text).digest())
	assert b"%s-src 'sha256-%s'" % (tag, hashed) in page, tag
END
}

@test "no asset makes markup or code of text" {
	lacks -nE 'innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|Function\(|javascript:' \
		< <(cat "$TESTS"/../src/report/assets/*)
	lacks -nE ' (style|on[a-z]+)=' < <(cat "$TESTS"/../src/report/assets/*.html)
}

@test "a terminal gets no page, and says where to write it" {
	run -2 on_terminal 80 "$PTOOL" report "$EVERYTHING"
	[[ $output == *'no file is given: -o FILE names it, such as -o report.html'* ]]
}

@test "an existing file, a folder that is not there, a full disk: one line, no half page" {
	echo mine >a.html
	run -2 --separate-stderr ptool report -q "$EVERYTHING" -o a.html
	says 'ptool: report: a.html exists; -f replaces it'
	[ "$(cat a.html)" = mine ]
	run -5 --separate-stderr ptool report -q "$EVERYTHING" -o no/a.html
	says 'ptool: report: no/a.html: No such file or directory'
	run -5 --separate-stderr ptool report -q "$EVERYTHING" -o /dev/full
	says 'ptool: report: /dev/full: No space left on device'
	ptool report -q "$EVERYTHING" -f -o a.html
	grep -q '^<!DOCTYPE html>' a.html
	only_files a.html
}

@test "two recordings are compared, and what cannot be is told" {
	ptool report -q "$GPU/one_stream.json" "$GPU/sync.json" -o d.html
	grep -q '>Comparison</a>' d.html
	grep -q 'data-of="new-chart-memory-0"\|data-table="new-table-info"' d.html
	run -3 --separate-stderr ptool report -q "$EVERYTHING" "$FIXTURES/pyprof/app.prof" -o e.html
	[ "${stderr_lines[*]}" != "" ] && [ "${#stderr_lines[@]}" -eq 1 ]
	run -2 --separate-stderr ptool report -q a b c -o e.html
	says "ptool: report: a report shows one STORE|FILE or compares two: 'ptool diff' compares more"
	only_files d.html
}

@test "a call tree against a baseline of several runs is of one run a side" {
	export PTOOL_BASELINES=$BATS_TEST_TMPDIR/baselines
	for run in 1 2 3; do
		printf 'main;work 70\nmain 30\n' >run$run.folded
	done
	ptool baseline -q save main run1.folded run2.folded run3.folded
	ptool report -q -o two.html baseline:main run1.folded
	grep -q 'before: baseline:main' two.html
	grep -q '100% is 100 samples, 0% from 100 samples in baseline:main' two.html
	grep -q 'baseline:main has 3 runs: its amounts are scaled to the 1 of run1.folded' two.html
}

@test "a step that took no time before has no percentage" {
	step_of() { # DURATION
		printf '{"schemaVersion":1,"traceEvents":[{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,
			"tid":1,"ts":10,"dur":%s},{"ph":"X","cat":"cpu_op","name":"aten::add","pid":1,"tid":1,"ts":30,"dur":1}]}' "$1"
	}
	step_of 0 >none.json
	step_of 9 >some.json
	ptool report -q -o - none.json some.json | grep -qF 'A step went from 0 ns to 9.000 us; that may be chance.'
}

@test "the page says what a recording is slow of, and what it lacks" {
	ptool report -q "$EVERYTHING" -o a.html
	grep -q '<p class="verdict">55.4% of each step the GPU communicates and does not compute.</p>' a.html
	ptool report -q "$FIXTURES/pyprof/app.prof" -o b.html
	grep -q '<p class="verdict">75% of the time is in /src/app.py:10(fib).</p>' b.html
	ptool report -q "$FIXTURES/torch/t2141_cnn_w0" -o c.html
	grep -q 'class="empty">Kernels</a>' c.html
}

@test "the numbers of its tables are those of the commands" {
	cp "$EVERYTHING" a.json
	ptool report -q a.json -o a.html
	export PTOOL
	python3 - <<'END'
import base64, json, os, re, subprocess, zlib
page = open("a.html", encoding="utf-8").read()
def rows(id):
	kind, text = re.search(r'<script type="application/([^"]*)" id="%s">(.*?)</script>' % id, page, re.S).groups()
	if kind == "octet-stream":
		text = zlib.decompress(base64.b64decode(text), -15).decode()
	data = json.loads(text)
	return [dict(zip([c["name"] for c in data["columns"]], row)) for row in data["rows"]]
def ask(command):
	words = [os.environ["PTOOL"], *command.split(), "-n", "0", "--format", "json", "a.json"]
	return json.loads(subprocess.run(words, check=True, capture_output=True).stdout)["rows"]
for id, command in ("operators", "top"), ("kernels", "kernels"), ("transfers-by", "transfers --by op"), ("comm", "comm"), ("gap-list", "gaps --list"):
	shown, known = rows("table-" + id), ask(command)
	assert len(shown) == len(known) > 0, id
	for row in shown:
		numbers = {name: value for name, value in row.items() if name in known[0] and isinstance(value, (int, float))}
		assert len(numbers) > 2 and any(numbers.items() <= one.items() for one in known), (id, row)
END
}

@test "memory of ranks and of processes is drawn apart" {
	ptool ingest -q "$TORCH"/t260_ddp_rank[01]
	ptool report -o ranks.html
	[ "$(grep -o 'Memory of [^<]*' ranks.html | paste -sd,)" = \
		'Memory of cpu of rank 0 over time,Memory of cpu of rank 1 over time' ]
	ptool report -q "$FIXTURES/mprof/multiprocess_M.dat" -o p.html
	[ "$(grep -c 'Memory of process' p.html)" -eq 4 ]
	grep -q '<p class="verdict">The memory of all processes was at most 87.96 MiB.</p>' p.html
}

@test "tabs of graphs, compiled code and rooflines, and phases, are there where they were recorded" {
	has() { # FILE
		ptool report -q "$1" -o page.html
		grep -oE 'id="(table-(phases|graphs|compile|compile-steps|compile-kernels|roofline)|graphs|compile|roofline)"' page.html |
			sort -u | tr -d '"' | paste -sd' '
		rm page.html
	}
	an_engine
	[ "$(has engine.json)" = 'id=compile id=table-compile id=table-compile-kernels id=table-compile-steps id=table-phases' ]
	[ "$(has "$GPU/graph.json")" = 'id=graphs id=table-graphs' ]
	event kernel gemm 0 10 0 7 '"device":0,"stream":7' | made bare.json
	[ -z "$(has bare.json)" ]
	[ "$(has "$TORCH/t2141_cnn_w0/trace.json.gz")" = 'id=roofline id=table-roofline' ]
}

@test "a page of several ranks says of which rank a finding is" {
	ptool ingest -q --run ddp "$TORCH"/t260_ddp_rank[01]/trace.json.gz
	ptool report -o r.html
	ptool advise --format csv | grep -c '^"communication","[hml]' >n
	[ "$(grep -o 'Communication (rank [01])' r.html | sort -u | wc -l)" -eq "$(cat n)" ]
	[ "$(cat n)" -ge 1 ]
}

@test "2, 3: what no timeline has cannot be kept on it" {
	sync=$GPU/sync.json
	refused() { # STATUS MESSAGE ARGUMENT...
		run -"$1" --separate-stderr ptool report -q -o page.html "${@:3}"
		[[ $stderr == "ptool: report: "*"$2"* ]]
		[ ! -e page.html ]
	}
	refused 3 '--step 99: there are steps 0, 1' --step 99 "$sync"
	refused 3 '--time begins after the recording, which lasts' --time 1000s..2000s "$sync"
	for option in --step=0 --phase=decode --time=1us..; do
		refused 2 "${option%=*} is for one STORE|FILE: a comparison has no timeline" $option "$sync" "$sync"
		refused 2 "${option%=*} is for timelines, which only traces have" $option "$FIXTURES/pyprof/app.prof"
	done
}

@test "charts have no more columns and dots than a screen has room for, and the extremes" {
	python3 - <<-'END'
		import json
		step = lambda i: {"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{i}", "pid": 1, "tid": 1,
		                  "ts": i * 100, "dur": 90 if i == 2222 else 50 if i % 2 else 40}
		json.dump([step(i) for i in range(5000)], open("steps.json", "w"))
	END
	ptool report -q -o one.html steps.json
	ptool report -q -o two.html steps.json steps.json
	python3 - <<-'END'
		import base64, json, re, zlib
		def chart(file, name):
		    kind, text = re.search(f'type="([^"]*)" id="{name}">(.*?)</script>', open(file).read(), re.S).groups()
		    return json.loads(text if kind.endswith("json") else zlib.decompress(base64.b64decode(text), -15))
		columns = chart("one.html", "chart-steps")
		assert len(columns["rows"]) == len(columns["labels"]) == len(columns["places"]) == 2000
		assert columns["labels"][889] == "2222" and sum(columns["rows"][889]) == 90000, columns["labels"][885:892]
		for side in chart("two.html", "chart-sides")["sides"]:
		    values = side["values"]
		    assert len(values) == 2000 and (values[0], values[1000], values[-1]) == (40000, side["median"], 90000) == (40000, 50000, 90000), values[::500]
	END
}

@test "one long name on many events is in the page in proportion" {
	python3 - <<-'END'
		import json
		def event(cat, tid, ts, dur, name="N", **args):
		    return {"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": tid, "ts": ts, "dur": dur, "args": args}
		events = []
		for i in range(600):
		    events += [event("cpu_op", 1, i * 20 + 2, 5),
		               event("cuda_runtime", 1, i * 20 + 3, 1, "cudaLaunchKernel", correlation=i),
		               event("kernel", 7, i * 20 + 6, 2, correlation=i, device=0, stream=7)]
		json.dump({"schemaVersion": 1, "traceEvents": events}, open("short.json", "w"))
	END
	ptool ingest -q -o long.db short.json
	python3 -c 'import sqlite3; db = sqlite3.connect("long.db", isolation_level=None); db.execute("UPDATE string SET text = ? WHERE text = ?", ("x" * 500000, "N"))'
	limit=600000
	[ -z "${SAN-}${TSAN-}${VALGRIND-}" ] || limit=unlimited
	(ulimit -v "$limit"; ptool report -q -o long.html long.db)
	python3 - <<-'END'
		import base64, re, zlib
		cut = 0
		for text in re.findall('<script type="[^"]*" id="[^"]*">(.*?)</script>', open("long.html").read(), re.S):
		    if re.fullmatch("[A-Za-z0-9+/=\\s]+", text):
		        text = zlib.decompress(base64.b64decode(text), -15)
		        assert len(text) < 40000000, len(text)
		        cut += text.count(b"x" * 256 + b" [cut]")
		assert cut > 100, cut
	END
}

#!/usr/bin/env bats
# ptool FILE: the first screen.

load setup

# At most 23 lines (a prompt fits below them) of so many columns.
fits() { # FILE [COLUMNS]
	[ "$(wc -l <"$1")" -le 23 ] && [ "$(LC_ALL=C.UTF-8 wc -L <"$1")" -le "${2:-80}" ]
}

@test "a trace of a GPU, in ASCII where the locale is C" {
	export COLUMNS=80
	cp "$EVERYTHING" gpu.json
	LC_ALL=C ptool gpu.json >out 2>/dev/null
	fits out
	like_golden overview_gpu.txt <out
	ptool overview gpu.json >utf8
	fits utf8
	grep -F '[█' utf8
	on_terminal 80 "$PTOOL" gpu.json --no-pager --color never | cmp - utf8

	# a wider one has room for whole findings, but no line is longer than 120
	COLUMNS=300 ptool gpu.json >wide
	fits wide 120
	grep -qE '^Steps: .{90,} ptool steps gpu.json$' wide
	COLUMNS=120 ptool gpu.json | cmp - wide
}

@test "a store's run is named where that says more than the store's name" {
	cp "$EVERYTHING" gpu.json
	ptool ingest -q -o gpu.db gpu.json
	ptool gpu.db | grep -q '^gpu.db   '
	mv gpu.db kept.db
	ptool kept.db | grep -q '^kept.db, run gpu.json  '
}

@test "a trace of a CPU, ranks of a store, and a Python profile" {
	export COLUMNS=80
	cp "$TORCH/t2141_cnn_w0/trace.json.gz" cpu.json.gz
	cp "$FIXTURES/pyprof/pstats/sys311/w_gen.prof" .
	ptool cpu.json.gz 2>/dev/null | like_golden overview_cpu.txt
	ptool w_gen.prof 2>/dev/null | like_golden overview_functions.txt
	ptool ingest -q --run ddp "$TORCH"/t260_ddp_rank[01]/trace.json.gz
	ptool | like_golden overview_ranks.txt
	PTOOL_STORE=./ptool.db ptool | cmp - "$GOLDEN/overview_ranks.txt"
}

@test "the numbers are those of the commands, which run as written" {
	cp "$EVERYTHING" "it's one.json"
	ptool "./it's one.json" --format csv >rows 2>/dev/null
	[ "$(tail -n +2 rows | cut -d, -f1 | uniq | tr -d '"' | paste -sd ' ')" = \
		'recording steps idle operators kernels memory findings' ]
	export PTOOL
	python3 - <<-'EOF'
		import csv, os, subprocess
		rows = list(csv.DictReader(open("rows")))
		def ask(command):
		    command = command.replace("ptool", os.environ["PTOOL"], 1) + " --format csv"
		    text = subprocess.run(command, shell=True, check=True, capture_output=True, text=True)
		    return list(csv.DictReader(text.stdout.splitlines()))
		def of(block):
		    return [r for r in rows if r["block"] == block]
		for row in of("kernels"):
		    assert any(k["name"] == row["item"] and k["total_ns"] == row["value"]
		               for k in ask(row["command"])), row
		for row in of("operators")[1:]:
		    assert any(k["name"] == row["item"] and k["self_device_ns"] == row["value"]
		               for k in ask(row["command"])), row
		gaps = ask(of("idle")[0]["command"])
		assert sum(int(g["idle_ns"]) for g in gaps) == int(of("idle")[1]["value"])
		advice = ask(of("findings")[0]["command"])
		assert of("findings")[0]["value"].endswith(": " + advice[0]["finding"])
		assert int(of("memory")[0]["value"]) in [int(m["allocated_peak_bytes"] or 0)
		                                         for m in ask(of("memory")[0]["command"])]
	EOF
}

@test "memory of processes and functions, and weights that are no times" {
	export COLUMNS=80
	ptool overview -q "$FIXTURES/mprof/blocks.dat" >screen
	grep -q '^Peak memory: 31.70 MiB, main  ' screen
	grep -qx '   31.70 MiB   10.00 MiB  .load data' screen
	ptool overview -q "$FIXTURES/lines/memory061.txt" | grep -q '   26.50 MiB    1.80 MiB  mw_lines.py:19(loop)'
	ptool overview -q "$FIXTURES/lines/scalene_2.json" | grep -q '^Functions, by time of their lines '
	ptool overview -q "$FIXTURES/samples/perf.txt" >screen
	grep -qx '  sampled stacks (collapsed)' screen
	grep -qx '        1.75   20.0%        1.75  read' screen
}

@test "a file that is cut off has what was read, and a note" {
	gzip -dc "$TORCH/t2141_cnn_w0/trace.json.gz" | head -c 900000 >cut.json
	run --separate-stderr ptool cut.json
	exits 0
	[[ $stderr == *'the file is cut off'* ]]
	grep -F 'ptool steps cut.json' <<<"$output"
}

@test "what is no command: a missing file, a misspelt command, a file called as one" {
	run --separate-stderr ptool missing.json
	exits 4
	says 'ptool: overview: missing.json: No such file or directory'
	run --separate-stderr ptool stesp
	exits 2
	[[ $stderr == "ptool: unknown command 'stesp'; did you mean 'steps'?"* ]]
	cp "$GPU/copies.json" top
	ptool ./top 2>/dev/null | grep -F 'ptool kernels ./top'
	mkdir empty
	cd empty
	run --separate-stderr ptool
	exits 2
	[[ $stderr == 'usage: ptool COMMAND'* ]]
	ptool -V | cmp - <(ptool --version)
}

@test "a store without runs is exit 3" {
	ptool ingest -q --run only "$GPU/copies.json"
	ptool rm -q only
	run --separate-stderr ptool
	exits 3
	says "ptool: overview: ptool.db: the store holds no run; 'ptool ingest FILE' adds one"
}

@test "phases of an inference engine have a line" {
	an_engine
	ptool engine.json >shown 2>/dev/null
	grep -qx '  prefill 2, mean 55.500 us; decode 3, TPOT 63.000 us' shown
	ptool ingest -q -o short.db --summary-only engine.json
	for file in engine.json short.db; do
		[ "$(ptool overview -q $file --format csv | tr -d '"' | grep ^phases, | cut -d, -f2,3,5)" = \
			$'prefill,2,37\nmean,55500,\ndecode,3,63\nTPOT,63000,' ]
	done
}

@test "the share of operators is told where graphs have most of the device time" {
	python3 -c 'import json, sys
trace = json.load(open(sys.argv[1]))
trace["traceEvents"] = [e for e in trace["traceEvents"] if e["name"] != "CUDAGraph.replay"]
json.dump(trace, open("graph.json", "w"))' "$GPU/graph.json"
	ptool graph.json 2>/dev/null | grep -q '^Operators, of 2\.8% of device time '
	row=$(ptool overview -q graph.json --format csv | grep -F '"operators","device"')
	[[ $row == '"operators","device",,"text",2.81690'* ]]
	! ptool overview -q "$GPU/graph.json" | grep -q '^Operators, of '
}

# A rank of one GPU or more, each of which works for its share of three steps of 1 ms, or of
# as much time without steps.
rank() { # RANK STEPS SHARE...
	python3 - "$@" <<'END'
import json, sys
rank, steps, shares = int(sys.argv[1]), int(sys.argv[2]), [float(share) for share in sys.argv[3:]]
x = {"ph": "X", "pid": 1, "tid": 1, "ts": 0, "dur": 3000, "args": {}}
events = [{**x, "cat": "cpu_op", "name": "aten::mm"}]
events += [{**x, "cat": "user_annotation", "name": f"ProfilerStep#{n}", "ts": 1000 * n, "dur": 1000} for n in range(steps)]
events += [{**x, "cat": "kernel", "name": "k", "pid": d, "tid": 7, "dur": 3000 * share, "args": {"device": d, "stream": 7}}
           for d, share in enumerate(shares)]
print(json.dumps({"schemaVersion": 1, "distributedInfo": {"rank": rank, "world_size": 2}, "deviceProperties": [], "traceEvents": events}))
END
}

@test "devices that are never idle are busy, and steps of one rank are steps" {
	rank 0 3 .5 1 1 1 >r0.json
	rank 1 0 1 1 1 1 >r1.json
	ptool ingest -q -o full.db r0.json r1.json
	ptool ingest -q -o short.db --summary-only r0.json r1.json
	for store in full.db short.db; do
		ptool overview "$store" --format csv >rows
		grep -q '^"idle","busy",22500000,"ns",93.75' rows
		grep -q '^"steps","steps",3,' rows
		ptool overview "$store" --rank 0 --format csv | grep -q '^"idle","busy",10500000,"ns",87.5'
	done
}

@test "files that are a step each are the steps of their rank's one device" {
	for step in 0 1 2; do
		rank 0 0 .$((5 + step)) >train_step_$step.json
	done
	ptool ingest -q -o full.db train_step_?.json
	ptool ingest -q -o short.db --summary-only train_step_?.json
	for store in full.db short.db; do
		ptool overview "$store" --format csv >rows
		grep -q '^"recording","devices",1,' rows
		grep -q '^"steps","steps",3,' rows
		grep -q '^"steps","Kernel",1800000,"ns",60,' rows
		lacks '"steps","profile"' <rows
	done
}

@test "steps of no phase are no phases of steps" {
	event user_annotation execute_diffusion_1_1024x1024 0 90 | made xdit.json
	ptool overview -q xdit.json >screen
	grep -q '^Steps: 1, ' screen
	! grep -q 'Phases' screen || false
}

@test "the names of all devices are told, not those of the first rank" {
	cp "$GPU/collectives_rank0.json" rank0.json
	sed 's/Synthetic GPU/V100/' "$GPU/collectives_rank1.json" >rank1.json
	ptool ingest -q rank0.json rank1.json
	ptool ingest -q --summary-only -o sums.db rank0.json rank1.json
	for store in ptool.db sums.db; do
		ptool $store | grep -q '2 ranks, 2 devices, Synthetic GPU and V100'
	done
}

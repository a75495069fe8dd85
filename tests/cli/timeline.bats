#!/usr/bin/env bats
# ptool timeline as users see it; tests/timeline/check_cells.py holds its numbers

setup_file() {
	unset LINES
}

load setup

plain() { # of colours and carriage returns
	sed 's|\x1b\[[0-9;]*m||g; s|\r||'
}

@test "a picture as wide and high as the terminal, and in a pipe" {
	ptool ingest -q "$GPU/two_devices.json"
	ptool timeline | like_golden timeline.txt
	on_terminal 80 "$PTOOL" timeline --no-pager >shown80
	on_terminal 120 "$PTOOL" timeline --no-pager >shown120
	plain <shown80 | like_golden timeline_80.txt
	plain <shown120 | like_golden timeline_120.txt
	[ "$(plain <shown80 | wc -L)" -le 80 ]
	[ "$(plain <shown120 | wc -L)" -le 120 ]
	[ "$(wc -l <shown80)" -le 24 ]
	grep -q "$(printf '\x1b\\[38;5;69m')" shown80
	NO_COLOR=1 on_terminal 80 "$PTOOL" timeline --no-pager >shown
	lacks -F '[38;5' <shown
	[ "$(plain <shown)" = "$(plain <shown80)" ]
}

@test "Markdown has the picture as code, and the locale C no blocks" {
	ptool timeline -q "$GPU/sync.json" --limit 2 --cells 30 --format markdown | like_golden timeline.md
	LC_ALL=C ptool timeline -q "$GPU/sync.json" --cells 30 >ascii
	! LC_ALL=C grep -q "$(printf '[\x80-\xff]')" ascii
	grep -q '^stream 7  *[.:=+*#-]*#' ascii
}

@test "machines get the same cells, a row each" {
	ptool ingest -q "$GPU/two_devices.json"
	ptool timeline --cells 3 --format csv | like_golden timeline.csv
	ptool timeline --cells 2 --limit 1 --format json | like_golden timeline.json
}

@test "the step nearest to the median is drawn, or the one that is asked for" {
	for step in 0 100 1 300 2 120 3 110; do echo $step; done | paste - - | while read -r n dur; do
		echo "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#$n\",\"pid\":1,\"tid\":1,\"ts\":$((n * 1000)),\"dur\":$dur},"
		echo "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,\"tid\":1,\"ts\":$((n * 1000 + 10)),\"dur\":$((dur / 2))},"
	done | sed '1s/^/{"schemaVersion":1,"traceEvents":[/; $s/,$/]}/' >four.json
	caption() { ptool timeline -q four.json --cells 100 "$@" | head -1; }
	[ "$(caption)" = 'Step 2, nearest to the median of 4 (115.000 us): 120.000 us in cells of 1.200 us' ]
	[ "$(caption --step 1)" = 'Step 1: 300.000 us in cells of 3.000 us' ]
	[ "$(caption --step 0..1)" = 'Steps 0 to 1: 1.300 ms in cells of 13.000 us' ]
	[ "$(caption --time 20us..40us)" = '20.000 us in cells of 200 ns' ]
	run -3 --separate-stderr ptool timeline -q four.json --step 9
	says 'ptool: timeline: four.json: --step 9: there are steps 0..3'
	run -3 --separate-stderr ptool timeline -q four.json --time 5s..6s
	says 'ptool: timeline: four.json: --time begins after the recording, which lasts 3.110 ms'
}

@test "of a phase, the step nearest to the median of those of the phase" {
	an_engine
	caption() { ptool timeline -q engine.json --cells 100 --phase "$@" | head -1; }
	[ "$(caption decode)" = 'Step 3, nearest to the median of 3 of phase decode (63.000 us): 63.000 us in cells of 630 ns' ]
	[ "$(caption prefill --step 1..3)" = 'Step 1: 61.000 us in cells of 610 ns' ]
	[ "$(ptool timeline -q engine.json --cells 100 --step 0 | head -1)" = \
		'Step 0: 50.000 us and what its host did for it, 60.000 us in cells of 600 ns' ]
	[ "$(caption decode --time 0us..300us)" = 'Steps 2 to 4, idle time of phase decode: 100.000 us in cells of 1.000 us' ]
	run -3 --separate-stderr ptool timeline -q engine.json --phase mixed
	says "ptool: timeline: engine.json: no step is of the phase 'mixed'; there are: prefill (2), decode (3)"
}

@test "of the steps of a phase, idle time is that of the phase" {
	python3 - >phases.json <<'END'
import json
x = {"ph": "X", "pid": 1, "tid": 1}
events = []
for n, phase in enumerate(("decode", "prefill", "decode")):
    events += [{**x, "cat": "user_annotation", "name": f"{phase}_step_{n}", "ts": 100 * n, "dur": 100},
               {**x, "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 100 * n, "dur": 60, "args": {"device": 0, "stream": 7}}]
print(json.dumps({"schemaVersion": 1, "deviceProperties": [], "traceEvents": events}))
END
	idle() { ptool timeline -q phases.json --cells 30 --step 0..2 --format csv "$@" | awk -F, '$4 == "\"idle\"" { ns += $12 } END { print ns }'; }
	[ "$(idle)" -eq 120000 ]
	[ "$(idle --phase decode)" -eq 80000 ]
}

@test "filters choose what covers cells, and rows; idle time is whole or not there" {
	ptool ingest -q "$GPU/two_devices.json"
	kinds() { ptool timeline --cells 1 --format csv "$@" | tail -n +2 | cut -d, -f4,5 | sort | uniq -c | tr -s ' \n' ' '; }
	[ "$(kinds --device 1)" = ' 1 "idle",1 2 "stream",1 ' ]
	[ "$(kinds --stream 7)" = ' 1 "stream",0 1 "stream",1 ' ]
	[[ $(kinds --thread 100) != *idle* ]]
	[ "$(kinds --focus 'no such name')" = ' 1 "idle",0 1 "idle",1 ' ]
	[[ $(ptool timeline --cat kernel --cells 1 --format csv) != *'"thread"'* ]]
}

@test "of ranks a step is as long as on the rank where it is longest" {
	for rank in 0 1; do
		for step in 0 1 2 3; do # rank 0: 20 each; rank 1: 40, 50, 60, 70
			dur=$((rank ? 40 + 10 * step : 20))
			printf 'ProfilerStep#%s %s %s\ngemm %s 5\n' $step $((1000 * step)) $dur $((1000 * step))
		done | recorded $rank 2 0
	done
	ptool ingest -q rank*.json
	[ "$(ptool timeline --cells 10 | head -1)" = 'Step 1, nearest to the median of 4 (55.000 us): 50.000 us in cells of 5.000 us' ]
}

@test "several ranks are drawn below each other, each from the start of its step" {
	ptool ingest -q "$GPU"/collectives_rank[01].json
	ptool timeline --limit 4 | like_golden timeline_ranks.txt
	[ "$(ptool timeline --rank 1 --cells 1 --format csv | cut -d, -f2 | sort -u | tr '\n' ' ')" = '1 rank ' ]
}

@test "what has no times is told" {
	run -3 --separate-stderr ptool timeline -q "$FIXTURES/pyprof/pstats/sys311/w_gen.prof"
	[[ $stderr = *"does not say when they ran"* ]]
	run -2 --separate-stderr ptool timeline -q "$GPU/sync.json" --limit -1
	says "ptool: timeline: --limit wants a non-negative number, not '-1'"
	run -2 --separate-stderr ptool timeline -q "$GPU/sync.json" --cells 20000
	says 'ptool: timeline: --cells wants at most 10000'
}

#!/usr/bin/env bats
# ptool view: what is on the screen of a terminal, key by key (tests/cli/screen_driver.py).

load setup

# The steps on the store of the trace that has something for every command.
setup_file() {
	"$PTOOL" ingest -q --run train -o "$BATS_FILE_TMPDIR/gpu.db" "$FIXTURES/gpu/everything.json"
}

screen() { # [--size=80x24] [--env=NAME=VALUE] OPERAND STEP...
	local settings=()
	while [[ $1 == --* ]]; do
		settings+=("$1")
		shift
	done
	local operand=$1
	shift
	"$TESTS/cli/screen_driver.py" "${settings[@]}" "$PTOOL" view -q "$operand" -- "$@"
}

like_screens() { # GOLDEN as screen...
	local golden=$1
	shift
	screen "$@" >out || return 1
	like_golden "$golden" <out
}

gpu() {
	cp "$BATS_FILE_TMPDIR/gpu.db" gpu.db
}

@test "the screen at 80x24: sections, ways into rows and back, and the line of y" {
	gpu
	like_screens view_80.txt gpu.db see:'Q: quit' show keys:2 see:'1 of' show 'keys:jj<Enter>' \
		see:'slices of .*q: back' show keys:y see:'ptool list' show keys:q see:'gpu.db: Operators\n' \
		cursor keys:Q exit
}

@test "a terminal of 40x10, and of 40x8" {
	gpu
	like_screens view_40.txt --size=40x10 gpu.db see:'Q: quit' show keys:5 see:'Step .*1 of' show 'keys:<Enter>' \
		see:'step 0\n.*q: back  1 of' show size:40x8 see:'\A([^\n]*\n){7}[^\n]*1 of' show keys:Q exit
}

@test "each section that the recording has, and what Enter leads to, is a table or says why not" {
	gpu
	local -a steps=(see:'Q: quit')
	for title in Operators Kernels Idle Steps Timeline Tree Flame Memory Modules Transfers Communication Devices \
		Streams Roofline Advice Doctor Info; do
		steps+=('keys:<Tab>' see:": $title\n.*Q: quit" show)
		case $title in
		Timeline | Flame | Advice | Doctor | Info) ;;
		*) steps+=(ways) ;;
		esac
	done
	screen gpu.db "${steps[@]}" keys:Q exit >out
	lacks -i 'unknown option\|unknown sort\|unexpected operand\|without an answer\|match' <out
	grep -q '^stream 20 .*█' out   # the timeline
	grep -q '^▌ProfilerStep' out   # the flame graph
}

@test "phases, compiled code and graphs are sections of recordings that have them" {
	{
		engine_events
		event cuda_runtime cudaGraphLaunch 800 9 1 1 '"correlation":99'
		event kernel replayed 810 9 0 7 '"device":0,"stream":7,"correlation":99'
	} | made engine.json
	ptool ingest -q -o engine.db engine.json
	local -a steps=(see:'Q: quit')
	for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13; do steps+=('keys:<Tab>' see:'Q: quit'); done
	for title in Phases Compiled; do
		steps+=('keys:<Tab>' see:": $title\n.*Q: quit" show ways)
	done
	steps+=('keys:<Tab>' see:": Graphs\n.*Q: quit" show)
	screen engine.db "${steps[@]}" keys:Q exit >out
	grep -q '^decode  *3 ' out
	lacks -i 'unknown option\|unknown sort\|unexpected operand\|without an answer\|match' <out
}

@test "steps, gaps of a cause, a tree that folds, callers of a function" {
	gpu
	screen gpu.db see:'Q: quit' keys:4 see:'Cause .*1 of' 'keys:<Enter>' see:'gaps: [^\n]*\n--time' cursor \
		'keys:<Enter>' see:'slices in' keys:y see:'ptool list --time=' \
		keys:7 see:'Tree\n.*1 of' 'keys:<Enter>' see:'unfold' show 'keys:<Enter>' see:': fold' keys:Q exit >out
	grep -q '^[0-9.]*us\.\.[0-9.]*us .*launch latency' out
	grep -q '[0-9]+ ProfilerStep' out
	screen "$FIXTURES/pyprof/app.prof" see:'Q: quit' keys:2 see:'1 of' 'keys:<Enter>' \
		see:'callers of /src/app.py:10\(fib\) *\n.*1 of 2' 'keys:o2' see:'callees of /src/app.py:1' \
		keys:qq see:'Functions\n' keys:q exit >out
	[ "$(cat out)" = "exit 0" ]
}

@test "the row of a rank leads to that rank, whatever --rank says, and a long line of y has an ellipsis" {
	ptool ingest -q -o ranks.db "$FIXTURES/gpu/collectives_rank0.json" "$FIXTURES/gpu/collectives_rank1.json"
	"$TESTS/cli/screen_driver.py" --size=60x24 "$PTOOL" view -q ranks.db --rank 0..1 -- see:'Q: quit' keys:5 see:'1 of' \
		keys:y see:'ptool steps --limit=500 --rank=0..1 ranks.db' keys:jjjj see:'5 of' 'keys:<Enter>' see:'operators of step.*q: back' \
		keys:y see:'ptool top --step=1 --rank=1 --limit=500 ranks.db' \
		'keys:&^(record_param_comms|aten::mm)<Enter>' see:'q: back.*1 of 2' keys:y see:'ptool top --step[^\n]*…[^\n]*ranks.db' keys:Q exit >out
	[ "$(cat out)" = "exit 0" ]
}

@test "the overview's phases lead to the phases, its steps to the steps" {
	an_engine
	screen engine.json see:'Phases of the steps.*Q: quit' 'keys:jj<Enter>' see:'Steps\n' keys:1 see:'Q: quit' 'keys:jj<Enter>' see:'Phases\n' keys:Q exit >out
	[ "$(cat out)" = "exit 0" ]
}

@test "search, filter by the store and by text, sort, reverse, wide" {
	gpu
	like_screens view_keys.txt gpu.db see:'Q: quit' keys:2 see:'1 of' 'keys:/MEMCPY<Enter>' see:'not found' 'keys:/memcpy<Enter>' \
		see:'[23456789] of' cursor keys:n see:'of' 'keys:&^aten::<Enter>' see:'only \^aten::.*1 of' show \
		'keys:&' see:'match: ' $'keys:\x15(<Enter>' see:'--focus' show 'keys:&' see:'match: ' $'keys:\x15<Enter>' \
		see:'Operators\n' 'keys:s' see:'Sort by' 'keys:jjjj<Enter>' see:'by calls' cursor keys:r \
		see:'by calls reversed' cursor keys:w see:'Kind +Self CPU \(%\)' keys:l see:'CPU total' show keys:W see:'void at::native::' keys:Q exit
}

@test "help names every key, and the page has them all" {
	gpu
	screen --size=80x50 gpu.db see:'Q: quit' keys:? see:'What it does.*quit' keys:Ryr show keys:q see:'Q: quit' keys:Q exit >out
	mandoc -T utf8 "$TESTS/../man/ptool-view.1" | sed $'s/.\b//g' >page # bold is a letter, back, the letter
	sed -n '/What it does/,/^$/p' out | sed '1d;/^$/d' | while read -r key _; do
		grep -qF -- "$key" page || { echo "no $key"; false; }
	done
}

@test "more rows than were asked for come when one moves beyond the last" {
	python3 -c '
import json
print(json.dumps({"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": f"op{i:04}", "pid": 1, "tid": 1, "ts": i * 10, "dur": 5}
                                  for i in range(2500)]}))' >many.json
	screen many.json see:'Q: quit' keys:2 see:'1 of 2,500' keys:G see:'500 of 2,500' keys:j see:'501 of 2,500' \
		keys:G see:'2,000 of' keys:y see:'--limit=2000' keys:Q exit >out
	[ "$(cat out)" = "exit 0" ]
}

@test "names that could drive the terminal, wide characters, and ASCII where the locale is C" {
	python3 -c '
import json
names = ["\x1b[2J\x1b]0;title\x07", "a\u202eb\u200b", "\u4e16\u754c" * 30, "e\u0301" + "\u0301" * 40, "x\ny\t\x9b31m", "%s%n", "-r"]
print(json.dumps({"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": n, "pid": 1, "tid": 1, "ts": i * 10, "dur": 5 + i}
                                  for i, n in enumerate(names)]}))' >hostile.json
	like_screens view_hostile.txt hostile.json see:'Q: quit' keys:2 see:'1 of 7' show 'keys:<Enter>' see:'slices of -r.*1 of 1' \
		keys:q see:'1 of 7' 'keys:jj<Enter>' see:'slices of x.*1 of 1' keys:q see:'3 of 7' keys:Q exit
	screen --env=LC_ALL=C "$FIXTURES/gpu/everything.json" see:'Q: quit' show keys:Q exit >out
	grep -F '[###' out
	lacks -P '[^\x00-\x7f]' <out
}

@test "a signal, Ctrl-Z, Ctrl-C and a terminal that is gone leave the terminal as it was" {
	gpu
	screen gpu.db see:'Q: quit' signal:TERM exit >out
	[ "$(cat out)" = "signal 15" ]
	screen gpu.db see:'Q: quit' 'keys:<C-c>' see:'Q quits' signal:HUP exit >out
	[ "$(cat out)" = "signal 1" ]
	if [ -z "${VALGRIND:-}" ]; then # no program stops under it
		screen gpu.db see:'Q: quit' 'keys:<C-z>' stopped signal:CONT keys:2 see:'1 of' keys:Q exit >out
		[ "$(cat out)" = "exit 0" ]
	fi
	screen --size=80x24 gpu.db see:'Q: quit' keys:2 see:'1 of' size:120x30 see:'\A([^\n]*\n){29}[^\n]*1 of' show keys:Q exit >out
	[ "$(wc -L <out)" -gt 80 ]
}

@test "a question that lasts says so; Escape breaks it off, and it ends with the screen" {
	gpu
	screen gpu.db see:'Q: quit' keys:2 see:'1 of' hold:R see:'working' 'keys:<Esc>' see:'cancelled; R asks again' \
		hold:R see:'working' keys:j release see:'2 of 22' hold:R see:'working' signal:TERM exit >out
	[ "$(cat out)" = "signal 15" ]
}

@test "a name with a million matches is drawn once" {
	python3 -c '
import json
event = {"ph": "X", "cat": "cpu_op", "pid": 1, "tid": 1, "ts": 10, "dur": 5, "args": {}}
json.dump({"traceEvents": [event | {"name": "a" * 1000000}]}, open("long.json", "w"))'
	ptool ingest -q -o long.db long.json
	# seconds of the processor: 0.1; 26 where each match measured all before it
	(ulimit -t 10 && screen long.db see:'Q: quit' keys:2W see:'aaaa.*1 of' 'keys:/aaaaaaa<Enter>' keys:jk see:'aaaa.*1 of' keys:Q exit) >out
	[ "$(cat out)" = "exit 0" ]
}

@test "without a terminal, or one that has no places, other commands are named" {
	gpu
	run --separate-stderr ptool view gpu.db
	exits 2
	says "ptool: view: standard output is not a terminal: use the commands that 'ptool --help' lists, such as 'ptool overview' and 'ptool top'"
	run screen --env=TERM=dumb gpu.db exit
	exits 0 # the driver's: it saw the end that it waited for
	[[ $output == *'exit 2' ]]
	run --separate-stderr ptool view missing.json
	exits 2
}

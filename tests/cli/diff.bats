#!/usr/bin/env bats
# ptool diff: what a user sees of it.  The numbers are held by tests/diff/check_diff.py.
# Many pairs of stores: not in check-fast.

load setup

# A trace of steps that last so many microseconds each, with one operator a step.
trace() { # FILE OPERATOR DURATION...
	local file=$1 name=$2 at=0 n=0
	shift 2
	{
		echo '{"schemaVersion":1,"traceEvents":['
		for dur; do
			printf '{"ph":"X","cat":"user_annotation","name":"ProfilerStep#%s","pid":1,"tid":1,"ts":%s,"dur":%s,"args":{}},\n' \
				$n $at "$dur"
			printf '{"ph":"X","cat":"cpu_op","name":"%s","pid":1,"tid":1,"ts":%s,"dur":%s,"args":{}},\n' \
				"$name" $((at + 1)) $((dur - 2))
			at=$((at + dur + 10)) n=$((n + 1))
		done
		echo '{"ph":"M","name":"process_name","pid":1,"args":{"name":"python"}}]}'
	} >"$file"
}

# Four runs a side, of which the new ones take 12 us a step more.
eight_runs() {
	for i in 1 2 3 4; do
		trace base$i.json aten::mm $((100 + i)) $((100 + i))
		trace new$i.json aten::mm $((112 + i)) $((112 + i))
	done
}

# NAMES of each row.
columns() { # NAMES ARGUMENT...
	"$PTOOL" diff "${@:2}" --format csv 2>/dev/null | python3 -c '
import csv, sys
for row in csv.DictReader(sys.stdin):
    print(*(row[name] or "-" for name in sys.argv[1].split(",")))' "$1"
}

# Line N of the headline: 0 is the verdict, 1 are its statistics.
headline() { # ARGUMENT...
	headline_line 0 "$@"
}

headline_line() { # N ARGUMENT...
	"$PTOOL" diff "${@:2}" --format json 2>/dev/null | python3 -c '
import json, sys
print(json.load(sys.stdin)["notes"][int(sys.argv[1])])' "$1"
}

@test "the headline is the verdict with before, after and the main row, then its statistics" {
	eight_runs
	run --separate-stderr headline base?.json -- new?.json
	prints "slower by 11.7%: step 102.500 us -> 114.500 us; 100% of it in aten::mm (+12.000 us, 1 call a step)"
	run --separate-stderr headline_line 1 base?.json -- new?.json
	prints "median change +11.7% (95% CI +8.8% to +14.6%), p = 0.029, 4 v 4 runs"
}

@test "rows have the columns that are promised" {
	eight_runs
	run --separate-stderr ptool diff base1.json new1.json --format csv
	exits 0
	[ "${lines[0]}" = name,new_name,status,base_calls,new_calls,base_ns,new_ns,delta_ns,delta_pct,from_calls_ns,from_duration_ns,p,q,significant,metric ]
	run columns name,status,base_calls,base_ns,new_ns,delta_ns,from_calls_ns,from_duration_ns base1.json new1.json
	[ "${lines[0]}" = "aten::mm changed 1 99000 111000 12000 0 12000" ]
	[ "${lines[1]}" = "ProfilerStep* equal 1 2000 2000 0 0 0" ]
	run columns delta_count base1.json new1.json --metric calls
	[ "${lines[0]}" = 0 ]
}

@test "with steps the rows are of a step, with --total of a run" {
	trace a.json aten::mm 100 100
	trace b.json aten::mm 100 100 100
	run columns name,base_calls,new_calls,delta_ns a.json b.json
	[ "${lines[0]}" = "aten::mm 1 1 0" ]
	run columns name,base_calls,new_calls,delta_ns,from_calls_ns,from_duration_ns a.json b.json --total
	[ "${lines[0]}" = "aten::mm 2 3 98000 98000 0" ]
	run columns name,base_calls,new_calls,delta_ns a.json b.json --total --first-step
	[ "${lines[0]}" = "aten::mm 1 1 0" ]
}

@test "a row of one side is added or removed, and no percentage" {
	trace a.json aten::mm 100 100
	trace b.json aten::bmm 100 100
	run columns name,status,base_ns,new_ns,delta_ns,delta_pct,from_calls_ns,from_duration_ns a.json b.json
	[[ $output == *"aten::bmm added 0 98000 98000 - 98000 0"* ]]
	[[ $output == *"aten::mm removed 98000 0 -98000 - -98000 0"* ]]
	run --separate-stderr ptool diff a.json b.json
	[[ $output == *removed* ]]
	lacks -e -100.0 <<<"$(grep aten::mm <<<"$output")"
}

@test "a function that moved to another line is one row under its base name" {
	for line in 3 9; do
		python3 - $line <<'END'
import marshal, sys
line = int(sys.argv[1])
stats = {("m.py", line, "f"): (2, 2, line / 1000, line / 1000, {}), ("m.py", 1, "<module>"): (1, 1, 1e-3, 2e-3, {})}
with open(f"{line}.prof", "wb") as out:
    marshal.dump(stats, out)
END
	done
	run columns name,new_name,status,delta_ns,delta_pct 3.prof 9.prof
	[ "${lines[0]}" = "m.py:3(f) m.py:9(f) renamed 6000000 200" ]
	[ "${lines[1]}" = "m.py:1(<module>) - equal 0 0" ]
}

@test "the headline of a call graph is its self time, whatever its rows are" {
	for factor in 1 2; do
		python3 - $factor <<'END'
import marshal, sys
ms = int(sys.argv[1]) / 1000
main, f = ("m.py", 1, "<module>"), ("m.py", 3, "f")
with open(f"{sys.argv[1]}.prof", "wb") as out:
    marshal.dump({main: (1, 1, ms, 3 * ms, {}), f: (2, 2, 2 * ms, 2 * ms, {main: (2, 2, 2 * ms, 2 * ms)})}, out)
END
	done
	for metric in self total; do
		run --separate-stderr headline 1.prof 2.prof --metric $metric
		[[ $output == "undecided, one run a side: self time 3.000 ms -> 6.000 ms (+100.0%); "* ]]
	done
	run columns name,delta_ns 1.prof 2.prof --metric total
	[ "${lines[0]}" = "m.py:1(<module>) 3000000" ]
}

# A trace of 3 calls of one operator that allocates, and of one that frees so many bytes.
memory_trace() { # FILE ALLOCATED FREED
	python3 - "$@" <<'END'
import json, sys
path, allocated, freed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
total, events = 0, []
for i in range(3):
    at = 100 * i
    for name, ts in (("aten::empty", at), ("aten::free", at + 50)):
        events.append({"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": ts, "dur": 50, "args": {}})
    for ts, size in ((at + 1, allocated), (at + 51, -freed)):
        total += size
        if size:
            events.append({"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 1, "tid": 1, "ts": ts,
                           "args": {"Total Allocated": total, "Bytes": size, "Addr": 1 + i, "Device Id": -1, "Device Type": 0}})
with open(path, "w") as out:
    json.dump({"schemaVersion": 1, "traceEvents": events}, out)
END
}

@test "a change from 0 or from less than 0 is a change, in both directions" {
	for i in 1 2 3 4; do
		memory_trace flat$i.json 4000 4000
		memory_trace leak$i.json 4000 0
		memory_trace freed$i.json 1000 4000
	done
	run --separate-stderr headline flat?.json -- leak?.json --metric memory
	prints "up: memory 0 B -> 11.72 KiB; 100% of it in aten::free (+11.72 KiB, 3 calls)"
	run --separate-stderr headline_line 1 flat?.json -- leak?.json --metric memory
	prints "p = 0.029, 4 v 4 runs"
	run --separate-stderr headline leak?.json -- flat?.json --metric memory
	[[ $output == "down by 100.0%: memory "* ]]
	run --separate-stderr headline freed?.json -- leak?.json --metric memory
	prints "up by 233.3%: memory -8.79 KiB -> 11.72 KiB; 57% of it in aten::free (+11.72 KiB, 3 calls)"
	run --separate-stderr headline flat?.json -- flat1.json flat2.json flat3.json flat4.json --metric memory
	prints "no significant change: memory 0 B -> 0 B"
	run --separate-stderr ptool diff flat?.json -- leak?.json --metric memory --headline --exit-code
	exits 1
	run --separate-stderr ptool diff --aa flat?.json --metric memory
	[ "${lines[0]}" = "noise floor 0 B: smaller changes are noise (memory 0 B, 4 runs, 2 v 2)" ]
}

@test "rows are tested though what was freed makes up for what was allocated" {
	for i in 1 2 3 4 5; do
		memory_trace flat$i.json 4000 4000
		memory_trace leak$i.json 4000 0
	done
	run columns name,status,base_bytes,delta_bytes,q,significant flat?.json -- leak?.json --metric memory
	[[ ${lines[0]} == "aten::free changed -12000 12000 0.0"*" 1" ]]
	[ "${lines[1]}" = "aten::empty equal 12000 0 1 0" ]
}

@test "what rows hold and which way a delta goes is said where no parts stand above them" {
	memory_trace flat.json 4000 4000
	for format in table markdown; do
		run --separate-stderr ptool diff "$FIXTURES/pyprof/app.prof" "$FIXTURES/pyprof/app.prof" --format $format
		exits 0
		[ "${lines[1]}" = "self time a run by function; delta = new - base" ]
		run --separate-stderr ptool diff flat.json flat.json --by memory --format $format
		exits 0
		[ "${lines[1]}" = "peak memory a run by device; delta = new - base" ]
		[[ $output == "undecided, one run a side: peak memory "*$'\n\n'"peak memory a run "*$'\n\n'*"Memory"* ]]
	done
}

@test "a long name in the headline is shortened between characters, in its middle" {
	for factor in 1 2; do
		python3 - $factor <<'END'
import marshal, sys
factor = int(sys.argv[1])
with open(f"{factor}.prof", "wb") as out:
    marshal.dump({("~", 0, "x" + "\u65e5\u672c" * 40): (1, 1, factor, factor, {})}, out)
END
	done
	run --separate-stderr ptool diff 1.prof 2.prof --headline --wide
	exits 0
	[[ ${lines[0]} =~ "; 100% of it in x"(日本)+日?…本?(日本)+" (+1.000 s, 1 call)"$ ]]
}

@test "what explains a step's total time is not the step itself" {
	trace a.json aten::mm 100
	trace b.json aten::mm 200
	run --separate-stderr headline a.json b.json --metric total
	[[ $output == *"; 100% of it in aten::mm (+100.000 us, 1 call a step)" ]]
}

@test "calls that are not whole keep their percentage" {
	trace a.json aten::mm 100 100 100 100
	trace b.json aten::mm 100 100 100 100
	# one call more in one of four steps
	sed -i '/"ts":1,"dur":98/{s/"dur":98/"dur":40/;p;s/"ts":1/"ts":50/}' b.json
	run columns name,base_calls,new_calls,delta_pct a.json b.json --metric calls --focus mm
	prints "aten::mm 1 1.25 25"
}

@test "sides are also patterns, and runs of one store" {
	eight_runs
	ptool ingest -q -o both.db --run before base1.json
	ptool ingest -q -o both.db --run after new1.json
	run columns name,delta_ns --base 'base?.json' --new 'new?.json'
	[ "${lines[0]}" = "aten::mm 12000" ]
	run columns name,delta_ns both.db --run before --run after
	[ "${lines[0]}" = "aten::mm 12000" ]
	PTOOL_STORE=both.db run columns name,delta_ns --run after --run before
	[ "${lines[0]}" = "aten::mm -12000" ]
}

@test "a run that is given twice on a side is one measurement" {
	eight_runs
	ptool ingest -q -o base.db base1.json
	ln -s base.db link.db
	run --separate-stderr ptool diff base.db link.db base2.json -- new?.json --headline --format csv
	exits 0
	[[ ${lines[1]} == *'"runs",2,4,'* ]]
	[[ $stderr == *"ptool: diff: link.db: given twice on one side; it is read only once"* ]]
	run --separate-stderr ptool diff base.db -- base.db --headline --format csv
	exits 0
	[ -z "$stderr" ]
	run --separate-stderr ptool diff --base 'base?.json' --base 'base[12].json' --new 'new?.json' --headline --format csv
	exits 0
	[[ ${lines[1]} == *'"runs",4,4,'* ]]
}

@test "options may stand behind the new side too" {
	eight_runs
	run --separate-stderr ptool diff base1.json base2.json -- new1.json new2.json --format csv --limit 1
	exits 0
	[ "${#lines[@]}" -eq 2 ]
}

@test "filters choose on both sides" {
	trace a.json aten::mm 100 200 300
	trace b.json aten::mm 110 210 310
	run columns name,base_ns,new_ns a.json b.json --step 1..1 --focus mm
	prints "aten::mm 198000 208000"
	run --separate-stderr ptool diff a.json b.json --step 7
	exits 3
	[[ $stderr == *"ptool: diff: a.json: no step matches" ]]
	run --separate-stderr ptool diff a.json b.json --focus nothing
	exits 3
}

@test "what is of whole runs keeps to the filters that it has, or refuses them" {
	trace a.json aten::mm 100 200 300
	trace b.json aten::mm 110 210 310
	run columns name,base_ns,new_ns a.json b.json --by step --first-step
	prints "ProfilerStep#0 100000 110000"
	run columns name,base_ns,new_ns a.json b.json --by step --focus '#2$'
	prints "ProfilerStep#2 300000 310000"
	run columns name,base_bytes "$GPU/memory.json" "$GPU/memory.json" --by memory --first-step
	prints $'cuda:0 14680064\ncpu 131072'
	run columns name,base_bytes "$GPU/memory.json" "$GPU/memory.json" --by memory --device 0
	prints "cuda:0 14680064"
	run --separate-stderr ptool diff "$GPU/memory.json" "$GPU/memory.json" --by memory --thread 1
	exits 2
	[[ $stderr == *"--by memory takes only --focus, --ignore, --device, --step and --time" ]]
	local stack=$TORCH/t2141_cnn_w0_stack/trace.json.gz
	for option in --first-step '--step 3' '--thread 1'; do
		# shellcheck disable=SC2086
		run --separate-stderr ptool diff "$stack" "$stack" --by function $option
		exits 2
		[[ $stderr == *"--by function compares whole runs: only --focus and --ignore apply" ]]
	done
}

@test "--exit-code is 1 for a slower side, 0 for none, 3 when it cannot be decided" {
	eight_runs
	run --separate-stderr ptool diff base?.json -- new?.json
	exits 0
	run --separate-stderr ptool diff base?.json -- new?.json --exit-code
	exits 1
	run --separate-stderr ptool diff base?.json -- base?.json --exit-code
	exits 0
	run --separate-stderr ptool diff base?.json -- new?.json --exit-code --min-effect 20
	exits 0
	run --separate-stderr ptool diff base[123].json -- new[123].json --exit-code
	exits 3
	[[ $stderr == *"ptool: diff: undecided: too few runs to decide (3 v 3); 4 per side are needed, 5 to judge single rows" ]]
}

@test "--exit-code passes a side that is faster, and --fail-on chooses what fails" {
	eight_runs
	run --separate-stderr ptool diff new?.json -- base?.json --exit-code
	exits 0
	[[ ${lines[0]} == "faster by 10.5%: "* ]]
	for failing in faster any rows; do
		run --separate-stderr ptool diff new?.json -- base?.json --fail-on $failing
		exits 1
	done
	for passing in slower never; do
		run --separate-stderr ptool diff new?.json -- base?.json --exit-code --fail-on $passing
		exits 0
	done
	for failing in slower any rows; do
		run --separate-stderr ptool diff base?.json -- new?.json --fail-on $failing
		exits 1
	done
	run --separate-stderr ptool diff base?.json -- new?.json --exit-code --fail-on faster
	exits 0
	run --separate-stderr ptool diff base[12].json -- new[12].json --fail-on never
	exits 0
	run --separate-stderr ptool diff base?.json -- new?.json --fail-on something
	exits 2
}

@test "one run a side is undecided, whatever its steps say, unless --within-run lets them decide" {
	trace a.json aten::mm 100 101 102 103 104
	trace b.json aten::mm 200 201 202 203 204
	run --separate-stderr ptool diff a.json b.json
	exits 0
	[[ ${lines[0]} == "undecided, one run a side: step 102.000 us -> 202.000 us (+98.0%); 100% of it in aten::mm"* ]]
	[ "${lines[1]}" = "within these runs: median change +98.0% (95% CI +95.1% to +101.0%), 5 v 5 steps" ]
	[[ $output == *"note: one run per side: run-to-run noise is unknown; record 4+ runs per side (--within-run lets the steps decide)"* ]]
	[[ $output != *"significant"* ]]
	[[ $output != *"Adj. p"* ]]
	run --separate-stderr ptool diff a.json b.json --exit-code
	exits 3
	[[ $stderr == *"ptool: diff: undecided: one run per side: run-to-run noise is unknown; record 4+ runs per side (--within-run lets the steps decide)" ]]
	run --separate-stderr ptool diff a.json b.json --fail-on rows
	exits 3
	run --separate-stderr ptool diff a.json b.json --headline --format csv
	[[ ${lines[1]} == *'"undecided","steps",5,5,4,,1,1,'* ]]
	run columns name,q,significant a.json b.json
	[[ ${lines[0]} == "aten::mm 0.0"*" -" ]]

	run --separate-stderr ptool diff a.json b.json --within-run --exit-code
	exits 1
	[[ ${lines[0]} == "slower by 98.0% within these runs: step "* ]]
	[ "${lines[1]}" = "median change +98.0% (95% CI +95.1% to +101.0%), p = 0.0079, 5 v 5 steps" ]
	[[ $output == *"note: one run per side: its steps decide, and run-to-run noise is unknown"* ]]
	[[ $output == *"Adj. p"* ]]
	run columns name,significant a.json b.json --within-run
	[ "${lines[0]}" = "aten::mm 1" ]
	run --separate-stderr ptool diff a.json a.json --within-run --exit-code
	exits 0
	[[ ${lines[0]} == "no significant change within these runs: "* ]]
	run --separate-stderr ptool diff a.json b.json --within-run --step 1..2 --exit-code
	exits 3
	[[ $stderr == *"ptool: diff: undecided: too few steps to decide (2 v 2); 4 per side are needed, 5 to judge single rows" ]]
	[[ ${lines[1]} == "median change +98.5% (range +97.5% to +99.5%), p = 0.33, 2 v 2 steps" ]]
}

@test "steps that are outliers are named, with the change without them" {
	trace a.json aten::mm 100 101 102 103 104 100
	trace b.json aten::mm 80 81 150 82 83 200
	run --separate-stderr ptool diff a.json b.json
	exits 0
	[ "${lines[2]}" = "2 of 6 new steps are outliers: 2, 5; without them -19.8% (median change -19.7%)" ]
	run --separate-stderr ptool steps b.json --format csv
	run --separate-stderr ptool diff a.json b.json --headline --format csv
	[[ ${lines[0]} == *,base_runs,new_runs,base_outliers,new_outliers,without_outliers_pct ]]
	[[ ${lines[1]} == *',1,1,,"2, 5",-19.8'* ]]
	run --separate-stderr headline_line 2 b.json a.json
	[[ $output == "2 of 6 base steps are outliers: 2, 5; without them +24.7% "* ]]
}

@test "a run that is an outlier is named by its file" {
	eight_runs
	trace new3.json aten::mm 180 181
	run --separate-stderr headline_line 2 base?.json -- new?.json
	[[ $output == "1 of 4 new runs is an outlier: new3.json; without it +1"* ]]
	run --separate-stderr headline_line 2 base?.json -- base?.json
	[[ $output != *outlier* ]]
}

@test "rows that changed while the whole did not are named, and fail with --fail-on rows alone" {
	for i in 1 2 3 4 5; do
		python3 - $i <<'END'
import marshal, sys
i = int(sys.argv[1])
for side, shift in (("base", 0), ("new", 30)):
    with open(f"{side}{i}.prof", "wb") as out:
        marshal.dump({("m.py", line, name): (1, 1, ms / 1000, ms / 1000, {}) for line, name, ms in
                      ((1, "f", 100 + i + shift), (2, "g", 200 - i - shift), (3, "h", 50))}, out)
END
	done
	run --separate-stderr ptool diff base?.prof -- new?.prof --exit-code
	exits 0
	[[ ${lines[0]} == "no significant change: self time "* ]]
	[[ $output == *$'\nnote: 2 of 3 rows tested changed significantly: m.py:2(g), m.py:1(f)' ]]
	run --separate-stderr ptool diff base?.prof -- new?.prof --fail-on rows
	exits 1
	run --separate-stderr ptool diff base?.prof -- base?.prof --fail-on rows
	exits 0
	[[ $output != *"changed significantly"* ]]
}

@test "so few runs that no order is unlikely decide nothing, ties or not" {
	for i in 1 2 3; do
		trace base$i.json aten::mm 100
		trace new$i.json aten::mm 200
	done
	# the normal approximation, which ties ask for, would have p = 0.047
	run columns name,significant base?.json -- new?.json
	[ "${lines[0]}" = "aten::mm 0" ]
	run --separate-stderr ptool diff base?.json -- new?.json --exit-code
	exits 3
	[[ ${lines[0]} == "undecided, 3 v 3 runs: step 100.000 us -> 200.000 us (+100.0%); "* ]]
	[[ ${lines[1]} == *"p = 0.1, 3 v 3 runs" ]]
	run --separate-stderr ptool diff base?.json -- new?.json --exit-code --alpha 0.2
	exits 1
}

@test "a step that several ranks recorded is one measurement" {
	mkdir base new
	trace base/rank0.json aten::mm 100 101 102 103
	trace base/rank1.json aten::mm 110 111 112 113
	trace new/rank0.json aten::mm 110 111 112 113
	trace new/rank1.json aten::mm 120 121 122 123
	run --separate-stderr ptool diff base new --within-run --headline --format csv
	exits 0
	[[ ${lines[1]} == '"step",106500,116500,10000,'*,10000,7000,13000,*,0.02857142857142857,'"increase","steps",4,4,4,'* ]]
	run columns name,base_ns,new_ns,p base new
	[ "${lines[0]}" = "aten::mm 104500 114500 0.02857142857142857" ]
	run --separate-stderr ptool diff base/rank0.json base/rank1.json -- new/rank0.json new/rank1.json --headline --format csv
	exits 0
	[[ ${lines[1]} == '"step",106500,116500,'*'"undecided","runs",2,2,4,,2,2,,,' ]]
}

@test "a loop that was recorded again has its steps twice, not steps twice as long" {
	trace a.json aten::mm 100 200
	# the same two steps once more, 10 ms later
	python3 - <<'END'
import json
trace = json.load(open("a.json"))
again = [dict(e, ts=e["ts"] + 10000) for e in trace["traceEvents"] if e["ph"] == "X"]
trace["traceEvents"] += again
json.dump(trace, open("b.json", "w"))
END
	run --separate-stderr ptool diff a.json b.json --headline --format csv
	exits 0
	[[ ${lines[1]} == '"step",150000,150000,0,'*'"steps",2,2,'* ]]
	run columns name,base_calls,new_calls,base_ns,new_ns a.json b.json --focus mm
	prints "aten::mm 1 1 148000 148000"
	run columns name,base_calls,new_calls,base_ns,new_ns a.json b.json --by step --focus '#1'
	prints "ProfilerStep#1 1 2 200000 400000"
	run --separate-stderr ptool diff a.json b.json --accounting --format csv
	exits 0
	for row in '"operators",148000,98.66666666666667,148000,98.66666666666667,0' '"step",150000,100,150000,100,0'; do
		[[ $output == *"$row"* ]]
	done
}

@test "a device of several ranks has a peak on each" {
	mkdir two
	cp "$GPU/memory.json" two/rank0.json
	cp "$GPU/memory.json" two/rank1.json
	run columns name,base_bytes two two --by memory --focus cuda
	prints $'cuda:0 of rank 0 14680064\ncuda:0 of rank 1 14680064'
}

@test "the headline and the accounting are tables of their own" {
	eight_runs
	run --separate-stderr ptool diff base?.json -- new?.json --headline
	exits 0
	[ "${lines[0]}" = "$(headline base?.json -- new?.json)" ]
	[ "${lines[1]}" = "$(headline_line 1 base?.json -- new?.json)" ]
	[[ $output != *"New"* ]]
	run --separate-stderr ptool diff base?.json -- new?.json --headline --format markdown
	exits 0
	[[ $output != *"|"* ]]
	run --separate-stderr ptool diff base?.json -- new?.json --headline --format csv
	exits 0
	[ "${lines[0]}" = subject,base_ns,new_ns,delta_ns,delta_pct,shift_ns,shift_low_ns,shift_high_ns,shift_pct,shift_low_pct,shift_high_pct,p,verdict,replicates,base_replicates,new_replicates,needed_replicates,least_visible_pct,base_runs,new_runs,base_outliers,new_outliers,without_outliers_pct ]
	[[ ${lines[1]} == '"step",102500,114500,12000,'*,12000,9000,15000,*',"increase","runs",4,4,4,'* ]]
	[ "${#lines[@]}" -eq 2 ]
	run --separate-stderr ptool diff base?.json -- new?.json --accounting --format csv
	exits 0
	[ "${lines[0]}" = part,base_ns,base_pct,new_ns,new_pct,delta_ns ]
	[[ ${lines[-1]} == '"step",102500,100,114500,100,12000' ]]
	run --separate-stderr ptool diff base?.json -- new?.json --accounting -o parts.md
	exits 0
	[[ $(head -1 parts.md) == "slower by 11.7%: step 102.500 us -> 114.500 us"* ]]
	[[ $(cat parts.md) != *"| aten::mm"* ]]
	run --separate-stderr ptool diff "$GPU/memory.json" "$GPU/memory.json" --by memory --accounting
	exits 3
	[[ $stderr == *"ptool: diff: peaks of memory cannot be split into parts: see the rows" ]]
	run --separate-stderr ptool diff base1.json new1.json --accounting --headline
	exits 2
	run --separate-stderr ptool diff --aa base?.json --headline
	exits 2
}

@test "the parts add up to the step" {
	run --separate-stderr ptool diff "$GPU/one_stream.json" "$GPU/two_streams.json"
	exits 0
	[[ $output == *"exposed communication"* ]]
	[[ $output == *idle* ]]
	python3 - "$output" <<'END'
import sys
rows = {}
for line in sys.argv[1].split("\n"):
    for name in ("compute", "exposed communication", "exposed copies", "idle", "step"):
        if line.startswith(name + "  "):
            rows.setdefault(name, [float(cell.replace(",", "")) for cell in line[len(name):].split()])
for column in (1, 3):
    assert abs(sum(row[column] for name, row in rows.items() if name != "step") - 100) < .03, rows
END
}

@test "what differs in the recordings is said" {
	run --separate-stderr ptool diff "$TORCH/t2141_cnn_w0/trace.json.gz" "$TORCH/t2141_cnn_w0_stack/trace.json.gz"
	exits 0
	[[ $output == *"note: same setup: host vm, shapes, memory"* ]]
	[[ $output == *"note: different: stacks recorded in new only: recording them makes every operator slower"* ]]
}

# A recording of a GPU of that name, with a stack or without.
setup_of() { # FILE GPU [STACK]
	printf '{"schemaVersion":1,"deviceProperties":[{"id":0,"name":"%s"}],"traceEvents":[
		{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":1,"ts":0,"dur":10},
		{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":1,"dur":5,"args":{%s}}]}' \
		"$2" "${3:+\"Call stack\": \"$3\"}" >"$1"
}

@test "the order of runs is no difference, and of a side some runs may record stacks" {
	setup_of a.json GPU-A
	setup_of b.json GPU-B
	run --separate-stderr ptool diff a.json b.json -- b.json a.json
	exits 0
	[[ $output == *"note: same setup: GPU-A x 1, GPU-B x 1"* && $output != *"note: different:"* ]]
	setup_of b.json GPU-A
	setup_of c.json GPU-A 'train.py(1): step'
	setup_of d.json GPU-A 'train.py(1): step'
	stacks() { # NOTE BASE... -- NEW...
		run --separate-stderr ptool diff -q --wide "${@:2}"
		exits 0
		[[ $output == *"note: different: stacks recorded in $1: recording them"* ]]
	}
	stacks 'base only' c.json d.json -- a.json b.json
	stacks 'a part of base only' a.json c.json -- a.json b.json
	stacks 'a part of new only' a.json b.json -- c.json a.json
	stacks 'base and a part of new' c.json d.json -- a.json c.json
	stacks 'new and a part of base' a.json c.json -- c.json d.json
	run --separate-stderr ptool diff -q --wide a.json c.json -- d.json b.json
	[[ $output != *"note: different:"* ]]
}

@test "what wrote the files explains a difference only where it is torch" {
	run --separate-stderr ptool diff -q --wide "$FIXTURES/pyprof/app.prof" "$FIXTURES/pyprof/app.txt"
	exits 0
	[[ $output == *"note: different: written by pstats cprofile -> pstats text"* && $output != *"version of torch"* ]]
}

# Steps of these lengths in us, with an operator in each, and kernels NAME:STREAM:US or
# NAME:STREAM:US:DEVICE at its start.
steps_of() { # FILE "LENGTH..." [KERNEL...]
	python3 - "$@" <<-'PY'
		import json, sys
		events, at = [], 0
		for step, length in enumerate(map(float, sys.argv[2].split())):
		    events += [{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#%d" % step, "pid": 1, "tid": 1, "ts": at, "dur": length},
		               {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 1, "ts": at, "dur": length}]
		    for kernel in sys.argv[3:]:
		        name, stream, us, device = (kernel + ":0").split(":")[:4]
		        call = {"correlation": len(events), "External id": len(events)}
		        events += [{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": at, "dur": 1, "args": call},
		                   {"ph": "X", "cat": "kernel", "name": name, "pid": int(device), "tid": int(stream), "ts": at + 2,
		                    "dur": float(us), "args": dict(call, device=int(device), stream=int(stream))}]
		    at += length
		json.dump({"schemaVersion": 1, "traceEvents": events}, open(sys.argv[1], "w"))
	PY
}

@test "one step against many is a change if it is as unlikely as alpha" {
	steps_of one.json 100
	steps_of many.json "$(seq -s ' ' 300 0.1 304.5)"
	run --separate-stderr ptool diff -q one.json many.json --within-run --exit-code --headline
	exits 1
	[[ $output == "slower by 202."*", 1 v 46 steps"* && $output == *", p = 0.04"* ]]
	run --separate-stderr ptool diff -q many.json one.json --within-run --exit-code --headline
	exits 0
	[[ $output == "faster by "* ]]
	# beyond 50, and with ties
	for lengths in "$(seq -s ' ' 300 0.1 305)" "$(seq -s ' ' 300 0.1 304.4) 304.4"; do
		steps_of many.json "$lengths"
		run --separate-stderr ptool diff -q one.json many.json --within-run --exit-code --headline
		exits 1
		[[ $output == "slower by 202."* ]]
	done
	# of no change, the normal approximation does not know what would be found
	steps_of many.json "$(seq -s ' ' 98 0.1 102.5)"
	run --separate-stderr ptool diff -q one.json many.json --within-run
	[[ $output == "no significant change"* && $output != *"would be found"* ]]
	# where no order would do, nothing is said of the change
	steps_of one.json "100 101"
	steps_of many.json "$(seq -s ' ' 300 0.1 305.8) 305.8"
	run --separate-stderr ptool diff -q one.json many.json --within-run --exit-code --alpha 0.01
	exits 3
	[[ $output == "undecided, 2 v 60 steps: "*"too few steps to decide (2 v 60)"* ]]
	steps_of many.json "$(seq -s ' ' 300 0.1 305.9)"
	run --separate-stderr ptool diff -q one.json many.json --within-run --exit-code --alpha 0.01
	exits 1
}

@test "one step against many is told how many judge single rows" {
	steps_of base.json 100 gemm:7:50 other:7:20
	steps_of new.json "$(seq -s ' ' 100 0.1 104.5)" gemm:7:50 other:7:20
	run --separate-stderr ptool diff -q base.json new.json --within-run --by kernel
	exits 0
	[[ $output == *"note: single rows can be judged with 5+ steps per side"* ]]
}

@test "a change that was looked for is larger than --min-effect" {
	for run in 0 1 2 3; do
		steps_of "base$run.json" 100
		steps_of "new$run.json" 102
	done
	run --separate-stderr ptool diff -q --min-effect 5 base?.json -- new?.json
	exits 0
	[[ $output == "no significant change"*"note: a change larger than 5.0% would be found"* ]]
	# with noise one of 5 % seems smaller than that in half of the cases
	steps_of base.json "100 101 99 102 98 100.5 99.5 101.5"
	steps_of new.json "100 101 99 102 98 100.5 99.5 101.5"
	ptool diff -q --within-run --min-effect 5 base.json new.json --headline --format json |
		json_is '5.5 < j["rows"][0]["least_visible_pct"] < 5.8'
}

@test "where ties leave no p that is small enough, more runs of that size are not asked for" {
	steps_of base.json "100 100 102 103 104"
	steps_of new.json "200 201 202 203 204"
	run --separate-stderr ptool diff -q --headline --within-run --alpha 0.01 base.json new.json
	[[ $output == *"too many equal values to decide (5 v 5): record more steps"* ]]
}

@test "p is never below the least that the sizes allow, in rows as in the headline" {
	for run in 0 1 2 3; do
		steps_of "base$run.json" 100
		steps_of "new$run.json" 200
	done
	ptool diff -q base?.json -- new?.json --format json |
		json_is '0.0285 < min(row["p"] for row in j["rows"] if row["p"] is not None)'
}

@test "a row that explains next to nothing of a change is not named" {
	steps_of base.json "200 200 200" gemm:7:50 other:20:60
	steps_of new.json "300 300 300" gemm:7:51 other:20:55
	run --separate-stderr ptool diff -q --headline --by kernel base.json new.json
	exits 0
	[[ $output == *"step 200.000 us -> 300.000 us"* && $output != *" in gemm"* ]]
	# functions are of whole runs: 6 us more, of 300 us
	python3 - <<-'PY'
		import json
		for name, step, took in ("base", 100, 20), ("small", 200, 22), ("large", 200, 80):
		    events = []
		    for at in range(3):
		        events += [{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#%d" % at, "pid": 1, "tid": 1, "ts": 1000 * at, "dur": step},
		                   {"ph": "X", "cat": "python_function", "name": "a.py(1): f", "pid": 1, "tid": 1, "ts": 1000 * at + 5, "dur": took}]
		    json.dump({"schemaVersion": 1, "traceEvents": events}, open("%s.json" % name, "w"))
	PY
	run --separate-stderr ptool diff -q --headline --by function base.json small.json
	[[ $output == *"step 100.000 us -> 200.000 us"* && $output != *" in a.py"* ]]
	run --separate-stderr ptool diff -q --headline --by function base.json large.json
	[[ $output == *"; most in a.py:1(f) (+180.000 us"* ]]
}

@test "a row is a share of the change only where rows add up to it, and the mean and the verdict agree" {
	steps_of base.json "200 200 200" gemm:7:50 other:20:100
	steps_of new.json "300 300 300" gemm:7:130 other:20:100
	run --separate-stderr ptool diff -q --headline --by kernel base.json new.json
	exits 0
	[[ $output == *"; most in gemm (+80.000 us"* ]]
	run --separate-stderr ptool diff -q --headline --by name --focus gemm base.json new.json
	[[ $output == *"; most in gemm (+80.000 us"* ]]
	steps_of base.json "200 200 200" gemm:7:50 other:20:50:1
	steps_of new.json "300 300 300" gemm:7:130 other:20:90:1
	run --separate-stderr ptool diff -q --headline --by kernel base.json new.json
	[[ $output == *"; most in gemm (+80.000 us"* ]]
	steps_of base.json "200 200 200" gemm:7:50
	steps_of new.json "300 300 300" gemm:7:130
	run --separate-stderr ptool diff -q --headline --by kernel base.json new.json
	[[ $output == *"; 80% of it in gemm (+80.000 us"* ]]
	steps_of base.json "100 101 100 101 100 101 100 101 100 101"
	steps_of new.json "90 91 90 91 90 91 90 91 90 200"
	run --separate-stderr ptool diff -q --headline --within-run base.json new.json
	[[ ${lines[0]} == "faster by "*" in the median within these runs: step "* && ${lines[0]} != *";"* ]]
}

@test "samples have no calls to compare, and what rounds to 0 has no sign" {
	run --separate-stderr ptool diff -q --metric calls "$FIXTURES/samples/flame.txt" "$FIXTURES/samples/flame.txt"
	exits 2
	[[ $stderr == *"--metric calls: samples of stacks count no calls"* ]]
	cp "$FIXTURES/samples/flame.txt" again.txt
	ptool diff -q --aa "$FIXTURES/samples/flame.txt" again.txt --format json |
		json_is 'j["rows"] and all(row["base_calls"] is None for row in j["rows"])'
	steps_of base.json "1000 1000 1000 1000 1000 1000 1000 1000 1000 2000"
	steps_of new.json "999.99 999.99 999.99 999.99 999.99 999.99 999.99 999.99 999.99 2001"
	run --separate-stderr ptool diff -q --headline --within-run base.json new.json
	[[ ${lines[2]} == *"without them +0.0% (median change +0.0%)" ]]
}

# Operators NAME:DIM... of one step, 10 us each.
shaped() { # FILE NAME:DIM...
	python3 -c '
import json, sys
events = [{"ph": "X", "cat": "cpu_op", "name": op.split(":")[0], "pid": 1, "tid": 1, "ts": 20 * i, "dur": 10,
           "args": {"Input Dims": [[int(op.split(":")[1])]]}} for i, op in enumerate(sys.argv[2:])]
json.dump({"schemaVersion": 1, "record_shapes": 1, "traceEvents": events}, open(sys.argv[1], "w"))' "$@"
}

@test "of operators on other shapes the one that took most time is told, else the first" {
	shaped base.json b:7 a:5 a:4 b:6 same:1 base:1
	shaped new.json a:8 b:7 b:6 a:3 same:1 new:1
	run --separate-stderr ptool diff base.json new.json
	exits 0
	[[ $output == *"1 operator has different input shapes (a, [[4]] in base only)"* ]]
	shaped new.json b:9 a:5 a:4 b:8 same:1
	run --separate-stderr ptool diff base.json new.json
	[[ $output == *"1 operator has different input shapes (b, [[6]] in base only)"* ]]
	shaped new.json b:6 a:4 b:7 same:2 a:5 a:9 base:2
	run --separate-stderr ptool diff base.json new.json
	[[ $output == *"3 operators have different input shapes (most time: a, [[9]] in new only)"* ]]
	shaped new.json b:9 a:9 a:8 b:8
	run --separate-stderr ptool diff base.json new.json
	[[ $output == *"2 operators have different input shapes (most time: a, [[4]] in base only)"* ]]
}

@test "a store where one long text is the shapes of all operators costs what it weighs" {
	shaped trace.json op{1..1000}:1
	ptool ingest -q -o long.db trace.json
	python3 -c '
import sqlite3
db = sqlite3.connect("long.db")
db.execute("INSERT INTO string SELECT max(id) + 1, printf(\"%.500000c\", \"x\") FROM string")
db.execute("UPDATE op_stat SET shapes_id = (SELECT max(id) FROM string) WHERE grain = 1")
db.commit()'
	limit=300000
	[ -z "${SAN-}${TSAN-}${VALGRIND-}" ] || limit=unlimited
	run -0 --separate-stderr bash -c 'ulimit -v "$0"; "$PTOOL" diff long.db long.db' "$limit"
	[[ $output != *"input shapes"* ]]
	run -0 --separate-stderr bash -c 'ulimit -v "$0"; "$PTOOL" diff long.db trace.json' "$limit"
	[[ $output == *"1000 operators have different input shapes (most time: op1,"* ]]
	[ "$(tr -cd x <<<"${output##*op1,}" | wc -c)" -eq 60 ]
}

@test "--aa measures the noise of one side" {
	eight_runs
	run --separate-stderr ptool diff --aa base?.json
	exits 0
	[[ ${lines[0]} == "noise floor 2.0%: smaller changes are noise (step 102.500 us, 4 runs, 2 v 2)" ]]
	run --separate-stderr ptool diff --aa base?.json -- new1.json
	exits 2
}

@test "sides that share nothing are exit 3, in one line" {
	trace a.json aten::mm 100
	run --separate-stderr ptool diff a.json "$FIXTURES/pyprof/app.prof"
	exits 3
	[[ $stderr == *"ptool: diff: a call graph (cProfile) and a trace have nothing to compare" ]]
	run --separate-stderr ptool diff a.json a.json --by kernel
	exits 3
	[[ $stderr == *"ptool: diff: a.json: no device work was recorded (ProfilerActivity.CUDA), or none matches" ]]
	run --separate-stderr ptool diff a.json a.json --by memory
	exits 3
	run --separate-stderr ptool diff "$GPU/memory.json" a.json --metric memory
	exits 3
	[[ $stderr == *"ptool: diff: a.json: no memory was recorded (profile_memory=True)" ]]
}

@test "a side without device work is told, whichever it is" {
	trace a.json aten::mm 100
	for by in operator annotation kernel idle; do
		for sides in "a.json $GPU/annotations.json" "$GPU/annotations.json a.json"; do
			# shellcheck disable=SC2086
			run --separate-stderr ptool diff $sides --by $by $([ $by = idle ] || echo --metric device)
			exits 3
			[[ $stderr == *"ptool: diff: a.json: no "* ]]
		done
	done
}

@test "a side that is missing, empty or foreign is told in one line" {
	trace a.json aten::mm 100
	ptool ingest -q -o a.db a.json
	cp a.db old.db
	sqlite3 old.db 'PRAGMA user_version = 1'
	ptool ingest -q -o empty.db --run x a.json
	ptool rm x -q -o empty.db
	run --separate-stderr ptool diff a.db missing.db
	exits 4
	[[ $stderr == "ptool: diff: missing.db: "* ]]
	[ "${#stderr_lines[@]}" -eq 1 ]
	run --separate-stderr ptool diff a.db old.db
	exits 4
	[ "${#stderr_lines[@]}" -eq 1 ]
	run --separate-stderr ptool diff a.db empty.db
	exits 3
	[ "${#stderr_lines[@]}" -eq 1 ]
	run --separate-stderr ptool diff --base 'no*.db' --new a.db
	exits 4
	says "ptool: diff: no*.db: no file matches"
}

@test "mistakes in the command line are exit 2" {
	run --separate-stderr ptool diff
	exits 2
	says "ptool: diff: wants two sides: BASE NEW, or --run A --run B of one store"
	run --separate-stderr ptool diff a b c
	exits 2
	says "ptool: diff: say where the new side begins: BASE ... -- NEW ..."
	run --separate-stderr ptool diff a b --by kernels
	exits 2
	[[ $stderr == *"did you mean 'kernel'?"* ]]
	run --separate-stderr ptool diff a b --alpha 2
	exits 2
	run --separate-stderr ptool diff a b --min-effect much
	exits 2
	run --separate-stderr ptool diff --base a
	exits 2
	says "ptool: diff: --new is missing"
	run --separate-stderr ptool diff a b --base c --new d
	exits 2
	trace a.json aten::mm 100
	run --separate-stderr ptool diff a.json a.json --by kernel --metric memory
	exits 2
	run --separate-stderr ptool diff "$GPU/annotations.json" "$GPU/annotations.json" --by annotation --metric device --thread 1
	exits 2
	[[ $stderr == *"the device time of labels is recorded by name and step: only --focus, --ignore and --step apply" ]]
}

@test "every dimension that a recording has gives a table" {
	for by in operator kernel annotation step idle name; do
		run --separate-stderr ptool diff "$GPU/one_stream.json" "$GPU/one_stream.json" --by $by
		exits 0
		[[ $output == *"delta = new - base"* ]]
	done
	run --separate-stderr ptool diff "$GPU/memory.json" "$GPU/memory.json" --by memory
	exits 0
	[[ $output == *"cuda:0"* ]]
	run --separate-stderr ptool diff "$GPU/python_stack.json" "$GPU/python_stack.json" --by function
	exits 0
}

# A trace of 4 steps of 1 ms: in each an operator launches a kernel of so many microseconds,
# and the host waits for it in a call of the runtime.
device_trace() { # FILE KERNEL-US [RUNTIME [LAST-STEP-WITH-WORK [IDLE-US]]]
	python3 - "$@" <<'END'
import json, sys
path, us, runtime, last, idle = sys.argv[1], int(sys.argv[2]), *(sys.argv[3:] + ["cuda", "3", "100"][len(sys.argv) - 3:])
events = []
def slice_(cat, name, ts, dur, tid=1, **args):
    events.append({"ph": "X", "cat": cat, "name": name, "pid": 0 if cat == "kernel" else 1, "tid": tid, "ts": ts, "dur": dur, "args": args})
at = 0
for step in range(4):
    dur = us + int(idle)
    slice_("user_annotation", f"ProfilerStep#{step}", at, dur)
    slice_("cpu_op", "aten::mm", at + 1, 30)
    if step <= int(last):
        slice_("cuda_runtime", runtime + "LaunchKernel", at + 5, 10, correlation=step + 1)
        slice_("kernel", f"{runtime}_gemm", at + 20, us, tid=7, correlation=step + 1, stream=7, device=0)
    slice_("cuda_runtime", runtime + "DeviceSynchronize", at + 40, dur - 50)
    at += dur + 10
with open(path, "w") as out:
    json.dump({"schemaVersion": 1, "traceEvents": events}, out)
END
}

@test "what device work explains is explained by device time, unless a metric is named" {
	device_trace a.json 500
	device_trace b.json 800
	run --separate-stderr ptool diff --wide a.json b.json
	exits 0
	[ "${lines[0]}" = "undecided, one run a side: step 600.000 us -> 900.000 us (+50.0%); 100% of it in aten::mm (+300.000 us of device time, 1 call a step)" ]
	[[ $output == *$'\ndevice time a step by operator (device work explains most); delta = new - base\n'* ]]
	run columns name,delta_ns,metric a.json b.json
	[ "${lines[0]}" = "aten::mm 300000 device" ]
	run columns name,delta_ns,metric a.json b.json --metric self
	[ "${lines[0]}" = "cudaDeviceSynchronize 300000 self" ]
	# the device does the same, and the host lets it wait
	device_trace idle.json 500 cuda 3 200
	run columns name,metric a.json idle.json
	[ "${lines[0]}" = "cudaDeviceSynchronize self" ]
	run columns name,metric a.json b.json --focus Synchronize
	[ "${lines[0]}" = "cudaDeviceSynchronize self" ]
}

@test "calls of CUDA and of HIP are one row, their kernels are not" {
	device_trace cuda.json 500 cuda
	device_trace hip.json 500 hip
	run columns name,new_name,status,delta_ns cuda.json hip.json --metric self
	[[ $output == *"cudaDeviceSynchronize hipDeviceSynchronize renamed"* ]]
	[[ $output == *"cudaLaunchKernel hipLaunchKernel renamed"* ]]
	run columns name,status cuda.json hip.json --by kernel
	[[ $output == *"cuda_gemm removed"* && $output == *"hip_gemm added"* ]]
	# of one vendor another call is another call
	sed 's/cudaDeviceSynchronize/cudaStreamSynchronize/g' cuda.json >other.json
	run columns name,status cuda.json other.json --metric self
	[[ $output == *"cudaDeviceSynchronize removed"* ]]
	[[ $output == *"cudaStreamSynchronize added"* ]]
}

@test "the iterators of one DataLoader are one row, however many processes load" {
	trace a.json 'enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__' 100 100
	trace b.json 'enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__' 50 50
	run columns name,new_name,status,delta_ns a.json b.json
	[ "${lines[0]}" = "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__ enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__ renamed -50000" ]
	run on_terminal 80 "$PTOOL" diff a.json b.json --no-pager --color never
	[[ $output == *"_SingleProcess"*"… => _MultiProcess"*"…"* ]]
}

@test "a kernel of one side alone in the steps chosen is added or removed" {
	device_trace a.json 500
	device_trace b.json 500 cuda 1
	run columns name,status,base_calls,new_calls,delta_ns a.json b.json --by kernel --step 2..3
	prints "cuda_gemm removed 1 0 -500000"
	run columns name,status,delta_ns b.json a.json --by kernel --step 3
	prints "cuda_gemm added 500000"
	run --separate-stderr ptool diff b.json b.json --by kernel --step 3
	exits 3
	run --separate-stderr ptool diff a.json b.json --by kernel --step 7
	exits 3
}

@test "nothing of a diff is wider than the terminal, verdict, notes and long names included" {
	local long='void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>, std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<c10::BFloat16>)'
	trace a.json "$long" 100 101 102 103
	trace b.json "$long" 120 121 122 123
	for width in 40 80 120; do
		run on_terminal $width "$PTOOL" diff a.json b.json --no-pager --color never
		exits 0
		[[ ${lines[-1]} == *note:* || -n $output ]]
		python3 - "$output" $width <<'END'
import sys
lines = [line.rstrip("\r") for line in sys.argv[1].split("\n") if not line.startswith("ptool: ")]
assert any("undecided" in line for line in lines), lines
if int(sys.argv[2]) >= 80:
    assert max(map(len, lines)) <= int(sys.argv[2]), max(lines, key=len)
END
	done
	[[ $output == *"vectorized_elementwise_kernel<CUDAFunctor_add>"* ]]
}

@test "a table fits 80 columns" {
	run on_terminal 80 "$PTOOL" diff "$GPU/one_stream.json" "$GPU/two_streams.json" --no-pager \
		--color never
	exits 0
	python3 - "$output" <<'END'
import sys
lines = [line for line in sys.argv[1].split("\n") if not line.startswith("ptool: ")]
assert len(lines) > 20
assert max(map(len, lines)) <= 80, max(lines, key=len)
END
}

@test "outputs: a suffix chooses the format, one that exists stays, one that cannot be is exit 5" {
	trace a.json aten::mm 100 200
	ptool ingest -q -o a.db a.json
	run --separate-stderr ptool diff a.db a.db -o out.csv
	exits 0
	[ -z "$output" ]
	[[ $(head -1 out.csv) == name,new_name,* ]]
	run --separate-stderr ptool diff a.db a.db -o out.csv
	exits 2
	run --separate-stderr ptool diff a.db a.db -o out.csv -f
	exits 0
	run --separate-stderr ptool diff a.db a.db -o missing/out.csv
	exits 5
	[ "${#stderr_lines[@]}" -eq 1 ]
	for format in table csv tsv json ndjson markdown; do
		run bash -c '"$PTOOL" diff a.db a.db --format '$format' | head -c 1 >/dev/null; echo "${PIPESTATUS[0]}"'
		prints 0
	done
	[ "$(ls)" = "$(printf 'a.db\na.json\nout.csv')" ]
}

@test "a run that is not there is exit 3, and the nearest is named" {
	trace a.json aten::mm 100 200
	ptool ingest -q -o both.db --run before a.json
	ptool ingest -q -o both.db --run after a.json
	run --separate-stderr ptool diff both.db --run befor --run after
	exits 3
	[[ $stderr == *"did you mean 'before'?"* ]]
}

@test "people are told versions of PyTorch, not the letters of dialects" {
	ptool diff -q "$TORCH/t260_ddp_rank0/trace.json.gz" "$TORCH/t2141_cnn_w0/trace.json.gz" --headline >out
	grep -q 'written by PyTorch 2.4-2.6 -> PyTorch 2.14-2.15: a different version of torch' out
}

@test "--sort orders the rows by a column in any unit, --reverse the other way round" {
	local a=$TORCH/t260_cnn_w0/trace.json.gz b=$TORCH/t2141_cnn_w0/trace.json.gz
	for metric in self calls; do
		ptool diff -q "$a" "$b" --metric $metric --sort delta --format csv | cut -d, -f8 | tail -n +2 >down
		[ "$(wc -l <down)" -gt 20 ]
		sort -nrs down | diff - down
	done
	ptool diff -q "$a" "$b" --format csv | tail -n +2 >plain
	ptool diff -q "$a" "$b" --format csv --reverse | tail -n +2 | tac | diff - plain
	run --separate-stderr ptool diff "$a" "$b" --sort dleta
	exits 2
	[[ $stderr == *"did you mean 'delta'?"* ]]
	run --separate-stderr ptool diff "$a" "$b" --sort delta --headline
	exits 2
}

@test "base and new leave a narrow table together, and the footer says so" {
	local a=$TORCH/t260_cnn_w0/trace.json.gz b=$TORCH/t2141_cnn_w0/trace.json.gz
	ptool diff -q "$a" "$b" --width 80 >narrow
	grep -q '^Operator  *Delta  Change %  Calls$' narrow
	grep -q '; 4 columns hidden, --wide shows them$' narrow
	ptool diff -q "$a" "$b" --wide | grep -q '^Operator  *Base  *New  *Delta  Change %  From call count  *From duration  *Calls$'
}

@test "calls of both sides are whole: other columns leave first" {
	calling() { # CALLS
		for ((i = 0; i < $1; i++)); do
			event cpu_op aten::an_operator_whose_name_takes_some_room $((i * 10)) 5
		done
		event cpu_op aten::mm 500000 300000000
	}
	calling 1500 | made before.json
	calling 2500 | made after.json
	for width in 80 95 118; do
		ptool diff -q before.json after.json --width $width >rows
		grep -q ' 1,500 -> 2,500$' rows
	done
}

@test "without slices, what devices did in whole recordings is told, and that the host's part is not" {
	local gpu=$FIXTURES/gpu
	for kind in '' --summary-only; do
		# shellcheck disable=SC2086 # nothing, or a word
		ptool ingest -q $kind -o "one$kind.db" "$gpu/two_devices.json" "$gpu/collectives_rank0.json"
		# shellcheck disable=SC2086
		ptool ingest -q $kind -o "two$kind.db" "$gpu/everything.json" "$gpu/collectives_rank1.json"
		# shellcheck disable=SC2086
		ptool ingest -q $kind -o "host$kind.db" "$TORCH/t260_cnn_w0/trace.json.gz"
	done
	for options in --total '--total --accounting --format csv' '--total --headline'; do
		for pair in 'one two' 'host one'; do
			read -r base new <<<"$pair"
			# shellcheck disable=SC2086 # words
			ptool diff "$base.db" "$new.db" $options >slices
			# shellcheck disable=SC2086
			ptool diff "$base--summary-only.db" "$new--summary-only.db" $options >summaries
			diff slices summaries
		done
	done
	ptool diff one.db two.db --total --accounting --format csv >parts
	cut -d, -f1 <parts | tr '\n' ' ' | grep '"compute" "exposed communication" "exposed copies" "idle" "recording" '
	ptool diff host--summary-only.db host--summary-only.db --total 2>&1 | tr -s ' \n' ' ' |
		grep -F 'note: no table of what the time went to: it is read from slices, which were left out of a store (--summary-only)'
	run -0 ptool diff host.db host.db --total
	[[ $output != *'no table of what'* && $output == *'data loading'* ]]
}

@test "-- before the first file says that names may begin with a dash" {
	cp "$GPU/copies.json" ./-before.json
	cp "$GPU/copies.json" ./after.json
	ptool diff -q ./-before.json after.json >wanted
	ptool diff -q -- -before.json after.json | diff wanted -
	ptool diff -q -- -before.json -- after.json | diff wanted -
}

#!/usr/bin/env bats
# ptool gate and ptool baseline: verdicts, exit statuses and reports.  The statistics are held
# by tests/unit/test_gate.c.  Stores of their own: not in check-fast.

load setup

# Stores NAME1.db ... of runs with so many steps each, whose steps take BASE us and what the
# run's number makes of it.
runs() { # NAME COUNT BASE
	python3 - "$@" <<-'PY'
		import json, sys
		name, count, base = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
		for run in range(1, count + 1):
		    events, at = [], 0
		    for step in range(4):
		        dur = round(base * (1 + .002 * (run * 7 % 5 - 2)) + step, 3)
		        for what, cat, start, length in (("ProfilerStep#%d" % step, "user_annotation", 0, dur),
		                                         ("aten::mm", "cpu_op", 1, dur * .75), ("aten::add", "cpu_op", dur * .8, dur * .1)):
		            events.append({"ph": "X", "cat": cat, "name": what, "pid": 1, "tid": 1, "ts": at + start,
		                           "dur": round(length, 3), "args": {}})
		        at += dur + 10
		    events.append({"ph": "M", "name": "process_name", "pid": 1, "args": {"name": "python"}})
		    with open("%s%d.json" % (name, run), "w") as out:
		        json.dump({"schemaVersion": 1, "traceEvents": events}, out)
	PY
}

budget() { # LINE...: ptool.budget of these lines
	printf '%s\n' "$@" >ptool.budget
}

# A budget of steps against base*.json, and what is added to it.
step_budget() { # LINE...
	budget '[step time]' 'view = steps' 'column = total_ns' "$@"
}

verdict() { # VERDICT STATUS ARGUMENT...
	run --separate-stderr ptool gate -q --wide --verdict-file verdict "${@:3}"
	exits "$2"
	[ "$(cat verdict)" = "$1" ]
}

@test "a limit is kept or broken, in whatever unit, by one run or several" {
	runs new 3 1000
	step_budget 'max = 1.2 ms'
	verdict pass 0 new1.json
	step_budget 'max = 900 us'
	verdict fail 1 new1.json new2.json
	[[ $output == "gate failed: step time"* ]]
	step_budget 'min = 900 us'
	verdict pass 0 new1.json
	step_budget 'min = 2 ms'
	verdict fail 1 new1.json
	step_budget 'max = 1001 us'
	verdict inconclusive 3 new?.json
	[[ $output == *"more runs are likely to decide"* ]]
}

@test "pass, fail and inconclusive against runs, through a pipe and through make" {
	runs base 6 1000
	runs new 6 1050
	step_budget 'against = base*.json' 'tolerance = 2 %'
	verdict pass 0 base?.json
	verdict fail 1 new?.json
	[[ $output == *"step time: "*" -> "*", +5."*"% (95% CI "*"allowed 2%, p = "*"6 v 6"* ]]
	verdict inconclusive 3 new1.json
	[[ $output == *"5 runs a side are likely to decide: 4 more new ones"* ]]
	# a pipe that is read, and one that is not
	set -o pipefail
	status=0
	ptool gate -q new?.json | cat >out || status=$?
	[ $status -eq 1 ]
	grep -q '^gate failed: step time' out
	status=0
	ptool gate -q new1.json | head -c 1 >out || status=$?
	[ $status -eq 3 ]
	printf 'pass fail inconclusive:\n\t@%s gate -q $(RUNS)\n' "$PTOOL" >Makefile
	make -s pass RUNS='base1.json base2.json base3.json base4.json base5.json base6.json'
	run make -s fail RUNS='new1.json new2.json new3.json new4.json new5.json new6.json'
	[ "$status" -eq 2 ]
	[[ $output == *"Error 1"* ]]
	run make -s inconclusive RUNS=new1.json
	[[ $output == *"Error 3"* ]]
}

@test "a smaller number is worse where higher is better; noise can be the tolerance" {
	runs base 6 1000
	runs new 6 950
	step_budget 'against = base*.json' 'better = higher'
	verdict fail 1 new?.json
	step_budget 'against = base*.json'
	verdict pass 0 new?.json
	step_budget 'against = base*.json' 'tolerance = 50 sigma'
	runs new 6 1050
	verdict pass 0 new?.json
}

@test "rows are judged together, and those that got worse are named" {
	runs base 6 1000
	runs new 6 1050
	budget '[operators]' 'view = top' 'column = self_cpu_ns' 'stat = each' 'against = base*.json' 'focus = aten'
	verdict fail 1 new?.json
	[[ $output == *"aten::mm"*"note: operators: 2 of 2 rows are worse"* ]]
	verdict pass 0 base?.json
	verdict inconclusive 3 new1.json
	run --separate-stderr ptool gate -q new?.json --format json
	exits 1
	python3 -c '
import json, sys
rows = json.load(sys.stdin)["rows"]
assert [row["row"] for row in rows] == [None, "aten::add, host", "aten::mm, host"] or len(rows) == 3, rows
assert rows[0]["detail"] == "2 of 2 rows are worse" and rows[1]["q"] < 0.01 and rows[1]["unit"] == "ns", rows' <<<"$output"
}

@test "one of many rows that the runs are too few to believe is shown, and is no pass" {
	python3 - <<-'PY'
		import json
		for side, worse in (("base", 1), ("new", 2)):
		    for run in range(5):
		        events = [{"ph": "X", "cat": "cpu_op", "name": "op%d" % op, "pid": 1, "tid": 1, "ts": 1000 * op,
		                   "dur": (100 + (run * 7 + op * 3) % 5) * (worse if op == 0 else 1)} for op in range(9)]
		        json.dump({"schemaVersion": 1, "traceEvents": events}, open("%s%d.json" % (side, run), "w"))
	PY
	budget '[operators]' 'view = top' 'column = self_cpu_ns' 'stat = each' 'against = base*.json'
	verdict inconclusive 3 new?.json
	[[ $output == *"op0"*"0 of 9 rows are worse, and 1 seems to be"* ]]
	verdict pass 0 base?.json
	rm base4.json new4.json
	verdict inconclusive 3 base?.json
	[[ $output == *"0 of 9 rows are worse; 5 runs a side are likely to decide"* ]]
	budget '[operators]' 'view = top' 'column = self_cpu_ns' 'stat = each' 'against = base*.json' 'focus = op0'
	verdict fail 1 --alpha 0.03 new?.json
}

@test "rows that only numbers tell apart are judged each, and texts that are findings name none" {
	python3 - <<-'PY'
		import json
		for side, factor in (("base", 1), ("new", 3)):
		    for run in range(6):
		        events = []
		        for step in range(3):
		            for device in range(2):
		                at, dur = 100000 * step, (10000 + 17 * run + device) * (factor if device and step < 2 else 1)
		                events += [{"ph": "X", "cat": "kernel", "name": "k", "pid": device, "tid": 7, "ts": at + 10, "dur": dur,
		                            "args": {"device": device, "stream": 7, "correlation": 2 * step + device + 1}},
		                           {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 9, "tid": 9, "ts": at + 1 + device,
		                            "dur": 0.5, "args": {"correlation": 2 * step + device + 1}}]
		            events.append({"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#%d" % step, "pid": 9, "tid": 9,
		                           "ts": at, "dur": (40000 + run) * (factor if step == 1 else 1)})
		        json.dump({"schemaVersion": 1, "traceEvents": events}, open("%s%d.json" % (side, run), "w"))
	PY
	each() { # VERDICT STATUS VIEW COLUMN LINE...
		budget '[each]' "view = $3" "column = $4" 'stat = each' 'against = base*.json' "${@:5}"
		verdict "$1" "$2" --alpha 0.05 new?.json
	}
	each fail 1 devices busy_ns
	[[ $output == *"device 1 "*"1 of 2 rows is worse"* ]]
	each fail 1 streams busy_ns
	[[ $output == *"device 1, stream 7 "*"1 of 2 rows is worse"* ]]
	each fail 1 steps total_ns
	[[ $output == *"device 0, step 1 "* ]] # a long one has texts in grew
	each fail 1 kernels total_ns 'by = step'
	[[ $output == *"step 0"*"2 of 3 rows are worse"* ]]
	each fail 1 top self_device_ns 'by = step'
	[[ $output == *"k, device, step 0 "*"k, device, step 1 "* ]]
}

@test "rows of a run that nothing tells apart are not judged by one of them" {
	python3 - <<-'PY'
		import json
		for run in range(6):
		    json.dump({"schemaVersion": 1, "traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "op", "pid": 1, "tid": 1,
		               "ts": 1000 * at, "dur": 100 + run} for at in range(2)]}, open("base%d.json" % run, "w"))
	PY
	budget '[each]' 'view = list' 'column = dur_ns' 'stat = each' 'against = base*.json'
	verdict inconclusive 3 base?.json
	[[ $output == *"several rows of a run are 'op, op, cpu_op, thread, 1, 1'"* ]]
}

@test "a function that moved, and the profiles of a run that have no rank, are rows" {
	for run in 0 1 2 3 4 5; do
		python3 - $run <<-'PY'
			import json, marshal, sys
			run = int(sys.argv[1])
			for side, line, dur in (("base", 1, 1.0), ("new", 4, 1.5)):
			    stats = {("a.py", line, "f"): (1, 1, dur + run / 1000, dur + run / 1000, {})}
			    marshal.dump(stats, open("%s%d.prof" % (side, run), "wb"))
			    stats |= {("a.py", line + 10 * n, "g"): (1, 1, 1 + n, 1 + n + run / 1000, {}) for n in (1, 2)}
			    marshal.dump(stats, open("%s%d.twins" % (side, run), "wb"))
			    stats["a.py", line + 20, "g"] = (1, 1, 3 * dur, 3 * dur + run / 1000, {})
			    marshal.dump(stats, open("%s%d.second" % (side, run), "wb"))
			    stats = {("a.py", at, "<lambda>"): (1, 1, at, at + run / 1000, {}) for at in ((10, 20) if side == "base" else (20, 30))}
			    marshal.dump(stats, open("%s%d.called" % (side, run), "wb"))
			for part in range(2):
			    for side, dur in (("a", 100), ("b", 200 if part else 100)):
			        events = [{"ph": "X", "cat": "cpu_op", "name": "op", "pid": 1, "tid": 1, "ts": 0, "dur": dur + run}]
			        json.dump({"schemaVersion": 1, "traceEvents": events}, open("%s%d_%d.json" % (side, run, part), "w"))
		PY
		for side in a b; do
			ptool ingest -q -o "$side$run.db" "$side${run}_0.json" "$side${run}_1.json"
		done
	done
	budget '[each]' 'view = top' 'column = self_ns' 'stat = each' 'against = base*.prof'
	verdict fail 1 new?.prof
	[[ $output == *"a.py, f "*"1 of 1 rows is worse"* ]]
	# two functions of one name keep no other from being the same one, nor each other
	budget '[each]' 'view = top' 'column = self_ns' 'stat = each' 'against = base*.twins'
	verdict fail 1 new?.twins
	[[ $output == *"a.py, f "*"1 of 3 rows is worse"* ]]
	budget '[each]' 'view = top' 'column = self_ns' 'stat = each' 'against = base*.second'
	verdict fail 1 new?.second
	[[ $output == *"a.py, g (2 of 2) "*"2 of 3 rows are worse"* ]]
	# others that are called are no code that moved
	budget '[each]' 'view = top' 'column = self_ns' 'stat = each' 'against = base*.called'
	verdict pass 0 new?.called
	budget '[each]' 'view = list' 'column = dur_ns' 'stat = each' 'against = a?.db'
	verdict fail 1 b?.db
	[[ $output == *"profile 2, op, "*"1 of 2 rows is worse"* ]]
	budget '[each]' 'view = top' 'column = total_cpu_ns' 'by = profile' 'stat = each' 'against = a?.db'
	verdict fail 1 b?.db
	[[ $output == *"op, host, profile 2 "*"1 of 2 rows is worse"* ]]
}

@test "without noise a single run decides" {
	runs base 4 1000
	budget '[calls]' 'view = top' 'column = calls' 'stat = sum' 'against = base*.json' 'tolerance = 0 %'
	verdict pass 0 base1.json
	python3 - <<-'PY'
		import json
		trace = json.load(open("base1.json"))
		trace["traceEvents"].append(dict(trace["traceEvents"][1], name="aten::relu", ts=2, dur=1))
		json.dump(trace, open("more.json", "w"))
	PY
	verdict fail 1 more.json
	python3 - <<-'PY'
		import json
		for run in (1, 2, 3):
		    trace = json.load(open("base1.json"))
		    trace["traceEvents"] += [dict(trace["traceEvents"][2], ts=3 + k, dur=0.5) for k in range(run)]
		    json.dump(trace, open("other%d.json" % run, "w"))
	PY
	verdict fail 1 other?.json
	[[ $output != *"are likely to decide"* ]]
	budget '[each]' 'view = top' 'column = calls' 'stat = each' 'against = base*.json'
	verdict fail 1 other?.json
	[[ $output == *"note: each: 1 of "*" rows is worse"* ]]
}

@test "where a gate has no verdict, that of an earlier one does not stay" {
	runs base 4 1000
	step_budget 'max = 2 ms'
	for arguments in nosuch.json '-o taken base1.json'; do
		touch taken
		verdict pass 0 --junit gate.xml base1.json
		[ -s gate.xml ]
		run ptool gate -q --verdict-file verdict --junit gate.xml $arguments
		[ "$status" -eq 2 ] || [ "$status" -eq 4 ]
		[ ! -e verdict ]
		[ ! -e gate.xml ]
	done
	ln -s elsewhere link # through which verdicts are written
	ptool gate -q --verdict-file link base1.json
	[ "$(cat elsewhere)" = pass ]
	run -4 ptool gate -q --verdict-file link nosuch.json
	[ ! -e elsewhere ]
	ptool gate -q --verdict-file link base1.json
	[ "$(cat elsewhere)" = pass ]
	echo 'not a verdict' >verdict # a mistyped name may be that of another file
	for arguments in '--alpha 7' '--runs x' '--nosuch' '-o out.zzz' '-o verdict' '-o .'; do
		run -2 ptool gate -q --verdict-file verdict $arguments base1.json
		[ "$(cat verdict)" = 'not a verdict' ]
	done
	run -4 ptool gate -q --force -o verdict --verdict-file verdict nosuch.json
	[ ! -e verdict ]
	ptool gate -q -o /dev/null base1.json # which is there, too
}

@test "a budget of a count is kept by none, and large percentages are written in full" {
	runs base 4 1000
	budget '[slow]' 'view = list' 'stat = count' 'min-dur = 1s' 'max = 2'
	verdict pass 0 base1.json
	[[ $output == *"slow"*"pass"*" 0 "*" 2 "* ]]
	budget '[slow]' 'view = list' 'stat = count' 'min-dur = 1s' 'min = 2'
	verdict fail 1 base1.json
	step_budget 'against = base*.json' 'tolerance = 2500 %'
	verdict pass 0 base?.json
	[[ $output == *" 2500% "* ]]
	step_budget 'against = base*.json' 'tolerance = 999.9 %'
	verdict pass 0 base?.json
	[[ $output == *" 1000% "* ]]
	budget '[slow]' 'view = list' 'stat = count' 'min-dur = 1s' 'against = base1.json'
	verdict inconclusive 3 --within-run base2.json
	[[ $output == *"a side has no rows, and so no steps"* ]]
	for view in top kernels; do # which refuse a filter that leaves nothing
		budget '[slow]' "view = $view" 'stat = count' 'min-dur = 1s' 'max = 0'
		verdict pass 0 "$EVERYTHING"
	done
	budget '[slow]' 'view = kernels' 'stat = count' 'min-dur = 1s' 'focus = nosuch' 'max = 0'
	verdict inconclusive 3 "$EVERYTHING"
	[[ $output == *"no kernel matches"* ]]
	budget '[slow]' 'view = kernels' 'stat = count' 'min-dur = 1s' 'max = 0'
	verdict inconclusive 3 base1.json
}

@test "what is acknowledged does not count, until its day is over" {
	runs new 1 1000
	step_budget 'max = 900 us' 'acknowledge = a slower loader, until the fix until 2999-12-31'
	verdict pass 0 new1.json
	[[ $output == "gate passed: 1 budget, 1 acknowledged"*"fail"*"acknowledged until 2999-12-31: a slower loader, until the fix"* ]]
	step_budget 'max = 900 us' 'acknowledge = a slower loader until 2020-01-31'
	verdict fail 1 new1.json
	[[ $output == *"its acknowledgement expired after 2020-01-31: a slower loader"* ]]
	step_budget 'max = 900 us' 'acknowledge = a slower loader'
	run --separate-stderr ptool gate -q new1.json
	exits 2
	says "ptool: gate: ptool.budget:5: an acknowledgement is a reason and its last day: REASON until YYYY-MM-DD"
}

@test "mistakes in budgets are told with their line, and what is near" {
	runs new 1 1000
	wrong() { # MESSAGE LINE...
		budget "${@:2}"
		run --separate-stderr ptool gate -q new1.json
		exits 2
		[[ $stderr == "ptool: gate: ptool.budget:$1"* ]] || { echo "$stderr"; return 1; }
	}
	wrong "3: unknown column 'totl_ns'; did you mean 'total_ns'?" '[a]' 'view = steps' 'column = totl_ns' 'max = 1 ms'
	wrong "2: unknown view 'step'; did you mean 'steps'?" '[a]' 'view = step' 'column = total_ns' 'max = 1 ms'
	wrong "4: unknown key 'tolerence'; did you mean 'tolerance'?" '[a]' 'view = steps' 'column = total_ns' 'tolerence = 1 %' 'max = 1 s'
	for key in output format force quiet; do
		wrong "4: unknown key '$key'" '[a]' 'view = top' 'column = self_cpu_ns' "$key = yes" 'max = 1 s'
	done
	wrong "3: unknown stat 'p59'; did you mean 'p95'?" '[a]' 'view = steps' 'stat = p59' 'column = total_ns' 'max = 1 s'
	wrong "4: '180 msec' is not an amount; " '[a]' 'view = steps' 'column = total_ns' 'max = 180 msec'
	wrong "4: total_ns wants a limit such as '180 ms'" '[a]' 'view = steps' 'column = total_ns' 'max = 180'
	wrong "1: [a] wants one of max, min and against" '[a]' 'view = steps' 'column = total_ns'
	wrong "1: [a] has no view; " '[a]' 'column = total_ns'
	wrong "5: 'max' is given twice" '[a]' 'view = steps' 'column = total_ns' 'max = 1 s' 'max = 2 s'
	wrong "1: 'view' is in no section; " 'view = steps'
	wrong "2: neither [SECTION] nor KEY = VALUE: 'steps'" '[a]' 'steps'
	wrong "4: a budget names no server: " '[a]' 'view = steps' 'column = total_ns' 'against = clickhouse://127.0.0.1:1/d'
	wrong "1: --step wants N, A..B" '[a]' 'view = steps' 'column = total_ns' 'max = 1 s' 'step = x'
	# a column of several tables of the command is named once
	wrong "3: unknown column 'cals'; did you mean 'calls'? (valid: calls, " '[a]' 'view = compile' 'column = cals' 'max = 1'
	[[ $stderr != *" calls, "*" calls, "* ]]
	: >ptool.budget
	run --separate-stderr ptool gate -q new1.json
	exits 2
	says "ptool: gate: ptool.budget: it holds no budget; write a [SECTION]"
	run --separate-stderr ptool gate -f none new1.json
	exits 4
	[[ $stderr == "ptool: gate: none: there is no such file; "* ]]
}

@test "an empty side is no pass: missing, without such data, or of another format" {
	runs base 1 1000
	step_budget 'max = 2 ms'
	run --separate-stderr ptool gate -q none*.json
	exits 4
	budget '[copies]' 'view = transfers' 'column = total_ns' 'stat = sum' 'max = 1 s'
	verdict inconclusive 3 base1.json
	[[ $output == *"base1.json: "* ]]
	step_budget 'max = 2 ms' 'step = 77'
	verdict inconclusive 3 base1.json
	step_budget 'against = base*.db'
	run --separate-stderr ptool gate -q base1.json
	exits 4
	says "ptool: gate: base*.db: no file matches"
	ptool ingest -q -o base1.db base1.json
	sqlite3 base1.db 'PRAGMA user_version = 3'
	run --separate-stderr ptool gate -q base1.json
	exits 4
	[[ $stderr == "ptool: gate: base1.db: "*"3"* ]]
}

@test "--within-run lets the steps of one run decide, in pairs" {
	runs base 1 1000
	runs new 1 1100
	step_budget 'against = base1.json'
	run --separate-stderr ptool gate -q --within-run --alpha 0.05 new1.json
	exits 1
	[[ $output == *"4 v 4 steps"* ]]
	verdict inconclusive 3 --within-run new1.json
	[[ $output == *" steps a side are likely to decide"* ]]
	run --separate-stderr ptool gate -q new1.json
	exits 3
	# several runs a side are runs
	runs base 3 1000
	runs new 3 1100
	step_budget 'against = base*.json'
	verdict inconclusive 3 --within-run new?.json
	[[ $output == *" 3 v 3;"*" runs a side are likely to decide"* && $output != *steps\;* ]]
}

@test "JUnit, annotations and the step summary say what the table says" {
	runs base 6 1000
	runs new 6 1050
	budget '[a <b>, "c"]' 'view = steps' 'column = total_ns' 'against = base*.json' '[limit]' 'view = steps' 'column = total_ns' 'max = 9 ms' \
		'[copies]' 'view = transfers' 'column = total_ns' 'stat = sum' 'max = 1 s'
	GITHUB_STEP_SUMMARY=summary.md run --separate-stderr ptool gate -q new?.json --junit gate.xml --github
	exits 1
	[[ $output == *$'\n'"::error file=ptool.budget,line=1,title=ptool gate%3A a <b>%2C \"c\"::"*"%25"* ]]
	[[ $output == *$'\n'"::warning file=ptool.budget,line=9,title=ptool gate%3A copies::"* ]]
	python3 - <<-'PY'
		import xml.etree.ElementTree as tree
		suite = tree.parse("gate.xml").getroot()[0]
		assert suite.attrib["tests"] == "3" and suite.attrib["failures"] == "1" and suite.attrib["skipped"] == "1", suite.attrib
		case = suite[0]
		assert case.attrib["name"] == 'a <b>, "c"' and case[0].tag == "failure" and "+5" in case[0].attrib["message"], case.attrib
		assert suite[2][0].tag == "skipped"
	PY
	grep -q '^## gate failed: ' summary.md
	grep -q '^### Against base\\\*.json' summary.md
	grep -q '^| operators | ' summary.md
	grep -q '^| aten::mm | ' summary.md
	touch out.csv
	run --separate-stderr ptool gate -q new?.json -o out.csv
	exits 2
	says "ptool: gate: out.csv exists; --force replaces it"
	run --separate-stderr ptool gate -q new?.json --junit none/gate.xml
	exits 5
	says "ptool: gate: none/gate.xml: No such file or directory"
	[ -z "${VALGRIND:-}" ] || skip "valgrind needs files of its own"
	# a disk that is full leaves no report, neither a half one nor that of before
	for option in junit verdict-file; do
		echo older >report
		run -5 --separate-stderr bash -c 'set -o pipefail; (ulimit -f 0; exec "$PTOOL" gate -q new1.json new2.json "--$0" report 2>&1 >/dev/null) | cat' "$option"
		[ "$output" = 'ptool: gate: report: File too large' ]
		[ -z "$(compgen -G 'report*')" ]
	done
}

@test "GitHub Actions takes no name of a recording for a command" {
	runs base 6 1000
	runs new 6 1300
	sed -i 's/aten::mm/::add-mask::aten/g' base?.json new?.json
	budget '[ops]' 'view = top' 'column = self_cpu_ns' 'stat = each' 'against = base*.json'
	unset GITHUB_STEP_SUMMARY
	for times in 1 2; do
		run -1 --separate-stderr ptool gate -q new?.json --github
		echo "$output" >"out$times"
	done
	python3 - <<-'PY'
		import re
		tokens = set()
		for name in "out1", "out2":
		    lines = [line.strip() for line in open(name)]
		    token = re.fullmatch("::stop-commands::(ptool-[0-9a-f]{16})", lines[0]).group(1)
		    held = lines[1:lines.index(f"::{token}::")]
		    obeyed = [line for line in lines[len(held) + 2:] if line.startswith("::")]
		    assert any(line.startswith("::add-mask::") for line in held), held
		    assert obeyed and all(line.startswith("::error file=") for line in obeyed), obeyed
		    tokens.add(token)
		assert len(tokens) == 2, tokens
	PY
	run -1 --separate-stderr ptool gate -q new?.json
	[[ $output != *stop-commands* ]]
}

@test "--power tells how often gates of one program fail, and what they see" {
	runs base 8 1000
	step_budget 'against = base*.json' 'tolerance = 1 %'
	run --separate-stderr ptool gate -q --power --format json
	exits 0
	python3 -c '
import json, sys
answer = json.load(sys.stdin)
row = answer["rows"][0]
assert answer["notes"][0].startswith("of 100 gates of one program 0"), answer
assert row["base_runs"] == 8 and 0 < row["seen_80_pct"] <= row["seen_90_pct"] < 3, row' <<<"$output"
	run --separate-stderr ptool gate --power base1.json
	exits 2
}

@test "a baseline answers diff and gate as its recordings do, keeps the last runs, and says what it lacks" {
	runs base 8 1000
	runs new 8 1050
	ptool baseline save main base?.json -q
	for options in "" "--format csv" "--accounting --format csv" "--headline --format json"; do
		# shellcheck disable=SC2086
		ptool diff -q baseline:main -- new?.json $options >got
		# shellcheck disable=SC2086
		ptool diff -q base?.json -- new?.json $options >wanted
		diff wanted got
	done
	# what is no file is no run: a pipe would be waited for
	mkfifo .ptool/baselines/main/20261123T121602-01-pipe.db
	mkdir .ptool/baselines/main/20261123T121602-02-folder.db
	ptool baseline show main --format csv >got
	[ "$(grep -c '' got)" = 9 ]
	run -1 grep 'pipe\|folder' got
	timeout 60 "$PTOOL" diff -q baseline:main -- new?.json >got
	rm -r .ptool/baselines/main/20261123T121602-*
	# a recording with device work on two streams, steps and collectives: parts from its summary
	ptool baseline save gpu "$EVERYTHING" -q
	ptool diff -q baseline:gpu "$EVERYTHING" --accounting --format csv >got
	ptool diff -q "$EVERYTHING" "$EVERYTHING" --accounting --format csv | diff - got
	ptool diff -q baseline:gpu "$EVERYTHING" --by kernel --format csv | cut -d, -f1-11 >got
	ptool diff -q "$EVERYTHING" "$EVERYTHING" --by kernel --format csv | cut -d, -f1-11 | diff - got
	step_budget 'against = main'
	verdict fail 1 new?.json
	[[ $output == *"8 v 8"* ]]
	PTOOL_BASELINES=.ptool/baselines verdict pass 0 base?.json
	ptool baseline save main new[12].json -q --keep 3
	ptool baseline show main --format csv | cut -d, -f1 >got
	printf '%s\n' run '"base8"' '"new1"' '"new2"' | diff - got
	ptool baseline list --format csv | grep -q '^"main",3,'
	for options in "--by annotation" "--by idle" "--step 1..2"; do
		# shellcheck disable=SC2086
		run --separate-stderr ptool diff -q baseline:main -- base?.json $options
		exits 3
	done
	run --separate-stderr ptool diff -q baseline:man -- base?.json
	exits 4
	says "ptool: diff: there is no baseline 'man' in .ptool/baselines; did you mean 'main'?"
	step_budget 'against = mian'
	run --separate-stderr ptool gate -q new1.json
	exits 4
	for store in .ptool/baselines/main/*new1.db; do
		sqlite3 "$store" 'PRAGMA user_version = 3'
	done
	step_budget 'against = main'
	run --separate-stderr ptool gate -q new1.json
	exits 4
	[[ $stderr == "ptool: gate: .ptool/baselines/main/"*"-new1.db: "*"3"* ]]
	ptool baseline rm main -q
	ptool baseline rm gpu -q
	run --separate-stderr ptool baseline list
	exits 3
	mkdir -p .ptool/baselines/main
	run --separate-stderr ptool gate -q new1.json
	exits 3
	[[ $stderr == *"baseline 'main' in .ptool/baselines holds no run; "* ]]
	run --separate-stderr ptool baseline save ../x base1.json
	exits 2
	run --separate-stderr ptool baseline save fresh none.json
	exits 4
	[ ! -e .ptool/baselines/fresh ]
	run --separate-stderr ptool baseline save main none.json
	exits 4
	[ -z "$(ls -A .ptool/baselines/main)" ]
}

@test "a baseline keeps each run of several that are saved at once, and clears what killed ones left" {
	long=$(printf 'n%.0s' {1..250}).json
	cp "$EVERYTHING" "$long"
	ptool ingest -q -o one.db --run night "$EVERYTHING"
	for _ in 1 2 3 4 5; do
		"$PTOOL" baseline save main one.db -q &
	done
	wait
	[ "$(ptool baseline show main --format csv | wc -l)" = 6 ]
	: >.ptool/baselines/main/20261123T121602-01-x.db.lock
	: >.ptool/baselines/main/20261123T121602-01-x.db.tmp.77
	ptool baseline save main "$long" -q --keep 1
	[ "$(find .ptool/baselines/main -type f | wc -l)" = 1 ]
	: >.ptool/baselines/main/20261123T121602-01-x.db.tmp.77
	ptool baseline rm main -q
	[ -z "$(ls -A .ptool/baselines)" ]
}

@test "of a store of several runs, and of a folder of such stores, a baseline takes each run" {
	mkdir folder
	for run in one:everything two:memory three:sync; do
		ptool ingest -q -o all.db --run "${run%:*}" "$GPU/${run#*:}.json"
		ptool ingest -q -o "folder/${run%:*}.db" --run "${run%:*}" "$GPU/${run#*:}.json"
		ptool baseline save alone "folder/${run%:*}.db" -q
	done
	ptool baseline save all all.db -q
	ptool baseline save folder folder -q
	ptool baseline save some all.db --run three --run one -q
	runs_of() { ptool baseline show "$1" --format csv | cut -d, -f1 | tail -n +2 | xargs; }
	[ "$(runs_of all)" = 'one two three' ]
	[ "$(runs_of folder)" = 'one three two' ]
	[ "$(runs_of some)" = 'three one' ]
	run --separate-stderr ptool baseline save last all.db --keep 2
	exits 0
	[ "$(runs_of last)" = 'two three' ]
	[ "$(grep -c ': saved as ' <<<"$stderr")" = 2 ] # those that would not stay are not made
	for run in one two three; do
		sqlite3 .ptool/baselines/alone/*"-$run.db" .dump >wanted
		sqlite3 .ptool/baselines/all/*"-$run.db" .dump | cmp wanted -
		sqlite3 .ptool/baselines/folder/*"-$run.db" .dump | cmp wanted -
	done
	# a side of a gate is the newest, and says so
	budget '[rows]' 'view = top' 'stat = count' 'max = 1000'
	run --separate-stderr ptool gate all.db
	exits 0
	says "ptool: gate: all.db: the newest of its 3 runs is taken, 'three'; --run names others"
	run --separate-stderr ptool gate all.db --run one --run two
	exits 0
	says ''
	run --separate-stderr ptool baseline save all all.db --run one --run tree
	exits 3
	says "ptool: baseline: all.db: no run 'tree'; did you mean 'three'? (runs: one, two, three)"
	[ "$(runs_of all)" = 'one two three' ]
	run --separate-stderr ptool baseline save all "$EVERYTHING" --run one
	exits 2
	run --separate-stderr ptool baseline show all --run one
	exits 2
	cp folder/one.db folder/again.db
	run --separate-stderr ptool baseline save folder folder
	exits 4
	[[ $stderr == *"/again.db: "*$'\n'"ptool: baseline: folder: its stores belong to several runs: "* ||
		$stderr == *"/one.db: "*$'\n'"ptool: baseline: folder: its stores belong to several runs: "* ]]
}

@test "runs of the same names, which go together, are compared in pairs" {
	runs base 8 1000
	mkdir after
	(cd after && runs base 8 1010)
	step_budget 'against = base*.json' 'tolerance = 0.5 %'
	verdict fail 1 after/base?.json
	[[ $output == *"8 pairs"* ]]
}

@test "pairs of equal values, which leave a row no small p, are no pass" {
	python3 - <<-'PY'
		import json, os
		for side in "before", "after":
		    os.mkdir(side)
		    for seed in range(8):
		        worse = 1.1 if side == "after" and seed != 4 else 1
		        events = [{"ph": "X", "cat": "cpu_op", "name": "op%d" % op, "pid": 1, "tid": 1, "ts": 1000 * op,
		                   "dur": 100 * (seed + 1) * (worse if op == 0 else 1)} for op in range(2)]
		        json.dump({"schemaVersion": 1, "traceEvents": events}, open("%s/seed%d.json" % (side, seed), "w"))
	PY
	budget '[operators]' 'view = top' 'column = self_cpu_ns' 'stat = each' 'against = before/*.json' 'tolerance = 2 %'
	verdict inconclusive 3 after/*.json
	[[ $output == *"op0"*"1 seems to be"*"11 runs"* ]] # of which 9 differ: 2 * 2 / 2^9 is below 0.01
	verdict pass 0 before/*.json
	# a row that is not worse is decided by its interval, which is of all pairs
	rm before/seed[5-7].json
	budget '[op0]' 'view = top' 'column = self_cpu_ns' 'stat = sum' 'focus = op0' 'against = before/*.json' 'tolerance = 2 %'
	verdict inconclusive 3 --alpha 0.1 before/*.json
	[[ $output == *"6 runs a side are likely to decide"* ]]
}

@test "escapes in names do not reach the log of a job" {
	runs base 6 1000
	ptool ingest -q --run $'evil\e]0;title\a' -o new.db base1.json
	budget $'[red \e[31m]' 'view = steps' 'column = total_ns' 'profile = zz' 'max = 1 us' \
		$'[\e[1mbold]' 'view = steps' 'column = total_ns' $'against = \e[31m*.json'
	cp base1.json $'\e[31m1.json'
	cp base2.json $'\e[31m2.json'
	GITHUB_STEP_SUMMARY=summary.md run ptool gate --github --color never new.db
	[[ $output == *"::warning file=ptool.budget,line=1,title=ptool gate%3A red \\x1b[31m::"*'evil\x1b]0;title\x07'* ]]
	grep -q 'Against' summary.md
	[ -z "$(printf '%s' "$output" | LC_ALL=C tr -d '\n -~' | LC_ALL=C tr -d '\200-\377')" ]
	[ -z "$(LC_ALL=C tr -d '\n -~' <summary.md | LC_ALL=C tr -d '\200-\377')" ]
}

#!/usr/bin/env bats
# ptool memory: its numbers are held to second counts by tests/memory/check_*.py; here is
# what a user types and sees.

load setup

memory() {
	ptool ingest -q --run memory "$GPU/memory.json"
}

cnn() {
	ptool ingest -q --run cnn "$TORCH/t2141_cnn_w0/trace.json.gz"
}

on_80() {
	on_terminal 80 "$PTOOL" memory --no-pager --color never "$@"
}

@test "the peaks, their curves and what was live, as wide as the terminal" {
	memory
	on_80 | like_golden memory_80.txt
	ptool memory --format csv | like_golden memory.csv
}

@test "every view fits 80 columns" {
	cnn
	{
		on_80 --stats -n 3
		on_80 --live -n 3
		on_80 --events -n 3
		on_80 --curve -n 3
		on_80 --growth
		on_80 --leaks
		on_80 --spikes -n 3
		on_80 --oom
	} | like_golden memory_views_80.txt
	python3 -c 'import sys; assert max(map(len, open(sys.argv[1], encoding="utf-8").read().split("\n"))) <= 80' \
		"$GOLDEN/memory_views_80.txt"
}

@test "the columns that scripts rely on" {
	memory
	for view in --stats --live --events --curve --growth --leaks --spikes --oom "--live --by size" "--live --by step"; do
		# shellcheck disable=SC2086 # two words
		ptool memory $view -n 1 --format csv | head -1
	done | like_golden memory_columns.txt
}

@test "devices by torch's names" {
	memory
	[ "$(ptool memory --device cuda --format csv | wc -l)" -eq 2 ]
	[ "$(ptool memory --device cuda:0,cpu --format csv | wc -l)" -eq 3 ]
	[ "$(ptool memory --device 0 --format csv | cut -d, -f3 | tail -1)" = '"cuda:0"' ]
	run --separate-stderr ptool memory --device gpu
	exits 2
	says "ptool: memory: --device wants cpu, cuda, cuda:1 or 1, not 'gpu'"
	run --separate-stderr ptool memory --device xpu
	exits 3
}

@test "a window has its own peak" {
	cnn
	ptool memory --step 3 --format csv | tail -1 | cut -d, -f7 | grep -qx 3
	whole=$(ptool memory --format csv | tail -1 | cut -d, -f4)
	late=$(ptool memory --time 400ms.. --format csv | tail -1 | cut -d, -f4)
	[ "$late" -lt "$whole" ]
}

@test "one view at a time" {
	run --separate-stderr ptool memory --stats --events
	exits 2
	says "ptool: memory: --stats and --events are separate tables: give one"
}

@test "an option that the view does not look at is refused" {
	memory
	for words in "--focus and --ignore:--focus aten" "--focus and --ignore:--growth --ignore aten" \
		"--min-bytes is for --events:--stats --min-bytes 1M" "--min-share is for --spikes:--curve --min-share 3" \
		"--by is for --live:--stats --by size"; do
		# shellcheck disable=SC2086 # the options of one case
		run --separate-stderr ptool memory ${words#*:}
		exits 2
		[[ $stderr == "ptool: memory: ${words%%:*}"* ]]
	done
}

@test "--live of some operators" {
	cnn
	all=$(ptool memory --live --device cpu --format csv | tail -n +2)
	some=$(ptool memory --live --device cpu --focus empty --format csv | tail -n +2)
	[ "$some" = "$(grep empty <<<"$all")" ]
	[ "$(wc -l <<<"$some")" -lt "$(wc -l <<<"$all")" ]
	bytes=$(ptool memory --live --by size --device cpu --focus empty --format csv | awk -F, 'NR > 1 { n += $8 } END { print n }')
	[ "$bytes" = "$(awk -F, '{ n += $6 } END { print n }' <<<"$some")" ]
	run --separate-stderr ptool memory --live --focus nothing
	exits 3
}

@test "--limit leaves rows out, and the footer counts them" {
	cnn
	for view in --stats --leaks --spikes --growth; do
		ptool memory $view --format json | python3 -c 'import json, sys; print(json.load(sys.stdin)["total_rows"])' >all
		ptool memory $view -n 1 --format json >one
		python3 -c 'import json, sys
t = json.load(sys.stdin)
assert len(t["rows"]) == 1 and t["total_rows"] == int(sys.argv[1]) > 1, t' "$(cat all)" <one
	done
	on_80 --stats -n 2 | grep -qE '^2 of [0-9]+ rows$'
	# what was live below the peaks: as many as asked for, at most eight without that
	ptool memory -n 2 | sed '1,/^live at the peak:$/d' | tail -n +2 | diff - <(ptool memory --live -n 2)
	[ "$(ptool memory | grep -c '^cpu ')" -le 11 ]
	# people see 20 of a list, machines all
	for view in --events --curve; do
		[ "$(ptool memory $view | tail -1)" = 'first 20 rows; -n 0 shows all' ]
		[ "$(ptool memory $view --format csv | wc -l)" -gt 100 ]
		[ "$(ptool memory $view -n 0 | wc -l)" -gt 100 ]
	done
}

@test "sizes, shares and misspelt options" {
	run --separate-stderr ptool memory --events --min-bytes big
	exits 2
	says "ptool: memory: --min-bytes wants a size (4096, 512K, 1M), not 'big'"
	run --separate-stderr ptool memory --spikes --min-share 101
	exits 2
	run --separate-stderr ptool memory --statz
	exits 2
	[[ "$stderr" == *--stats* ]]
}

@test "a filter that lets nothing through is exit 3" {
	memory
	run --separate-stderr ptool memory --stats --focus nothing
	exits 3
	run --separate-stderr ptool memory --step 99
	exits 3
	run --separate-stderr ptool memory --events --min-bytes 1G
	exits 3
	for view in --leaks --spikes --oom; do
		run --separate-stderr ptool memory $view --focus nothing
		exits 3
		says "ptool: memory: ptool.db: --focus 'nothing' matches no name"
		run --separate-stderr ptool memory $view --step 99
		exits 3
	done
}

@test "no leak and no spike is an answer" {
	memory
	ptool memory --leaks --format csv | grep -q left_bytes
	ptool memory --spikes --min-share 100 --device cuda --format csv | grep -q rise_bytes
	ptool memory --oom --step 0 | grep -q '^no failed allocations'
	of_steps '1100 150 -' '1200 -150 -' >second.json
	ptool memory -q second.json --leaks --step 2 | grep -q '^no leaks'
	[ "$(ptool memory --spikes --min-share 0 --time 148us..151us --device cuda)" = 'no spikes' ]
}

# event TS BYTES ADDR TOTAL
event() {
	printf '{"ph":"i","cat":"cpu_instant_event","name":"[memory]","pid":1,"tid":1,"ts":%s,"args":{"Device Type":0,' "$1"
	printf '"Device Id":-1,"Bytes":%s,"Addr":%s,"Total Allocated":%s,"Total Reserved":0}}' "$2" "$3" "$4"
}

@test "a peak that is left and reached again stands out where it is first reached" {
	printf '{"schemaVersion":1,"baseTimeNanoseconds":1,"traceEvents":[%s,%s,%s,%s,%s,%s]}' "$(event 1 500 1 500)" \
		"$(event 2 500 2 1000)" "$(event 3 -10 3 990)" "$(event 4 10 3 1000)" "$(event 5 -500 1 500)" \
		"$(event 6 -500 2 0)" >again.json
	ptool ingest -q again.json
	[ "$(ptool memory --format csv | cut -d, -f6)" = $'at_ns\n1000' ]
	[ "$(ptool memory --spikes --min-share 0 --format csv | cut -d, -f4,6,7)" = \
		$'at_ns,allocated_bytes,rise_bytes\n1000,1000,1000\n3000,1000,10' ]
}

@test "what the recording lacks is told, and how to record it" {
	ptool ingest -q --run none "$GPU/one_stream.json"
	run --separate-stderr ptool memory
	exits 3
	[[ "$stderr" == *"profile(profile_memory=True)"* ]]
	ptool ingest -q --run graph "$FIXTURES/pyprof/pstats/sys311/w_gen.prof"
	run --separate-stderr ptool memory
	exits 3
	[[ "$stderr" == *"call graph"* ]]
	run --separate-stderr ptool memory nothing.db
	exits 4
}

@test "a memory timeline has categories and no blocks" {
	ptool ingest -q "$FIXTURES/timeline/small.json"
	ptool memory --live --format csv | grep -q GRADIENT
	for words in --events "--live --by size" "--live --by step"; do
		# shellcheck disable=SC2086 # two words
		run --separate-stderr ptool memory $words
		exits 3
		[ "${#lines[@]}" -eq 0 ]
		says "ptool: memory: ptool.db: a memory timeline has categories and no blocks; traces and snapshots have blocks"
	done
}

@test "in the locale C nothing is drawn beyond ASCII" {
	ptool ingest -q "$GPU/memory.json"
	ptool memory | LC_ALL=C grep -q "$(printf '\xe2')"
	ptool memory >utf8
	LC_ALL=C ptool memory >ascii
	! LC_ALL=C grep -q "$(printf '\xe2')" ascii
	[ "$(wc -l <utf8)" -eq "$(wc -l <ascii)" ]
	LC_ALL=C.UTF-8 ptool memory | cmp - utf8
	LC_ALL=POSIX ptool memory | cmp - ascii
	[ "$(wc -m <ascii)" -eq "$(LC_ALL=C.UTF-8 wc -m <utf8)" ]
}

@test "samples of mprof: peaks of processes, functions, and runs apart" {
	MPROF=$FIXTURES/mprof
	ptool memory -q "$MPROF/basic.dat" | like_golden memory_mprof.txt
	ptool memory -q "$MPROF/multiprocess_M.dat" --format csv | like_golden memory_mprof_children.csv
	run -0 ptool memory -q "$MPROF/blocks.dat" --stats --focus load --format csv
	prints 'profile,function,calls,total_ns,peak_bytes,increment_bytes
1,".load data",1,408100000,33234943,10489850'
	[ "$(ptool memory -q "$MPROF/appended_twice.dat" --format csv | cut -d, -f1-3)" = $'profile,process,peak_bytes\n1,"main",54263808\n2,"main",54345728' ]
	[ "$(ptool memory -q "$MPROF/basic.dat" --curve --format csv | wc -l)" -eq 61 ]
	run -3 --separate-stderr ptool memory -q "$MPROF/basic.dat" --leaks
	says "ptool: memory: $MPROF/basic.dat: mprof samples memory and records no allocations: it has peaks, --curve and --stats"
	ptool doctor -q "$MPROF/junk_and_out_of_order.dat" --format csv | grep -q '"sample_time"'
	ptool top -q "$MPROF/mprof0.45_py36.dat" --format csv | grep -q '^"__main__.alloc",3,'
}

@test "children that mprof counted in the main process are not added again" {
	ptool memory -q "$FIXTURES/mprof/children_C_M.dat" >rows
	[ "$(cut -d' ' -f1,2 rows | tr -s ' ' | head -5 | tr '\n' ,)" = 'Process ,main ,child 31650,child 31654,child 31702,' ]
	grep -q '^note: main is the sum with its children' rows
	ptool memory -q "$FIXTURES/mprof/multiprocess_M.dat" | grep -q '^all  *87.96 '
}

@test "mprof: a child called main is not the main process, nor is 07 the child 7" {
	printf '%s\n' 'CMDLINE x' 'MEM 10.0 1700000000.0' 'CHLD main 100.0 1700000000.1' 'MEM 11.0 1700000001.0' \
		'CHLD 7 1.0 1700000001.1' 'CHLD 07 500.0 1700000001.2' >a.dat
	[ "$(ptool memory -q a.dat --format csv | cut -d, -f2,3 | head -n 5)" = \
		$'process,peak_bytes\n"main",11534336\n"child main",104857600\n"child 7",1048576\n"child 07",524288000' ]
}

@test "memory_profiler's functions by peak and increment" {
	diff <(ptool memory -q "$FIXTURES/lines/memory061.txt" --format csv) <(ptool top -q "$FIXTURES/lines/memory061.txt" --format csv)
	run -3 ptool memory -q "$FIXTURES/lines/lp503.lprof"
}

@test "shared memory, whose totals are 0, leaves no negative bytes from before the recording" {
	python3 - >shared.json <<'EOF'
import json
blocks = (-110592, 0, 1), (-128, 0, 2), (1000, 1000, 3)
print(json.dumps({"traceEvents": [
    {"ph": "X", "cat": "cpu_op", "name": "aten::empty", "pid": 1, "tid": 1, "ts": 1, "dur": 99}] + [
    {"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]", "pid": 1, "tid": 1, "ts": 10 * addr,
     "args": {"Device Type": 0, "Device Id": -1, "Bytes": size, "Addr": addr, "Total Allocated": total, "Total Reserved": 0}}
    for size, total, addr in blocks]}))
EOF
	ptool memory -q --live shared.json --format csv | cut -d, -f1-5 >live
	cat live
	! grep -q -e '-1\|unaccounted\|before' live
}

# events "US BYTES TOTAL" of one device in steps of 1 ms; a total of - was not recorded
of_steps() { # EVENT...
	python3 - "$@" <<'EOF'
import json, sys
events = [{"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{n}", "pid": 1, "tid": 1, "ts": 1000 * n, "dur": 1000} for n in range(3)]
for addr, event in enumerate(sys.argv[1:]):
    ts, size, total = event.split()
    args = {"Device Type": 1, "Device Id": 0, "Bytes": int(size), "Addr": addr + 1}
    if total != "-":
        args["Total Allocated"] = int(total)
    events.append({"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]", "pid": 1, "tid": 1, "ts": int(ts), "args": args})
print(json.dumps({"traceEvents": events, "schemaVersion": 1}))
EOF
}

column() { # NAME...
	python3 -c 'import csv, sys; [print(*(row[name] for name in sys.argv[1:])) for row in csv.DictReader(sys.stdin)]' "$@"
}

@test "what was allocated when the recording began is a peak where nothing exceeds it" {
	of_steps '100 -100 100' '1100 20 120' '2100 -50 70' >base.json
	ptool ingest -q --summaries yes base.json
	for options in '' '--step 0' '--time 0..150us'; do
		[ "$(ptool memory $options --format csv | column allocated_peak_bytes at_ns step)" = '200 100000 0' ]
	done
	[ "$(ptool memory --step 1 --format csv | column allocated_peak_bytes)" = 120 ]
	[ "$(ptool memory --live --format csv | column op bytes)" = '(before the recording) 200' ]
}

@test "--growth is the difference of the levels, also where totals do not match" {
	of_steps '100 100 100' '1100 100 500' '2100 -50 450' >mismatch.json
	[ "$(ptool memory -q mismatch.json --growth --format csv | column start_bytes end_bytes growth_bytes allocated_bytes)" = $'0 100 100 100\n100 500 400 100\n500 450 -50 0' ]
}

@test "--spikes are shares of the peak that ptool memory shows" {
	of_steps '100 -100000000 100000000' '1100 50000000 150000000' '2100 -50000000 100000000' >base.json
	[ "$(ptool memory -q base.json --format csv | column allocated_peak_bytes)" = 200000000 ]
	[ "$(ptool memory -q base.json --spikes --format csv | column rise_bytes share_pct)" = '50000000 25' ]
}

@test "--spikes have no share of a peak where totals are not recorded" {
	of_steps '100 -100 -' '1100 150 -' '1200 -140 -' >untold.json
	[ "$(ptool memory -q untold.json --spikes --min-share 0 --format csv | column rise_bytes share_pct)" = '140 ' ]
	of_steps '100 -100 -' '1100 50 -' '1200 -50 -' >falls.json
	run --separate-stderr ptool memory -q falls.json --live
	exits 3
	says "ptool: memory: falls.json: the peak is at the start, and nothing that was allocated before the recording is known"
}

@test "--limit leaves out notes and live blocks of the devices it hides" {
	P5=$FIXTURES/snapshot/two_devices_p5.pickle
	ptool memory -q "$P5" --limit 0 | grep -q 'cuda:1'
	ptool memory -q "$P5" --limit 1 | lacks 'cuda:1'
}

# 1,500 x 1,500 are more than two million rows.
@test "--growth of many steps and devices has the steps in which something happened" {
	python3 - >many.json <<-'E'
		import json
		events = []
		for i in range(1500):
		    events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{i}", "pid": 1, "tid": 1, "ts": 100 * i, "dur": 90})
		    for at, size in ((5, 512), (10, 1024)):
		        args = {"Total Allocated": size, "Bytes": size, "Addr": 4096 * (2 * i + at), "Device Id": i, "Device Type": 1}
		        events.append({"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]", "pid": 1, "tid": 1, "ts": 100 * i + at, "args": args})
		print(json.dumps({"traceEvents": events, "schemaVersion": 1}))
	E
	ptool ingest -q many.json
	ptool memory --growth -n 3 | grep -q 'steps times devices are more than 2,000,000'
	ptool memory --growth -n 0 --format csv >rows.csv
	[ "$(wc -l <rows.csv)" -eq 1501 ]
	[ "$(grep -o 'cuda:[0-9]*' rows.csv | sort -u | wc -l)" -eq 1500 ]
	ptool memory --growth -n 0 --step 7 --format csv >rows.csv
	[ "$(wc -l <rows.csv)" -eq 2 ]
}

#!/usr/bin/env bats
# ptool trend: runs over time, and where they changed.

load setup

# runs N: a store of N recordings, a run each, ingested in another order than recorded.
runs() {
	mkdir made
	python3 "$TESTS/gen/runs.py" made "$1"
	for file in $(ls -r made); do
		ptool ingest -q --run "${file%.json}" "made/$file"
	done
}

@test "runs stand in the order of time, and a change is named at its run" {
	runs 15
	ptool trend --width 80 | like_golden trend.txt
	ptool trend --column peak --format csv | like_golden trend.csv
	ptool trend --wide | grep -q '^note: Median step goes from .* at run run11$'
}

@test "a run that began before 1970 has the second that it began in" {
	echo '{"schemaVersion": 1, "baseTimeNanoseconds": 1, "traceEvents": [{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 1, "tid": 1, "ts": -1500000, "dur": 9}]}' >old.json
	ptool trend -q old.json --format ndjson | grep -F '1969-12-31 23:59:58'
}

@test "few runs are shown, and nothing is made of them" {
	runs 3
	ptool trend >out
	grep -q '^note: changes are found in 10 runs or more' out
	[ "$(grep -c '^run0' out)" = 3 ]
}

@test "a change from 0 has no percentage, and sums at their limit are told as they are" {
	python3 - <<-'PY'
		import json
		for run in range(12):
		    events = []
		    for step in range(3):
		        at = step * 100
		        events += [{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#%d" % step, "pid": 1, "tid": 1, "ts": at, "dur": 90},
		                   {"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": at, "dur": 90 - 20 * (run > 5) - run % 2 * (run > 5),
		                    "args": {"device": 0, "stream": 7}}]
		    events.append({"ph": "i", "s": "t", "cat": "cpu_instant_event", "name": "[memory]", "pid": 1, "tid": 1, "ts": 1, "args":
		                   {"Device Type": 1, "Device Id": 0, "Addr": 1, "Bytes": 8, "Total Allocated": 2**63 - 1 if run else 8}})
		    json.dump({"schemaVersion": 1, "baseTimeNanoseconds": (run + 1) * 10**9, "deviceProperties": [{"id": 0, "name": "A"}],
		               "traceEvents": events}, open("run%02d.json" % run, "w"))
	PY
	for file in run*.json; do
		ptool ingest -q --run "${file%.json}" "$file"
	done
	ptool trend --column idle --wide >out
	grep -q '^note: Idle time of a device in a step goes from 0 ns to .* (p = 0.00[0-9]) at run run06$' out
	ptool trend --column idle --format json |
		json_is 'j["rows"][6]["change_pct"] is None and j["rows"][6]["change_p"] < 0.01'
	ptool trend --column peak | grep -q '^Peak of memory: 8 B to 8589934592.00 GiB$'
	sed 's/, "Total Allocated": 8//' run00.json >without.json
	ptool ingest -q --run without without.json
	ptool trend --format json |
		json_is '[row["peak_bytes"] for row in j["rows"] if row["run"] == "without"] == [None]'
}

@test "of more than 1,000 runs the last ones are looked at, and compared with each other" {
	python3 - <<-'PY'
		import json
		for run in range(1010):
		    us = 900 if run < 10 else 100 if run < 500 else 200
		    events = [{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#0", "pid": 1, "tid": 1, "ts": 0, "dur": us}]
		    json.dump({"schemaVersion": 1, "baseTimeNanoseconds": (run + 1) * 10**9, "traceEvents": events},
		              open("run%04d.json" % run, "w"))
	PY
	ptool ingest -q --run all run*.json
	sqlite3 ptool.db "INSERT INTO run SELECT id + 1, 'r' || id FROM profile; UPDATE profile SET run_id = id + 1"
	ptool trend -n 0 >out
	grep -q '^note: Median step goes from 100.000 us to 200.000 us (+100.0%, p = 0.00.) at run r501$' out
}

@test "without steps there is nothing to follow" {
	ptool ingest -q "$FIXTURES/lines/lp503.txt"
	run -3 --separate-stderr ptool trend
	[[ $stderr == *"no run has steps"* ]]
}

@test "what is recorded beside a trace, and has no steps, changes no value of its steps" {
	ptool ingest -q -o alone.db --run it --summaries yes "$EVERYTHING"
	ptool trend --format csv alone.db | cut -d, -f1,5-8 >alone
	grep -q '^"it",' alone
	for other in snapshot/two_devices_p5.pickle samples/evented.speedscope.json pyprof/app.prof lines/lp503.lprof; do
		rm -f both.db
		ptool ingest -q -o both.db --run it "$EVERYTHING" "$FIXTURES/$other"
		ptool trend --format csv both.db | cut -d, -f1,5-8 >both
		diff alone both
	done
}

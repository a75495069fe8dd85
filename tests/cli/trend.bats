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

@test "few runs are shown, and nothing is made of them" {
	runs 3
	ptool trend >out
	grep -q '^note: changes are found in 6 runs or more' out
	[ "$(grep -c '^run0' out)" = 3 ]
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

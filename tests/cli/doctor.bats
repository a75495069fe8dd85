#!/usr/bin/env bats
# ptool doctor: what was repaired, skipped or could not be used.

load setup

damaged() {
	cat >damaged.json <<-'END'
		{"traceEvents":[
		{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2},
		{"ph":"X","name":"b","pid":1,"tid":1,"ts":5,"dur":-2},
		{"ph":"X","name":"c","pid":1,"tid":1,"dur":2},
		{"ph":"E","pid":1,"tid":1,"ts":9},
		{"ph":"X","name":"d","pid":1,"tid":1,"ts":10,"dur":2}
	END
}

# One value of each row of JSON.
values() { # KEY
	grep -oE "\"$1\":\"[^\"]*\"" | cut -d'"' -f4
}

@test "a recording without a flaw has no findings, and exit 0" {
	ptool ingest -q --run clean "$GPU/two_devices.json"
	run --separate-stderr ptool doctor
	exits 0
	[ "${lines[0]}" = "no findings in $GPU/two_devices.json" ]
	run --separate-stderr ptool doctor --format json
	exits 0
	[[ $output == *'"total_rows":0,"notes":[]}' ]]
}

@test "findings are exit 0 too: the worst first, what was found and what was done" {
	damaged
	ptool ingest -q damaged.json
	run --separate-stderr ptool doctor
	exits 0
	says ''
	sed "s|$PWD|HERE|" <<<"$output" | like_golden doctor.txt
	ptool doctor --format json | sed "s|$PWD|HERE|" | like_golden doctor.json
}

@test "the offset is that of the first one in the file" {
	damaged
	ptool ingest -q damaged.json
	ptool doctor --format ndjson >rows
	grep -F '"code":"no_time"' rows | grep -qF "\"first_offset\":$(grep -bo '{"ph":"X","name":"c"' damaged.json | cut -d: -f1),"
}

@test "every code of the store is explained" {
	damaged
	ptool ingest -q damaged.json
	ptool doctor --format ndjson >rows
	[ -s rows ]
	lacks -F '"found":null' <rows
	lacks -F '"done":null' <rows
	[ "$(values code <rows | sort -u)" = "$(ask ptool.db 'SELECT DISTINCT code FROM finding ORDER BY 1')" ]
}

@test "a raw file is examined at once" {
	damaged
	run --separate-stderr ptool doctor damaged.json --format csv
	exits 0
	[ ${#lines[@]} -gt 3 ]
}

@test "several profiles are told apart" {
	damaged
	cp damaged.json again.json
	ptool ingest -q --run both damaged.json again.json
	ptool doctor | head -3 | grep -E '^Profile '
	ptool doctor --profile 1 | sed -n 3p | grep -E '^Severity '
	ptool doctor | head -1 | grep -E ' findings in both: '
}

@test "a name in an excerpt cannot drive the terminal" {
	printf '{"traceEvents":[{"ph":"X","name":"\x1b[31m","pid":1,"tid":1,"ts":1,"dur":2}]}' >esc.json
	run --separate-stderr ptool doctor esc.json
	exits 0
	[[ $output == *'\x1b[31m'* ]]
	[[ $output != *$'\x1b'* ]]
}

@test "a code that only a newer ptool knows is shown without an explanation" {
	damaged
	ptool ingest -q damaged.json
	sqlite3 ptool.db "UPDATE finding SET code = 'of_the_future'"
	run --separate-stderr ptool doctor
	exits 0
	[[ $output == *of_the_future* ]]
	[[ $output != *note:* ]]
}

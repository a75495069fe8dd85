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
	ptool ingest -q --run clean "$TORCH/t2141_jitmod/trace.json.gz"
	run --separate-stderr ptool doctor
	exits 0
	[ "$output" = "no findings in $TORCH/t2141_jitmod/trace.json.gz" ]
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
	ptool doctor | sed -n 3p | grep -E '^Profile '
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

@test "what the recording lacks is told apart, with what that disables" {
	ptool ingest -q "$GPU/unlinked.json"
	run --separate-stderr ptool doctor
	exits 0
	says ''
	sed "s|$GPU|GPU|" <<<"$output" | like_golden doctor_lacks.txt
	ptool doctor --format csv | sed "s|$GPU|GPU|" | like_golden doctor_lacks.csv
	ptool doctor --format markdown | grep -Fx 'The recording'
}

@test "where nothing was damaged there is one table" {
	ptool ingest -q "$TORCH/t2141_cnn_w0/trace.json.gz"
	run --separate-stderr ptool doctor
	exits 0
	[ "${lines[0]}" = "1 finding in $TORCH/t2141_cnn_w0/trace.json.gz: 1 remark" ]
	[[ ${lines[1]} =~ ^Remark\ +Count$ ]]
	lacks -e 'The recording' -e '^Severity' <<<"$output"
}

@test "both tables fit a terminal of 80 columns" {
	ptool ingest -q "$GPU/unlinked.json" "$GPU/graph.json"
	on_terminal 80 "$PTOOL" doctor --no-pager --color never >screen
	grep -q 'The recording' screen
	grep -q 'better: record with with_stack=True' <(tr -s '\r\n ' ' ' <screen)
	tail -n +2 screen | tr -d '\r' | while IFS= read -r line; do
		[ ${#line} -le 80 ]
	done
	grep -q " info  *launch_unknown " screen
}

@test "the same remark on several profiles is one row with their number" {
	ptool ingest -q --run two "$GPU/collectives_rank0.json" "$GPU/collectives_rank1.json"
	ptool doctor >people
	[ "$(grep -c '^no_stacks ' people)" -eq 1 ]
	grep -qE '^Remark +Profiles +Count' people
	grep -qE '^no_stacks +2 +20 ' people
	[ "$(grep -c 'note: no_stacks: ' people)" -eq 1 ]
	# machines get a row for each
	[ "$(ptool doctor --format ndjson | grep -c '"code":"no_stacks"')" -eq 2 ]
	ptool doctor --profile 1 | lacks -E '^Remark +Profiles'
}

@test "--severity shows that and worse, and says of how many" {
	damaged
	ptool ingest -q damaged.json
	ptool doctor --severity error | head -1 | grep -qx "2 of 4 findings in $PWD/damaged.json: 2 errors"
	[ "$(ptool doctor --severity warning --format ndjson | wc -l)" -eq 4 ]
	ptool ingest -q "$GPU/one_stream.json"
	run --separate-stderr ptool doctor --severity warning
	exits 0
	[[ ${lines[0]} =~ ^none\ of\ [0-9]+\ findings\ in\  ]]
	[ -z "$(ptool doctor --severity error --format ndjson)" ]
	run --separate-stderr ptool doctor --severity bad
	exits 2
}

@test "a file that cannot be read is exit 4, with the reason" {
	echo 'no trace' >text
	run --separate-stderr ptool doctor text
	exits 4
	[[ $stderr == 'ptool: doctor: text: '* ]]
	: >empty
	run --separate-stderr ptool doctor empty
	exits 4
	[[ $stderr == *'the file is empty'* ]]
	run --separate-stderr ptool doctor absent.json
	exits 4
	[[ $stderr == *absent.json* ]]
}

@test "a damaged file that can be read is diagnosed" {
	gzip -c "$GPU/one_stream.json" | head -c 3000 >cut.json.gz
	run --separate-stderr ptool doctor cut.json.gz
	exits 0
	[[ $output == *compression* ]]
	[[ $output == *truncated* ]]
	[[ $output == *'The recording'* ]]
}

@test "--strict refuses what was repaired, whenever it shows, and never a remark" {
	printf '{"traceEvents":[\n{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2},\n{"ph":"E","pid":1,"tid":1,"ts":9}]}' >paired.json
	run --separate-stderr ptool ingest --strict paired.json
	exits 4
	says 'ptool: ingest: paired.json: byte 71: an E has no B before it'
	[ ! -e ptool.db ]
	for trace in unlinked graph two_devices; do
		ptool ingest -q --strict "$GPU/$trace.json"
		[ "$(ask ptool.db "SELECT count(*) > 0 FROM finding WHERE code = 'no_stacks'")" = 1 ]
	done
}

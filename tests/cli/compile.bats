#!/usr/bin/env bats
# ptool compile as users see it; tests/compile/check_compile.py holds its numbers.

load setup

BROKEN=$FIXTURES/compile/compile_broken.json.gz

@test "frames that broke and were compiled again, and what to do" {
	ptool ingest -q "$BROKEN"
	ptool compile | like_golden compile.txt
	on_terminal 80 "$PTOOL" compile --no-pager --color never --by step | like_golden compile_steps_80.txt
	run -0 ptool compile --by region --sort compile -n 2 --format csv
	[ "$(cut -d, -f2 <<<"$output")" = $'region\n"0/0"\n"7/1"' ]
}

@test "compile of some steps" {
	run -0 ptool compile -q "$BROKEN" --step 1..2 --by step --format csv
	[ "$(cut -d, -f1,2,5 <<<"$output")" = $'step,calls,compilations\n1,10,1\n2,10,1' ]
	run -3 --separate-stderr ptool compile -q "$BROKEN" --time 0us..1us
	[[ $stderr = *"no compiled region matches"* ]]
}

@test "a recording without torch.compile says so" {
	run -3 --separate-stderr ptool compile -q "$GPU/one_stream.json"
	[[ $stderr = *"no compiled region was recorded (torch.compile)" ]]
}

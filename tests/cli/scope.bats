#!/usr/bin/env bats
# Which profiles a reading command takes: --run, --rank, --profile.

load setup

# Runs "ddp" (profiles 1 and 2, ranks 0 and 1) and one named by its file (3).
two_runs() {
	ptool ingest -q --run ddp "$TORCH"/t260_ddp_rank[01]/trace.json.gz
	cp "$GPU/two_streams.json" streams.json
	ptool ingest -q streams.json
}

# The profiles that `ptool list` lists.
profiles() { # OPTION...
	ptool list --format csv "$@" | tail -n +2 | cut -d, -f1 | sort -u | paste -sd ' '
}

@test "the newest run is read, whichever was written last" {
	two_runs
	[ "$(profiles)" = 3 ]
	ptool ingest -q --run ddp "$TORCH/t260_ddp_rank0/trace.json.gz"
	[ "$(ptool info --run ddp --format csv | tail -n +2 | cut -d, -f1)" = "$(profiles)" ]
}

@test "--run takes a run's name, or the file that it was made from" {
	two_runs
	[ "$(profiles --run ddp)" = '1 2' ]
	[ "$(profiles --run "$PWD/streams.json")" = 3 ]
	[ "$(profiles --run streams.json)" = 3 ]
	[ "$(profiles --run ../here/./streams.json)" = 3 ]
}

@test "--rank takes one rank or a range of them" {
	two_runs
	[ "$(profiles --run ddp --rank 0)" = 1 ]
	[ "$(profiles --run ddp --rank 1)" = 2 ]
	[ "$(profiles --run ddp --rank 0..1)" = '1 2' ]
	[ "$(profiles --run ddp --rank 1..9)" = 2 ]
}

@test "--profile takes an id, a path, or the last part of one" {
	two_runs
	[ "$(profiles --run ddp --profile 2)" = 2 ]
	[ "$(profiles --profile "$PWD/streams.json")" = 3 ]
	[ "$(profiles --profile streams.json)" = 3 ]
	[ "$(profiles --run ddp --profile trace.json.gz)" = '1 2' ]
	[ "$(profiles --run ddp --profile trace.json.gz --rank 1)" = 2 ]
}

@test "a command line that a hint names has the options that chose the run" {
	ptool ingest -q -o ptool.db --run old "$GPU/copies.json"
	ptool ingest -q -o ptool.db --run new "$EVERYTHING"
	ptool gaps --run old ptool.db | grep -F "('ptool kernels --run old ptool.db')"
	ptool gaps --run old | grep -F "('ptool kernels --run old')"
	ptool gaps --profile copies.json --run 'old' | grep -F "('ptool kernels --run old --profile copies.json')"
	# not those that named nothing
	run -3 --separate-stderr ptool gaps --run old --profile none ptool.db
	[[ $stderr == *"'ptool info ptool.db' lists those of all runs"* ]]
}

@test "2: what is no rank, before a trace is read for it" {
	two_runs
	for rank in '' x -1 1.5 1.. ..2 1..x 0x1 99999999999999999999; do
		run --separate-stderr ptool list --rank "$rank" streams.json
		exits 2
		says "ptool: list: --rank wants N or A..B, not '$rank'"
	done
	run --separate-stderr ptool list --rank 3..1 streams.json
	exits 2
	says 'ptool: list: --rank 3..1 ends before it begins'
}

@test "3: a run that is not there; the nearest is named, and those there are" {
	two_runs
	run --separate-stderr ptool list --run dpd
	exits 3
	says "ptool: list: ptool.db: no run 'dpd'; did you mean 'ddp'? (runs: $PWD/streams.json, ddp)"
	run --separate-stderr ptool list --run steams.json
	exits 3
	[[ $stderr == *"; did you mean '$PWD/streams.json'? "* ]]
	run --separate-stderr ptool list --run unlike
	exits 3
	says "ptool: list: ptool.db: no run 'unlike' (runs: $PWD/streams.json, ddp)"
	prints ''
}

@test "3: a list of runs that is too long for a line is cut" {
	ptool ingest -q --run "$(printf 'r%.0s' {1..150})" "$GPU/copies.json"
	ptool ingest -q --run "$(printf 's%.0s' {1..150})" "$GPU/copies.json"
	run --separate-stderr ptool list --run unlike
	exits 3
	[[ $stderr == *"(runs: sss"*"s, ...)" ]]
}

@test "3: a rank or a profile that is not in the run" {
	two_runs
	run --separate-stderr ptool list --run ddp --rank 2
	exits 3
	says 'ptool: list: ptool.db: --rank 2: there are ranks 0, 1'
	# of several files of a rank it is one
	mkdir again
	cp "$GPU"/collectives_rank?.json again
	sed 's/"ts": 1/"ts": 2/' "$GPU/collectives_rank0.json" >again/more.json
	ptool ingest -q -o again.db again
	run --separate-stderr ptool list --rank 2 again.db
	says 'ptool: list: again.db: --rank 2: there are ranks 0, 1'
	run --separate-stderr ptool list --rank 0
	exits 3
	says 'ptool: list: ptool.db: --rank 0: the recording does not say its rank'
	run --separate-stderr ptool list --profile 1
	exits 3
	says "ptool: list: ptool.db: no profile '1' in run '$PWD/streams.json' (profiles: 3; 'ptool info' lists those of all runs)"
}

@test "for people the rank tells ranks apart, else the profile's number does" {
	two_runs
	heads() {
		ptool list -n 1 "$@" | head -1
	}
	[[ $(heads --run ddp) == Rank\ * ]]
	[[ $(heads --run ddp --rank 0) == Start\ * ]]
	[[ $(heads) == Start\ * ]]
	ptool ingest -q --run both "$GPU/two_streams.json" "$GPU/copies.json"
	[[ $(heads) == Profile\ * ]]
}

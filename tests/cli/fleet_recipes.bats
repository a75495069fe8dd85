#!/usr/bin/env bats
# The recipes of docs/fleet.md, as they stand there.

load setup

# Each sh block whose second line names it is a file.
recipes() {
	awk '/^```sh/ { text = ""; on = 1; next } /^```/ { on = 0; next }
		on { text = text $0 "\n"; if ($1 == "#" && $2 ~ /\.sh:?$/) { name = $2; sub(/:$/, "", name) } if (name) { printf "%s", text >name; text = "" } }
		!on { name = "" }' "$(dirname "$TESTS")/docs/fleet.md"
	mkdir bin traces
	ln -s "$PTOOL" bin/ptool
	PATH=$PWD/bin:$PATH
	cp "$GPU"/collectives_rank[01].json traces/
	printf '%s\n' traces/collectives_rank0.json traces/collectives_rank1.json >traces.txt
}

# Two stores that answer as one of both would.
two_stores() {
	[ "$(ls stores)" = $'00000.db\n00001.db' ]
	ptool ingest -q --run night-7 -o one.db traces
	diff <(ptool top one.db) <(ptool top -q stores)
}

@test "a task for each trace, and again: nothing is made twice" {
	recipes
	sh local.sh
	two_stores
	stat -c %i stores/* >was
	sh local.sh
	stat -c %i stores/* | diff was -
	echo traces/none.json >>traces.txt
	run sh task.sh 2
	[ "$status" -eq 4 ]
}

@test "GNU parallel runs them" {
	command -v parallel >/dev/null || skip "GNU parallel is not installed"
	recipes
	HOME=$PWD sh parallel.sh 2>&1
	two_stores
}

@test "a task of Slurm is queued again on 5 alone, and no more than three times" {
	recipes
	printf '#!/bin/sh\necho "$@" >>requeued\n' >bin/scontrol
	chmod +x bin/scontrol
	export SLURM_ARRAY_JOB_ID=9
	SLURM_ARRAY_TASK_ID=0 sh slurm.sh
	SLURM_ARRAY_TASK_ID=1 sh slurm.sh
	two_stores
	SLURM_ARRAY_TASK_ID=7 run sh slurm.sh # sed finds no line: a mistake, or no input
	[ "$status" -ne 0 ]
	[ ! -e requeued ]
	rm bin/ptool
	printf '#!/bin/sh\nexit 5\n' >bin/ptool
	chmod +x bin/ptool
	SLURM_ARRAY_TASK_ID=1 run sh slurm.sh
	[ "$status" -eq 5 ]
	SLURM_RESTART_COUNT=3 SLURM_ARRAY_TASK_ID=1 run sh slurm.sh
	[ "$(cat requeued)" = 'requeue 9_1' ]
}

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
	sh task.sh 1 # as Kubernetes, Dask and Ray start it: nobody made a folder for it
	[ "$(ls stores logs)" = $'logs:\n1.json\n\nstores:\n00001.db' ]
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

# A controller and a node of Slurm on loopback, whose pids are in pids.
cluster() {
	local host ports
	host=$(hostname -s)
	read -ra ports < <(python3 -c 'import socket; s = [socket.create_server(("127.0.0.1", 0)) for _ in "ab"]; print(*[x.getsockname()[1] for x in s])')
	mkdir -m 700 munge state spool
	head -c 1024 /dev/urandom >munge/key
	chmod 400 munge/key
	cat >slurm.conf <<-EOF
		ClusterName=test
		SlurmctldHost=$host(127.0.0.1)
		SlurmctldPort=${ports[0]}
		SlurmUser=root
		AuthInfo=socket=$PWD/munge/sock
		StateSaveLocation=$PWD/state
		SlurmdSpoolDir=$PWD/spool
		SlurmctldPidFile=$PWD/controller.pid
		SlurmdPidFile=$PWD/node.pid
		SlurmdParameters=config_overrides
		ProctrackType=proctrack/linuxproc
		TaskPlugin=task/none
		MpiDefault=none
		SelectType=select/cons_tres
		SelectTypeParameters=CR_Core_Memory
		NodeName=n0 NodeHostname=$host NodeAddr=127.0.0.1 Port=${ports[1]} CPUs=4 RealMemory=8000
		PartitionName=p Nodes=n0 Default=YES
	EOF
	export SLURM_CONF=$PWD/slurm.conf
	munged --foreground --force --key-file="$PWD/munge/key" --socket="$PWD/munge/sock" --pid-file="$PWD/munge/pid" \
		--log-file="$PWD/munge/log" --seed-file="$PWD/munge/seed" >munge.out 2>&1 3>&- &
	echo $! >pids
	slurmctld -D -c >controller.out 2>&1 3>&- &
	echo $! >>pids
	slurmd -D -N n0 >node.out 2>&1 3>&- &
	echo $! >>pids
	for _ in $(seq 100); do
		sinfo -h -o %T 2>/dev/null | grep -qx idle && return
		sleep 0.2
	done
	return 1
}

# They write into their folders until they have ended.
teardown() {
	local pids
	[ -e pids ] || return 0
	mapfile -t pids <pids
	kill "${pids[@]}" 2>/dev/null || true
	for _ in $(seq 200); do
		kill -0 "${pids[@]}" 2>/dev/null || break
		sleep 0.1
	done
	kill -9 "${pids[@]}" 2>/dev/null || true
	wait
}

@test "an array job of Slurm makes the stores, and the job that waits for it makes a report" {
	for program in munged slurmctld slurmd; do
		command -v $program >/dev/null || skip "Slurm is not installed: scripts/deps.sh fleet"
	done
	[ "$(id -u)" -eq 0 ] || skip "Slurm's node is started by root alone"
	recipes
	cluster || skip "no node of Slurm comes up here: $(tail -n 1 controller.out node.out munge.out | tr '\n' ' ')"
	JOB=$(sbatch --parsable --array=0-1%64 slurm.sh)
	export JOB
	eval "$(sed -n "s/^    \(sbatch --dependency.*\)/\1/p" "$(dirname "$TESTS")/docs/fleet.md")"
	for _ in $(seq 500); do
		[ -n "$(squeue -h)" ] || break
		sleep 0.2
	done
	[ -z "$(squeue -h)" ]
	two_stores
	diff <(ptool top one.db) <(ptool top run.db)
	[ -s run.html ]
}

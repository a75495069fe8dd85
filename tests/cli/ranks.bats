#!/usr/bin/env bats
# ptool ranks: what each rank's time went to, and who holds up the others.

load setup

setup_store() {
	ptool ingest -q --run job "$GPU/collectives_rank0.json" "$GPU/collectives_rank1.json"
}

# made PLANT: a store of a made fleet, fleet.db.
made() {
	mkdir fleet
	python3 "$TESTS/gen/fleet.py" fleet 7 "$1"
	ptool ingest -q -o fleet.db fleet/*.json
}

@test "ranks and their steps, as people and machines read them" {
	setup_store
	ptool ranks --width 80 | like_golden ranks.txt
	ptool ranks --by step --width 80 | like_golden ranks_step.txt
	ptool ranks --format csv | like_golden ranks.csv
	ptool ranks --by step --format csv | like_golden ranks_step.csv
}

@test "a slow rank is named, and what to do next, in 80 columns" {
	made slow_rank
	ptool ranks fleet.db --width 80 | like_golden ranks_slow.txt
	# of options that choose ranks its own stands
	ptool ranks fleet.db --wide --rank 0..9 | grep -F "'ptool kernels --rank 6 fleet.db'"
	# a profile may be another rank's
	ptool ranks fleet.db --wide --profile 2 | grep -F "'ptool kernels --rank 6 fleet.db'"
	ptool ranks fleet.db --by step -n 3 --width 80 >steps
	[ "$(wc -L <steps)" -le 80 ]
	ptool ranks fleet.db --by step --wide | grep -q '^Ranks  Caused waiting'
}

@test "--rank shows one, which is compared with all" {
	setup_store
	ptool ranks --rank 1 --format csv | cut -d, -f2,14 | diff - <(printf 'rank,late_ns\n1,243859\n')
}

@test "one rank, or none, is an answer of its own" {
	ptool ingest -q "$GPU/collectives_rank0.json"
	run -3 --separate-stderr ptool ranks
	[[ $stderr == *"only one rank"* ]]
}

@test "mistakes are told by the exit status, and an output is whole or not there" {
	setup_store
	run -4 --separate-stderr ptool ranks nowhere.db
	run -2 --separate-stderr ptool ranks --by sten
	run -2 --separate-stderr ptool ranks --what-if --by step
	run -3 --separate-stderr ptool ranks --run another
	ptool ranks -o out.json
	run -2 --separate-stderr ptool ranks -o out.json
	ptool ranks --what-if -f -o out.json
	grep -q '"replayed"' out.json
	only_files out.json ptool.db
}

@test "steps whose numbers no other rank has take room in proportion, not a table of all ranks" {
	python3 - >ranks.json <<-'END'
		import json
		events = []
		for rank in range(400):
		    events += [{"ph": "X", "pid": f"[rank {rank}] 1", "tid": 1, "name": f"ProfilerStep#{100 * rank + i}",
		                "ts": 100 * i, "dur": 100, "cat": "user_annotation"} for i in range(100)]
		    pair = rank // 2 * 2
		    events.append({"ph": "X", "pid": f"[rank {rank}] 0", "tid": 20, "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
		                   "ts": 10 + rank % 2, "dur": 5, "cat": "kernel",
		                   "args": {"device": 0, "stream": 20, "correlation": 1, "Collective name": "allreduce",
		                            "Process Group Name": f"{pair}", "Process Group Ranks": f"[{pair}, {pair + 1}]",
		                            "In msg nelems": 64, "Out msg nelems": 64, "dtype": "Float", "Group size": 2}})
		print(json.dumps({"schemaVersion": 1, "traceEvents": events}))
	END
	ptool ingest -q ranks.json
	limit=110000
	[ -z "${SAN-}${TSAN-}${VALGRIND-}" ] || limit=unlimited
	run -0 bash -c 'ulimit -v "$0"; "$PTOOL" ranks --by step --limit 3 --format csv' "$limit"
	[ "$(cut -d, -f1-4 <<<"$output" | head -n 3)" = $'profile,rank,step,wall_ns\n1,0,0,100000\n1,0,1,100000' ]
}

@test "a step without a collective has one stretch of work, whatever comes after it" {
	for rank in 0 1; do
		recorded $rank 2 0 <<-END
			ProfilerStep#1 0 1000
			gemm 0 1000
			ProfilerStep#2 1000 170
			gemm 1000 100
			ncclDevKernel_AllReduce_Sum_f32_RING_LL 1100 50
			gemm 1150 20
			ProfilerStep#3 1170 170
			gemm 1170 100
			ncclDevKernel_AllReduce_Sum_f32_RING_LL 1270 50
			gemm 1320 20
		END
	done
	ptool ingest -q rank*.json
	ptool ranks --what-if --format csv | tail -n +2 >rows
	[ "$(cut -d, -f1,5 rows | sort | uniq -c | awk '{ print $2 }' | tr '\n' ' ')" = '"ideal",1 "kind",1 "rank",1 "recorded",1 "replayed",1 "slowest",1 ' ]
}

@test "waiting is no transfer where a step or other work cuts a collective" {
	for case in whole step work; do
		for rank in 0 1 2 3; do
			ns=$((rank == 2 ? 150 : 100))
			recorded $rank 4 0 <<-END
				ProfilerStep#1 0 $([ $case = step ] && echo 190 || echo 200)
				gemm 0 $ns
				ncclDevKernel_AllReduce_Sum_f32_RING_LL $ns $((200 - ns))
				$([ $case = work ] && echo add 180 10 || echo gemm 0 10)
				ProfilerStep#2 $([ $case = step ] && echo 190 210 || echo 200 200)
				gemm 200 $ns
				ncclDevKernel_AllReduce_Sum_f32_RING_LL $((ns + 200)) $((200 - ns))
			END
		done
		ptool ingest -q -o $case.db rank*.json
		ptool ranks --what-if --format csv $case.db >rows
		grep -E '^"(recorded|replayed|ideal|kind)"' rows | cut -d, -f1,2,4 | tr -d '"' | tr '\n' ' ' | diff - \
			<(printf 'recorded,,400000 replayed,,400000 ideal,,325000 kind,compute,400000 kind,copy,325000 kind,idle,325000 kind,transfer,325000 ')
	done
}

@test "ranks that recorded twice are named, counted and played once" {
	for rank in 0 1 2 3; do
		for second in 0 1; do
			ns=$((rank == 2 ? 150 : 100))
			recorded $rank 4 $second <<-END
				ProfilerStep#$second 0 210
				gemm 0 $ns
				ncclDevKernel_AllReduce_Sum_f32_RING_LL $ns $((210 - ns))
			END
		done
	done
	ptool ingest -q rank*.json
	ptool ranks | grep -q "^note: rank 2 computes slowly, 1.50 times"
	ptool ranks --what-if --format csv >rows
	grep -q '^"recorded",,,420000,1.217' rows
	[ "$(grep -c '^"rank"' rows)" = 4 ]
	grep -q '^"rank",,2,420000,' rows
	# three ranks are too few, however often they recorded
	ptool ingest -q -o few.db rank[0-2]_*.json
	ptool ranks few.db >text
	run ! grep -q "computes slowly" text
}

#!/usr/bin/env bats
# ptool comm: collectives of each rank, and across ranks.

load setup

setup_store() {
	ptool ingest -q --run job "$GPU/collectives_rank0.json" "$GPU/collectives_rank1.json"
}

@test "collectives of each rank, as people read them" {
	setup_store
	ptool comm | like_golden comm.txt
	ptool comm --by size --rank 0 | like_golden comm_size.txt
	ptool comm --list --rank 1 | like_golden comm_list.txt
}

@test "machines get all columns, bare numbers, and null for what there is not" {
	setup_store
	ptool comm --format csv | like_golden comm.csv
	ptool comm --list --limit 2 --format json | like_golden comm.json
}

@test "ranks side by side: who waited, who was late" {
	setup_store
	ptool comm --ranks | like_golden comm_ranks.txt
	ptool comm --ranks --list | like_golden comm_ranks_list.txt
	ptool comm --ranks --format csv | like_golden comm_ranks.csv
	ptool comm --ranks --by rank --format csv | like_golden comm_ranks_rank.csv
}

@test "a table fits 80 columns" {
	setup_store
	for options in "" "--by size" "--by rank" --list --ranks "--ranks --by size" "--ranks --by rank" "--ranks --list"; do
		# shellcheck disable=SC2086 # several words
		ptool comm --width 80 $options | grep -v ^note: >wide
		[ "$(wc -L <wide)" -le 80 ]
	done
}

@test "groups are told apart, in 80 columns too" {
	for rank in 0 1; do
		# the all_gathers are of another group; then of one with the same name
		sed '/_allgather_base/s/"Process Group Name": "0"/"Process Group Name": "tensor_parallel"/' \
			"$GPU/collectives_rank$rank.json" >named$rank.json
		sed '/_allgather_base/s/"Process Group Ranks": "\[0, 1\]"/"Process Group Ranks": "[0, 1, 9]"/' \
			"$GPU/collectives_rank$rank.json" >listed$rank.json
	done
	ptool ingest -q --run named named?.json
	ptool ingest -q --run listed listed?.json
	ptool comm --run named --rank 0 | like_golden comm_groups.txt
	for options in "" "--by size" "--by rank" --ranks "--ranks --by size"; do
		# shellcheck disable=SC2086 # several words
		on_terminal 80 "$PTOOL" comm --no-pager --color never --run named $options |
			tr -d '\r' | grep -v ^note: >wide
		grep -q 'all_gather\|Rank' wide
		[ "$(wc -L <wide)" -le 80 ]
	done
	ptool comm --ranks --run named | grep -q '^all_gather  tensor_parallel '
	ptool comm --ranks --run listed | grep -q '^all_gather  \[0, 1, 9\] '
	ptool comm --ranks --run listed --by size | grep -q '^all_gather  \[0, 1, 9\] '
}

@test "gloo's ranges are collectives of the host" {
	ptool ingest -q "$TORCH/t260_ddp_rank0/trace.json.gz" "$TORCH/t260_ddp_rank1/trace.json.gz"
	[ "$(ptool comm --format csv --rank 0 | tail -n +2 | sed 's/"\[0, 1\]"//' | cut -d, -f4,5,10,12 | sort)" = "$(printf '%s\n' \
		'"all_gather","host",2,1600' '"all_reduce","host",4,209776' '"barrier","host",2,' '"broadcast","host",2,800')" ]
}

@test "a group is told where the recording lists but one" {
	one='[{"pg_name": "9", "pg_size": 4, "ranks": [0, 2, 4, 6]}]'
	for groups in "$one" "${one/]\}]/]\}, {\}]}" '[]' '{}' '7' '[7]'; do
		cat <<-JSON >gloo.json
			{"distributedInfo": {"backend": "gloo", "rank": 0, "world_size": 8, "pg_config": $groups}, "traceEvents": [
			{"ph": "X", "cat": "user_annotation", "name": "gloo:all_gather", "pid": 1, "tid": 1, "ts": 10, "dur": 2,
			 "args": {"Input Dims": [[500]], "Input type": ["float"]}}]}
		JSON
		ptool comm gloo.json --format csv 2>/dev/null | tail -1 | sed 's/.*"host",//' | cut -d, -f2- >told
		if [ "$groups" = "$one" ]; then
			# 4 x 500 x 4 bytes in 2 us, three quarters of it over the bus
			grep -qxF '"9","[0, 2, 4, 6]",4,1,8000,8000,2000,2000,4,3,2000,0' told
		else
			grep -qxF ',,,1,,,2000,2000,,,2000,0' told
		fi
	done
}

@test "ranks that were not recorded are named" {
	sed 's/"world_size": 2/"world_size": 4/; s/"Group size": 2/"Group size": 4/g; s/\[0, 1\]/[0, 1, 2, 3]/g' \
		"$GPU/collectives_rank0.json" >rank0.json
	sed 's/"world_size": 2/"world_size": 4/; s/"Group size": 2/"Group size": 4/g; s/\[0, 1\]/[0, 1, 2, 3]/g' \
		"$GPU/collectives_rank1.json" >rank1.json
	ptool ingest -q rank0.json rank1.json
	ptool comm --ranks | grep -qx 'note: ranks 2, 3 of 4 are missing'
	sed -i 's/"world_size": 4/"world_size": 3/' rank?.json
	ptool ingest -q rank0.json rank1.json -o three.db
	ptool comm --ranks three.db | grep -qx 'note: rank 2 of 3 is missing'
	ptool comm --ranks --format csv | tail -n +2 | grep -c '"\[2, 3\]"' | grep -qx 2
}

@test "of many ranks that were not recorded the note is whole" {
	for rank in 0 1; do
		sed 's/"world_size": 2/"world_size": 300/' "$GPU/collectives_rank$rank.json" >rank$rank.json
	done
	sed 's/"rank": 1/"rank": 40/; s/"Rank": 1/"Rank": 40/g' rank1.json >rank40.json
	ptool ingest -q rank0.json rank1.json rank40.json
	ptool comm --ranks | grep -qx 'note: ranks 2..39, 41..299 of 300 are missing'
}

@test "a rank that lacks a collective is told, and what was paired by its place only" {
	python3 - "$GPU/collectives_rank0.json" "$GPU/collectives_rank1.json" <<-'PY'
		import json, sys
		for rank in range(3):
		    trace = json.load(open(sys.argv[1 + min(rank, 1)]))
		    trace["distributedInfo"]["rank"] = rank
		    events = trace["traceEvents"]
		    kernels = [e for e in events if e.get("cat") == "kernel" and "nccl" in e["name"]]
		    kernels.sort(key=lambda e: e["ts"])
		    for numbered in (False, True):
		        for k, e in enumerate(kernels):
		            e["args"]["Seq"] = k if numbered else 5
		        lacking = [e for e in events if rank != 1 or e is not kernels[0]]
		        json.dump(dict(trace, traceEvents=lacking), open(f"{numbered}{rank}.json", "w"))
	PY
	told='note: 1 of 4 collectives lack ranks that take part in others of their kind: rank 1 from 1'
	guess='note: 2 collectives have no sequence numbers, and ranks have different numbers of them: matching the k-th of each rank is a guess'
	ptool ingest -q --run numbered True?.json
	ptool comm --ranks --run numbered >out
	grep -qxF "$told" out
	lacks guess <out
	ptool ingest -q --run unnumbered False?.json
	ptool comm --ranks --run unnumbered --wide >out
	grep -qxF "$told" out
	grep -qxF "$guess" out
	# what a filter leaves is matched as all are
	ptool comm --ranks --run unnumbered --rank 1 --wide >out
	lacks "lack ranks" <out
	one=${guess/2 collectives have/1 collective has}
	grep -qxF "$one" out
	# of two ranks what one lacks is no collective, but a call without partner
	ptool ingest -q -o unnumbered.db False[01].json
	ptool comm --ranks --wide unnumbered.db >out
	grep -qxF "$one" out
	grep -qxF 'note: 1 call has no partner on another rank' out
	ptool ingest -q -o numbered.db True[01].json
	ptool comm --ranks numbered.db | lacks guess
	setup_store
	ptool comm --ranks --run job | lacks "lack ranks"
}

@test "a file that is there twice is named" {
	cp "$GPU/collectives_rank1.json" again.json
	ptool ingest -q "$GPU/collectives_rank0.json" "$GPU/collectives_rank1.json" again.json
	ptool comm --ranks | grep -qx 'note: profiles that share no collective with another rank: [23] (rank 1)'
	setup_store
	ptool comm --ranks --run job | lacks "share no collective"
}

@test "one rank cannot be compared" {
	ptool ingest -q "$GPU/collectives_rank0.json"
	run -3 --separate-stderr ptool comm --ranks
	says "ptool: comm: ptool.db: --ranks compares ranks, and there is only one: ingest the traces of several together"
}

@test "recordings that do not tell their rank cannot be compared" {
	sed '/"distributedInfo"/d' "$GPU/collectives_rank0.json" >a.json
	sed '/"distributedInfo"/d' "$GPU/collectives_rank1.json" >b.json
	ptool ingest -q a.json b.json
	run -3 --separate-stderr ptool comm --ranks
	says "ptool: comm: ptool.db: --ranks compares ranks, and no recording says its rank (distributedInfo, or a name like rank0.json)"
}

@test "filters choose single collectives" {
	setup_store
	[ "$(ptool comm --list --format csv --focus all_reduce | tail -n +2 | wc -l)" = 4 ]
	[ "$(ptool comm --list --format csv --step 1 | tail -n +2 | wc -l)" = 4 ]
	run -3 --separate-stderr ptool comm --ranks --min-dur 1ms
	says "ptool: comm: ptool.db: no collective matches"
	run -3 --separate-stderr ptool comm --focus broadcast
	says "ptool: comm: ptool.db: --focus 'broadcast' matches no name"
	run -2 --separate-stderr ptool comm --cat kernel
	says "ptool: comm: --cat and --thread choose slices of the host: 'ptool list' and 'ptool top' show them"
}

@test "a recording without collectives says so" {
	ptool ingest -q "$GPU/copies.json"
	run -3 --separate-stderr ptool comm
	says "ptool: comm: ptool.db: no collective was recorded: neither NCCL (or RCCL) kernels nor torch.distributed's ranges (gloo:all_reduce)"
}

@test "mistakes in the command line name what is nearest" {
	run -2 --separate-stderr ptool comm --by sise
	[[ $stderr == *size* ]]
	run -2 --separate-stderr ptool comm --rnaks
	[[ $stderr == *--rank* ]]
}

@test "a store that somebody edited is told, not believed" {
	setup_store
	sqlite3 ptool.db "UPDATE collective SET in_elements = 9223372036854775807, group_size = -1, group_ranks = '[0, 1, 99999999999'"
	ptool comm >/dev/null
	ptool comm --ranks --format csv >/dev/null
	sqlite3 ptool.db "UPDATE collective SET slice_id = -9223372036854775807 - 1"
	ptool comm --format csv >/dev/null
	sqlite3 ptool.db "UPDATE profile SET base_ns = 9223372036854775807, start_ns = 9223372036854775807"
	ptool comm --ranks --list --format csv >/dev/null
	local change
	for change in "dur = -1" "ts = -1" "place = -1" "compute = x'ff'" "side_id = 1"; do
		cp ptool.db edited.db
		sqlite3 edited.db "UPDATE comm_part SET $change"
		run -4 --separate-stderr ptool comm edited.db
		says "ptool: comm: edited.db: the rows of comm_part do not fit together; ingest again"
	done
	sqlite3 ptool.db "DELETE FROM summary"
	edit_slices "UPDATE slice_row SET dur = 9223372036854775807"
	run -4 --separate-stderr ptool comm
	[[ $stderr == "ptool: comm: ptool.db: the store's slices do not fit together"* ]]
}

@test "--list and --by are refused together" {
	run --separate-stderr ptool comm --list --by size "$GPU/collectives_rank0.json"
	exits 2
	says "ptool: comm: --list shows single collectives, --by sums them up: give one"
}

@test "amounts that no collective has are no column" {
	event kernel 'void deep_ep::internode::combine<8>(int)' 0 40 0 7 '"device":0,"stream":7' |
		made deepep.json
	ptool comm -q deepep.json >rows
	[ "$(head -1 rows | tr -s ' ')" = 'Collective Calls Time (us) Exposed (us)' ]
	ptool comm -q --format csv deepep.json | head -1 | grep -q ',message_bytes,bytes,'
}

@test "a bus bandwidth that cannot be told is explained" {
	sed 's/"Group size": *[0-9]*, *//' "$GPU/collectives_rank0.json" >nogroup.json
	ptool comm nogroup.json --focus all_reduce --format ndjson 2>/dev/null | grep -q '"algbw_gbps":[0-9.]*,"busbw_gbps":null'
	ptool comm nogroup.json 2>/dev/null | grep -q "^note: no bus bandwidth for [0-9]* collectives: the size of their group is not recorded"
	ptool comm "$GPU/collectives_rank0.json" 2>/dev/null | lacks "not known"
}

# A kernel ($1) of rank $2 that a range ($3) launched; $4: time of the end, in microseconds.
coalesced_trace() {
	cat <<-JSON
		{"distributedInfo": {"backend": "nccl", "rank": $2, "world_size": 2}, "traceEvents": [
		{"ph": "X", "cat": "user_annotation", "name": "$3", "pid": 1, "tid": 1, "ts": 10, "dur": 9, "args": {}},
		{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernelExC", "pid": 1, "tid": 1, "ts": 12, "dur": 3,
		 "args": {"correlation": 7}},
		{"ph": "X", "cat": "kernel", "name": "$1", "pid": 0, "tid": 7, "ts": 20, "dur": $4,
		 "args": {"device": 0, "stream": 7, "correlation": 7}}]}
	JSON
}

@test "of several in one the kernel says what they are" {
	coalesced_trace "ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)" 0 nccl:coalesced 5 >reduce.json
	[ "$(ptool comm reduce.json --format csv 2>/dev/null | tail -1 | cut -d, -f4)" = '"all_reduce"' ]
	coalesced_trace "ncclDevKernel_Generic_1(x)" 0 nccl:coalesced 5 >generic.json
	[ "$(ptool comm generic.json --format csv 2>/dev/null | tail -1 | cut -d, -f4)" = '"coalesced"' ]
	coalesced_trace "ncclDevKernel_SendRecv(x)" 0 nccl:coalesced 5 >p2p0.json
	coalesced_trace "ncclDevKernel_SendRecv(x)" 1 nccl:coalesced 6 >p2p1.json
	ptool ingest -q p2p0.json p2p1.json
	[ "$(ptool comm --rank 1 --format csv | tail -1 | cut -d, -f4)" = '"send_recv"' ]
	run -3 --separate-stderr ptool comm --ranks # each may be with another rank
	says "ptool: comm: ptool.db: only sends and receives match, and these are not compared"
}

# A kernel of rank $1 for each end given, of 5 us, in microseconds.
reduces_of() {
	local rank=$1 end comma=
	shift
	printf '{"distributedInfo": {"backend": "nccl", "rank": %s, "world_size": 2}, "traceEvents": [' "$rank"
	for end in "$@"; do
		printf '%s{"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)",
			"pid": 0, "tid": 7, "ts": %s, "dur": 5, "args": {"device": 0, "stream": 7}}' "$comma" $((end - 5))
		comma=,
	done
	printf ']}'
}

@test "waits shorter than what clocks may differ by are not to be trusted" {
	reduces_of 0 100 200 300 >0.json
	reduces_of 1 100 230 360 >1.json
	ptool ingest -q --run apart 0.json 1.json
	ptool comm --ranks | grep -q '^note: clocks are aligned on the ends of collectives, to within 30'
	for command in 'comm --ranks' ranks; do
		# shellcheck disable=SC2086 # two words
		ptool $command --run apart | tr '\n' ' ' | grep -q 'less than the clock error: do not trust waits and who was last'
	done
	reduces_of 1 100 200 300 >1.json
	ptool ingest -q --run together 0.json 1.json
	ptool comm --ranks --run together | lacks 'do not trust'
	ptool ranks --run together | lacks 'do not trust'
}

# A kernel ($1) that NCCL's range ($2) launched within an operator ($3) with shapes ($4).
old_trace() {
	cat <<-JSON
		{"traceEvents": [
		{"ph": "X", "cat": "cpu_op", "name": "$3", "pid": 1, "tid": 1, "ts": 9, "dur": 12,
		 "args": {"Input Dims": $4, "Input type": ["float", "float", ""]}},
		{"ph": "X", "cat": "user_annotation", "name": "$2", "pid": 1, "tid": 1, "ts": 10, "dur": 9,
		 "args": {"Input Dims": [[8192, 64]], "Input type": ["float"]}},
		{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernelExC", "pid": 1, "tid": 1, "ts": 12, "dur": 3,
		 "args": {"correlation": 7}},
		{"ph": "X", "cat": "kernel", "name": "$1", "pid": 0, "tid": 7, "ts": 20, "dur": 5,
		 "args": {"device": 0, "stream": 7, "correlation": 7}}]}
	JSON
}

@test "what all ranks and what one has tell the size of the group" {
	old_trace ncclKernel_AllGather_RING_LL nccl:_all_gather_base c10d::_allgather_base_ '[[65536, 64], [8192, 64], []]' >gather.json
	ptool comm gather.json --format json 2>/dev/null |
		grep -q '"group_size":8,.*"message_bytes":16777216,"bytes":16777216'
	old_trace ncclKernel_AllGather_RING_LL nccl:_all_gather_base c10d::_allgather_base_ '[[], [8192, 64], []]' >torn.json
	ptool comm torn.json --format json 2>/dev/null | grep -q '"group_size":null,.*"bytes":null'
	# an operator of another kind says nothing of it
	old_trace ncclKernel_AllGather_RING_LL nccl:_all_gather_base aten::mm '[[65536, 64], [8192, 64], []]' >mm.json
	ptool comm mm.json --format json 2>/dev/null | grep -q '"group_size":null,.*"bytes":null'
}

@test "groups that are all of one size tell it, and no more" {
	for sizes in '4 4' '4 8'; do
		cat <<-JSON >gloo.json
			{"distributedInfo": {"backend": "gloo", "rank": 0, "world_size": 8, "pg_config": [
			 {"pg_name": "1", "pg_size": ${sizes% *}, "ranks": [0, 2]}, {"pg_name": "2", "pg_size": ${sizes#* }}]}, "traceEvents": [
			{"ph": "X", "cat": "user_annotation", "name": "gloo:all_gather", "pid": 1, "tid": 1, "ts": 10, "dur": 2,
			 "args": {"Input Dims": [[500]], "Input type": ["float"]}}]}
		JSON
		ptool comm gloo.json --format csv 2>/dev/null | tail -1 | sed 's/.*"host",//' | cut -d, -f2-5 >>told
	done
	[ "$(cat told)" = "$(printf ',,4,1\n,,,1')" ]
}

@test "a kernel in an anonymous namespace, or of a mangled name, has a collective" {
	coalesced_trace "void (anonymous namespace)::multimem_all_reduce_kernel<c10::BFloat16, 16>(c10::BFloat16*)" 0 x 5 >anonymous.json
	[ "$(ptool comm anonymous.json --format csv 2>/dev/null | tail -1 | cut -d, -f4)" = '"all_reduce"' ]
	coalesced_trace _ZN5aiter33reduce_scatter_cross_device_storeIDF16bLi8EEEvPNS_8RankDataE 0 x 5 >mangled.json
	[ "$(ptool comm mangled.json --format csv 2>/dev/null | tail -1 | cut -d, -f4)" = '"reduce_scatter"' ]
	# one whose name does not say which is called by its function
	coalesced_trace "void nvshmem::(anonymous namespace)::proxy<int>(int)" 0 x 5 >proxy.json
	ptool comm proxy.json --format csv 2>/dev/null | tail -1 | cut -d, -f4
	[ "$(ptool comm proxy.json --format csv 2>/dev/null | tail -1 | cut -d, -f4)" = '"nvshmem::proxy"' ]
}

@test "rows are sorted by the columns that there are" {
	ptool ingest -q "$GPU/collectives_rank0.json" "$GPU/collectives_rank1.json"
	ptool comm --sort help | grep -q '^busbw_gbps  *busbw '
	ptool comm --sort calls --format csv | tail -n +2 | cut -d, -f11 >calls
	sort -rnc calls
	run -2 --separate-stderr ptool comm --ranks --sort stream
	[[ $stderr = *"unknown sort key 'stream'"* ]]
	run -2 --separate-stderr ptool comm --by rank --sort collective
	says "ptool: comm: --sort collective: this table has no such column"
}

# 7 days each, so that the sums of 15,300 leave 64 bits.
endless() { # RANK START_US
	awk -v rank="$1" -v start="$2" 'BEGIN {
		printf "{\"distributedInfo\":{\"backend\":\"nccl\",\"rank\":%d,\"world_size\":2},\"traceEvents\":[", rank
		for (i = 0; i < 15300; i++)
			printf "%s{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"ncclDevKernel_AllReduce_Sum_f32_RING_LL\",\"ts\":%.0f,\"dur\":%.0f,\"pid\":0,\"tid\":7,\"args\":{\"device\":0,\"stream\":7,\"Process Group Name\":\"0\"}}",
				i ? "," : "", start, 604799999999 - start
		print "]}"
	}'
}

@test "a sum that no 64 bits hold says at least so much, and has no mean" {
	endless 0 0 >rank0.json
	endless 1 604799999000 >rank1.json
	ptool ingest -q --run job rank0.json rank1.json
	ptool comm --ranks --format csv >rows
	python3 - <<-'EOF'
		import csv
		(row,) = csv.DictReader(open("rows"))
		assert row["calls"] == "15300" and row["skew_ns"] == "604799999000000", row
		assert row["wait_ns"] == str(2**63 - 1) and row["mean_skew_ns"] == "", row
	EOF
	ptool kernels --format csv | grep -F ",30600,$((2 ** 63 - 1)),,"
}

@test "a decode step that waits because another rank prefills is told, and by rank added up" {
	# three ranks, 20 steps; an all_reduce ends each at once, and who has prompts comes later
	python3 - >expected <<-'E'
		import json, random
		pick, traces, waits = random.Random(7), [[], [], []], {}
		number, at = 0, 1000
		for step in range(20):
		    phases = [pick.choice(["prefill", "decode", "decode", "mixed"]) for _ in traces]
		    starts = [at + 100 + pick.randrange(10) + (0 if phase == "decode" else 200) for phase in phases]
		    late = starts.index(max(starts))
		    for rank, (events, phase, start) in enumerate(zip(traces, phases, starts)):
		        counts = {"prefill": (1, 0), "decode": (0, 4), "mixed": (1, 4)}[phase]
		        number += 1
		        events += [
		            {"ph": "X", "cat": "user_annotation", "name": "execute_context_%d(9)_generation_%d(4)" % counts, "pid": 1, "tid": 1, "ts": at, "dur": 50},
		            {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": at + 9, "dur": 2, "args": {"correlation": number}},
		            {"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)", "pid": 0, "tid": 7, "ts": start, "dur": at + 400 - start,
		             "args": {"device": 0, "stream": 7, "correlation": number}}]
		        if phase == "decode" and phases[late] != "decode" and start < starts[late]:
		            waits[rank, step, late, phases[late]] = starts[late] - start
		    at += 500
		for rank, events in enumerate(traces):
		    with open(f"rank{rank}.json", "w", encoding="utf-8") as file:
		        json.dump({"schemaVersion": 1, "distributedInfo": {"rank": rank, "world_size": 3}, "traceEvents": events}, file)
		for rank in range(3):
		    by_late = [sum(ns for (who, _, late, _), ns in waits.items() if (who, late) == (rank, of)) for of in range(3)]
		    print(f"{rank},{sum(by_late) * 1000},{by_late.index(max(by_late))}")
		(rank, step, late, phase), us = max(waits.items(), key=lambda item: (item[1], [-n for n in item[0][:3]]))
		print(f"note: rank {rank}, step {step} (decode) waited {us}.000 us for rank {late}, step {step} ({phase})")
		print(f"note: {len(waits) - 3} more such waits of decode steps for prompts of another rank: "
		      f"{sum(sorted(waits.values())[:-3]) / 1000:.3f} ms")
	E
	ptool ingest -q -o s.db rank0.json rank1.json rank2.json
	{
		ptool comm --ranks --by rank --format csv s.db | tail -n +2 | cut -d, -f2,13,14
		ptool comm --ranks s.db --wide | grep -e '(decode)' -e 'more such' | sed -n '1p;4p'
	} >told
	diff expected told
	# without phases nothing is known
	setup_store
	[ -z "$(ptool comm --ranks --by rank --format csv | tail -n +2 | cut -d, -f13- | tr -d ',\n')" ]
}

@test "experts of ranks that recorded twice are compared within each recording" {
	for rank in 0 1; do
		for second in 0 1; do
			ns=$(((100 + 50 * rank) * (1 + second)))
			recorded $rank 2 $second <<-END
				fused_moe_kernel 0 $ns
				ncclDevKernel_AllReduce_Sum_f32_RING_LL $ns $((400 - ns))
			END
		done
	done
	ptool ingest -q rank*.json
	ptool comm --imbalance --format csv | cut -d, -f2,3,5-9 >rows
	diff rows - <<-'END'
		recording,ranks,expert_ns,mean_ns,max_ns,imbalance,cost_ns
		1,2,250000,125000,150000,1.2,25000
		2,2,500000,250000,300000,1.2,50000
	END
	ptool comm --imbalance --by rank --format csv | cut -d, -f2-4 | diff - <(printf 'recording,profile,rank\n1,1,0\n1,3,1\n2,2,0\n2,4,1\n')
}

@test "the rank with most tokens took longest only where another has fewer; one send is one" {
	for rank in 0 1; do
		recorded $rank 2 0 <<-END
			fused_moe_kernel 0 $((100 + 50 * rank))
			ncclDevKernel_SendRecv $((100 + 50 * rank)) $((300 - 50 * rank))
			ncclDevKernel_Broadcast 400 10
		END
		sed -i 's/"In msg nelems": 1000/"Collective name": "all_to_allv", "In split size": "[300]", &/' rank${rank}_0.json
	done
	ptool ingest -q -o equal.db rank*.json
	ptool comm --imbalance equal.db | grep -q 'tokens are known of 1 of 1 calls; in 0 of these'
	sed -i 's/"\[300\]"/"[301]"/' rank1_0.json
	ptool ingest -q -o more.db rank*.json
	ptool comm --imbalance more.db | grep -q 'tokens are known of 1 of 1 calls; in 1 of these'
	sed -i 's/all_to_allv/send/' rank1_0.json
	ptool ingest -q -o send.db rank*.json
	ptool comm --ranks send.db | grep -qx 'note: 1 send or receive is not compared'
	ptool ranks send.db | grep -qx 'note: 1 send or receive counts as transfer'
}

@test "filters and --rank choose collectives across ranks, of which all parts count" {
	for rank in 0 1 2 3; do # the last is late in the first; the second are equal and short
		us=$((rank == 3 ? 20 : 200))
		recorded $rank 4 0 <<-END
			gemm 0 5
			ncclDevKernel_AllReduce_Sum_f32_RING_LL $((300 - us)) $us
			ncclDevKernel_AllGather_RING_LL 500 10
		END
	done
	ptool ingest -q rank*.json
	ptool comm --ranks --format csv | grep '"all_reduce"' >whole
	for filter in '--min-dur 50us' '--time 0us..150us' '--rank 0..1 --focus reduce' '--rank 2 --focus reduce'; do
		# shellcheck disable=SC2086 # several words
		ptool comm --ranks --format csv $filter | tail -n +2 | diff whole -
	done
	[ "$(cut -d, -f6-8,10,15 whole)" = 4,,1,540000,3 ]
	ptool comm --ranks --rank 0..1 >text
	run ! grep -q missing text
	[ "$(ptool comm --ranks --rank 3 --by rank --format csv | cut -d, -f2,3,5 | tail -n +2)" = 3,2,0 ]
	# a part of a rank that is not asked for chooses nothing
	run -3 ptool comm --ranks --rank 3 --min-dur 50us
}

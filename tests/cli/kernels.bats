#!/usr/bin/env bats
# ptool kernels and top --tensor-cores as users see them; their numbers are held to
# others' by tests/kernels/check_kernels.py and tests/top/check_tensor_cores.py.

load setup

@test "kernels by name, as wide as the terminal" {
	ptool ingest -q "$GPU/one_stream.json"
	on_terminal 80 "$PTOOL" kernels --no-pager --color never | like_golden kernels_80.txt
	on_terminal 80 "$PTOOL" kernels --by op --launches --no-pager --color never |
		like_golden kernels_op_80.txt
	ptool kernels | like_golden kernels.txt
	ptool kernels --by family | like_golden kernels_family.txt
}

@test "no line for a terminal is longer than it" {
	ptool ingest -q "$GPU/two_devices.json"
	for by in name op stream op,stream,step family family,op; do
		on_terminal 80 "$PTOOL" kernels --by "$by" --launches --no-pager --color never >wide
		[ "$(awk '{ print length }' wide | sort -n | tail -1)" -le 80 ]
	done
}

# Two instances of a template, as C++ can read them, and two that nothing here demangles.
mangled_kernels() {
	local plain=_ZN5aiter11norm_kernelIDF16bDF16bLi
	local odd=_ZN2ck11gemm_kernelINS_8GridwiseILi64EttftLNS_9OperationE1ENS_5TupleIJNS_4LeftELi
	event kernel "${plain}256ELi16ELb1EEEvPT0_PT_iii" 0 40 0 7 '"device":0,"stream":7'
	event kernel "${plain}64ELi8ELb0EEEvPT0_PT_iii" 50 30 0 7 '"device":0,"stream":7'
	event kernel "${odd}32ELi4ELi4ELi4ELi4ELi4EZZ" 90 20 0 7 '"device":0,"stream":7'
	event kernel "${odd}64ELi4ELi4ELi4ELi4ELi4EZZ" 120 10 0 7 '"device":0,"stream":7'
}

@test "mangled names that would read the same keep what tells them apart" {
	mangled_kernels | made mangled.json
	COLUMNS=80 ptool kernels -q mangled.json >rows
	[ "$(sed -n 2,5p rows | cut -d' ' -f1 | sort -u | wc -l)" -eq 4 ]
	grep -q '^norm_kernel…64 ' rows
	grep -q '^gemm_kernel…32ELi4' rows
}

@test "what was not recorded is no empty column" {
	mangled_kernels | made mangled.json
	run -3 --separate-stderr ptool kernels -q --by step mangled.json
	says "ptool: kernels: mangled.json: --by step: no kernel here belongs to a step (profiler.step())"
	run -3 --separate-stderr ptool kernels -q --by rank mangled.json
	says "ptool: kernels: mangled.json: --by rank: no rank was recorded (torch.distributed)"
}

@test "machines get every column that was asked for" {
	ptool ingest -q "$GPU/two_streams.json"
	ptool kernels --format csv | like_golden kernels.csv
	ptool kernels --by op,stream --launches --format csv | like_golden kernels_op.csv
	run -0 ptool kernels --format ndjson --limit 1
	[ "${#lines[@]}" -eq 1 ]
	ptool kernels --by family --format csv | head -1 | grep -q '^family,calls,'
	ptool kernels --by family,name --format csv | head -1 | grep -q '^name,family,calls,'
}

@test "what --by knows, and what it does not" {
	ptool ingest -q "$GPU/two_devices.json"
	run -0 ptool kernels --by device --format csv
	[[ $output = *',device'* ]]
	run -2 --separate-stderr ptool kernels --by grid
	says "ptool: kernels: unknown --by 'grid' (valid: name, family, op, rank, profile, tp, dp, pp, ep, cp, device, stream, step)"
	run -2 --separate-stderr ptool kernels --thread 1
	says "ptool: kernels: --cat and --thread choose slices of the host: 'ptool list' and 'ptool top' show them"
	run -2 --separate-stderr ptool kernels --sort occupency
	[[ $stderr = *"occupancy"* ]]
}

@test "copies are kernels only when asked for" {
	ptool ingest -q "$GPU/copies.json"
	ptool kernels --format csv --limit 0 | lacks Memcpy
	ptool kernels --format csv --limit 0 --copies | grep -q Memcpy
}

@test "filters choose kernels" {
	ptool ingest -q "$GPU/one_stream.json"
	run -3 --separate-stderr ptool kernels --focus nothing
	says "ptool: kernels: ptool.db: --focus 'nothing' matches no name"
	ptool kernels --step 1 --by step --format csv | awk -F, 'NR > 1 && $NF != 1 { exit 1 }'
	run -3 ptool kernels --stream 99
}

@test "a recording without kernels says how to record them" {
	run -3 --separate-stderr ptool kernels "$TORCH/t2141_cnn_w0/trace.json.gz"
	[[ $stderr = *"no kernels were recorded (ProfilerActivity.CUDA, or that of the device)" ]]
	run -3 --separate-stderr ptool top "$TORCH/t2141_cnn_w0/trace.json.gz" --tensor-cores
	[[ $stderr = *"--tensor-cores: no device work was recorded (ProfilerActivity.CUDA)" ]]
	run -3 ptool kernels "$FIXTURES/pyprof/app.prof"
}

@test "ranks are added up, and told apart" {
	ptool ingest -q "$GPU/collectives_rank0.json" "$GPU/collectives_rank1.json"
	run -0 ptool kernels
	[[ $output = *'ranks added up; --by rank shows them separately'* ]]
	both=$(ptool kernels --format json | python3 -c 'import json, sys; print(sum(r["total_ns"] for r in json.load(sys.stdin)["rows"]))')
	split=$(ptool kernels --by rank --format json | python3 -c 'import json, sys; print(sum(r["total_ns"] for r in json.load(sys.stdin)["rows"]))')
	[ "$both" -eq "$split" ]
}

@test "Tensor Cores of operators" {
	ptool ingest -q "$GPU/one_stream.json"
	ptool top --tensor-cores --format csv --limit 0 | like_golden top_tensor_cores.csv
	run -2 --separate-stderr ptool top --sort tc_total_ratio
	says "ptool: top: --sort tc_total_ratio needs --tensor-cores"
	run -2 --separate-stderr ptool top --tensor-cores --format torch
	says "ptool: top: --format torch takes only --by shape, stack and overload, and no --tensor-cores"
}

@test "durations of a store that was edited are refused" {
	ptool ingest -q --summaries yes -o whole.db "$GPU/two_streams.json"
	for change in "calls = calls + 1" "min_ns = min_ns - 1" "max_ns = max_ns + 1" "total_ns = -1" \
		"durations = x''" "durations = x'ff'" "durations = CAST(durations || x'0000' AS BLOB)"; do
		cp whole.db edited.db
		sqlite3 edited.db "UPDATE kernel_part SET $change"
		run -4 --separate-stderr ptool kernels edited.db
		says "ptool: kernels: edited.db: the rows of kernel_part do not fit together; ingest again"
	done
}

@test "a store that was edited is refused, or read, but never crashes" {
	ptool ingest -q "$GPU/two_streams.json"
	for change in "kernel SET slice_id = 1" "kernel SET grid_x = NULL, registers = -5" \
		"kernel SET blocks_per_sm = 9e999, occupancy_pct = -1" \
		"slice_row SET op_id = 999999" "slice_row SET op_id = id" \
		"slice_row SET launch_id = 999999" "slice_row SET dur = 9223372036854775807" \
		"slice_row SET parent_id = id" "slice_row SET class = 99" \
		"step SET id = id + 1000"; do
		cp ptool.db edited.db
		sqlite3 edited.db "PRAGMA foreign_keys = OFF; UPDATE OR IGNORE $change;"
		for command in "kernels --by op --launches" "top --tensor-cores" "modules" \
			"top --tensor-cores --by shape"; do
			code=0
			# shellcheck disable=SC2086 # several words
			ptool $command edited.db >/dev/null 2>&1 || code=$?
			[ "$code" -eq 0 ] || [ "$code" -eq 3 ] || [ "$code" -eq 4 ]
		done
	done
}

@test "kernels --by op: an operator is eligible whatever of its kernels a filter leaves" {
	python3 - <<-'END'
		import json
		def at(cat, name, ts, dur, **args):
		    return {"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": 1, "ts": ts, "dur": dur, "args": args}
		kernels = "ampere_fp16_s16816gemm_fp16_128x64", "elementwise"
		calls = [at("cuda_runtime", "cudaLaunchKernel", 10 + i, 1, correlation=i) for i in (1, 2)]
		work = [at("kernel", name, 40 + 20 * i, 10, correlation=i + 1, device=0, stream=7) for i, name in enumerate(kernels)]
		json.dump({"deviceProperties": [{"id": 0, "name": "A100", "computeMajor": 8, "computeMinor": 0}],
		           "traceEvents": [at("cpu_op", "myop", 0, 100)] + calls + work}, open("a.json", "w"))
	END
	for options in '' '--focus elementwise'; do
		ptool kernels -q --by op --format csv $options a.json | grep -q '^"elementwise",.*"myop",.*,1$'
	done
}

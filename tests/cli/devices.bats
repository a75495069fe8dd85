#!/usr/bin/env bats
# ptool devices and ptool streams as users see them; tests/devices/ holds their numbers
# against what is known.

load setup

# The rows of a CSV table.
csv() { # COMMAND [OPTION...]
	ptool "$@" --format csv | tail -n +2
}

@test "devices: people see what closes, table below table" {
	ptool ingest -q --run gpu "$GPU/two_devices.json"
	ptool devices | like_golden devices.txt
	ptool ingest -q --run job "$GPU"/collectives_rank[01].json
	ptool devices | like_golden devices_ranks.txt
}

@test "devices: machines get all in one table" {
	ptool ingest -q --run gpu "$GPU/two_devices.json"
	ptool devices --format csv | like_golden devices.csv
	ptool devices --device 1 --format json | like_golden devices.json
}

@test "streams: what they did, and the queue" {
	ptool ingest -q --run gpu "$GPU/unlinked.json"
	ptool streams | like_golden streams.txt
	ptool streams --format csv | like_golden streams.csv
	ptool streams --by-time 3 | like_golden streams_by_time.txt
}

@test "they fit 80 columns, with ranks and with profiles that have none" {
	fits() {
		for command in devices streams 'streams --by-time 5'; do
			# shellcheck disable=SC2086 # words
			[ "$(on_terminal 80 "$PTOOL" $command --no-pager | sed 's|\x1b\[[0-9;]*m||g; s|\r||' | grep -v '^note: ' | wc -L)" -le 80 ]
		done
	}
	ptool ingest -q --run job "$GPU"/collectives_rank[01].json
	fits
	ptool ingest -q --run files "$GPU"/{graph,copies,two_streams}.json
	fits
}

@test "a CUDA graph puts all its kernels into the queue at once" {
	ptool streams "$GPU/graph.json" --format ndjson 2>/dev/null >rows
	python3 - rows <<-'EOF'
		import json, sys
		rows = [json.loads(line) for line in open(sys.argv[1])]
		assert max(row["queue_max"] for row in rows) >= 6, rows
	EOF
}

@test "streams: of a part of the time, the note counts the work without a launch in it" {
	run -0 --separate-stderr ptool streams --time 300us..400us "$GPU/unlinked.json"
	[[ $output == *'note: 1 kernels or copies have no recorded launch'* ]]
	[ "$(csv streams --time 190us..250us "$GPU/unlinked.json" 2>/dev/null | cut -d, -f5,19)" = 1,0 ]
}

@test "devices of one name and other properties, and those of several ranks, are told apart" {
	for rank in 0 1; do
		python3 - "$rank" <<-'END' >"rank$rank.json"
			import json, sys
			device = {"name": "H100", "computeMajor": 9, "computeMinor": 0}
			work = [{"ph": "X", "cat": "kernel", "name": name, "pid": i, "tid": 7, "ts": 10 * (i + j), "dur": 5, "args": {"device": i, "stream": 7}}
			        for i in (0, 1) for j, name in enumerate(("gemm", "ampere_fp16_s16816gemm_fp16_128x64"))]
			json.dump({"deviceProperties": [{"id": 0, "numSms": 132, **device}, {"id": 1, "numSms": 16, **device}],
			           "distributedInfo": {"rank": int(sys.argv[1]), "world_size": 2}, "traceEvents": work}, sys.stdout)
		END
	done
	ptool devices -q rank0.json >one
	grep -qx 'note: H100 of device 0: compute capability 9.0, 132 SMs' one
	grep -qx 'note: H100 of device 1: compute capability 9.0, 16 SMs' one
	ptool ingest -q -o two.db rank0.json rank1.json
	[ "$(ptool devices two.db | grep -c '^note: rank [01], device [01]: 50.00% of kernel time')" = 4 ]
}

@test "what another tracer did not record is told without PyTorch's settings" {
	trace=$FIXTURES/chrome/viztracer.json.gz
	for command in devices streams kernels transfers modules 'top --by shape' 'tree --kernels' 'flame --weight device'; do
		run -3 --separate-stderr ptool $command -q "$trace"
		[[ $stderr == *recorded && $stderr != *[Pp]rofil* ]]
	done
}

@test "launches that a graph captured are no lost kernels; what is not recorded matches no filter" {
	{
		event cpu_op aten::mm 0 20 1 1
		event cuda_runtime cudaStreamBeginCapture 0 2 1 1
		event cuda_runtime cudaLaunchKernel 5 2 1 1 '"correlation":1'
		event cuda_runtime cudaStreamEndCapture 10 2 1 1
	} | made capture.json
	run -3 --separate-stderr ptool devices -q capture.json
	[[ $stderr == *'a graph was captured, which runs no kernel: record a replay of it' ]]
	ptool info capture.json 2>/dev/null | lacks launched
	{
		event cpu_op aten::mm 0 20 1 1
		event cuda_runtime cudaStreamBeginCapture 0 2 1 1
		event cuda_runtime cudaLaunchKernel 5 2 1 1 '"correlation":1'
		event cuda_runtime cudaGraphInstantiate 10 2 1 1
		event cuda_runtime cudaLaunchKernel 15 2 1 1 '"correlation":2'
	} | made after.json
	{
		event cpu_op aten::mm 0 20 1 1
		event cuda_runtime cudaStreamBeginCapture 0 2 1 1
		event cuda_runtime cudaStreamEndCapture 4 2 1 1
		event cuda_runtime cudaGraphInstantiate 8 2 1 1
		event cuda_runtime cudaGraphLaunch 12 2 1 1 '"correlation":1'
	} | made replay.json
	for trace in after replay; do
		for command in devices gaps kernels steps info; do
			run --separate-stderr ptool $command -q $trace.json
			[[ $output$stderr == *'1 call launched kernels, and no kernel was recorded'* ]]
		done
	done
	ptool steps -q capture.json | grep -q 'a graph was captured, which runs no kernel'
	run -3 --separate-stderr ptool transfers -q --time 0..1s "$GPU/collectives_rank0.json"
	[[ $stderr == *'no copy or set of memory was recorded' ]]
	run -3 --separate-stderr ptool modules -q --time 0..1s "$GPU/collectives_rank0.json"
	[[ $stderr == *'no modules were recorded'* ]]
}

@test "devices and streams are sorted and cut on demand" {
	ptool ingest -q "$GPU/two_devices.json"
	[ "$(ptool devices --sort busy -n 1 --format csv | tail -n +2 | cut -d, -f3)" = 1 ]
	[ "$(ptool devices --sort busy -r -n 1 --format csv | tail -n +2 | cut -d, -f3)" = 0 ]
	ptool streams --sort help | grep -q '^queue_mean '
	run -2 --separate-stderr ptool streams --by-time 3 --sort kernels
	[[ $stderr = *"unknown sort key 'kernels'"* ]]
}

@test "filters choose what everything is computed from" {
	ptool ingest -q "$GPU/two_devices.json"
	[ "$(csv streams --device 1 --stream 12 | cut -d, -f3-7)" = 1,12,2,0,2 ]
	[ "$(csv devices --focus Memcpy | cut -d, -f3,5,9,21)" = 1,42000,42000,2 ]
	[ "$(csv devices --ignore Memcpy | cut -d, -f3,9 | tr '\n' ' ')" = '0,0 1,0 ' ]
	[ "$(csv devices --step 0 | cut -d, -f3,21 | tr '\n' ' ')" = '0,3 1,4 ' ]
	[ "$(csv devices --min-dur 44us | cut -d, -f3,21 | tr '\n' ' ')" = '0,2 1,2 ' ]
}

@test "--time cuts work off at its ends" {
	echo '{"traceEvents":[{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":0,"dur":100,
		"args":{"device":0,"stream":7}}]}' >one.json
	ptool ingest -q one.json
	[ "$(csv devices --time 25us..75us | cut -d, -f3-6,22,23)" = 0,50000,50000,0,25000,0 ]
	run -3 --separate-stderr ptool devices --time 100us..200us
	says 'ptool: devices: ptool.db: no device work matches'
}

@test "streams that the trace spells as text have their numbers; others keep the text" {
	kernel() { # PID TID TS
		printf '{"ph":"X","cat":"Kernel","name":"k","pid":%s,"tid":"%s","ts":%s,"dur":5}' "$@"
	}
	echo "[$(kernel 3 'stream 0' 1),$(kernel 3 'stream 17' 2),$(kernel 3 queue 9)]" >text.json
	ptool ingest -q text.json
	[ "$(csv streams | cut -d, -f3,4 | sort | tr '\n' ' ')" = '3,"queue" 3,0 3,17 ' ]
	[ "$(csv streams --stream 17 | cut -d, -f4)" = 17 ]
	[ "$(csv streams | cut -d, -f19,20 | sort -u)" = 0, ] # no launch is known
}

@test "2: what does not choose device work is refused, and so are too many parts" {
	run -2 --separate-stderr ptool devices "$GPU/graph.json" --thread 1
	says "ptool: devices: --cat and --thread choose slices of the host: 'ptool list' and 'ptool top' show them"
	run -2 --separate-stderr ptool streams "$GPU/graph.json" --cat kernel
	says "ptool: streams: --cat and --thread choose slices of the host: 'ptool list' and 'ptool top' show them"
	run -2 --separate-stderr ptool streams "$GPU/graph.json" --by-time 100001
	says 'ptool: streams: --by-time wants at most 100000 parts'
	for stream in {1..41}; do
		event kernel k 0 1000 0 "$stream" "\"device\":0,\"stream\":$stream"
	done | made wide.json
	run -2 --separate-stderr ptool streams -q wide.json --by-time 100000
	says 'ptool: streams: --by-time: the parts of all streams are more than 4000000 rows: choose streams with --stream, or fewer parts'
	[ "$(ptool streams -q wide.json --by-time 10 --stream 3 --format csv | wc -l)" = 11 ]
	run -2 --separate-stderr ptool streams "$GPU/graph.json" --by-tim 3
	[[ ${stderr-} == *--by-time* ]]
}

@test "3: without device work they say how to record it" {
	ptool ingest -q "$TORCH/t2141_cnn_w0/trace.json.gz"
	for command in devices streams 'streams --by-time 3'; do
		# shellcheck disable=SC2086 # words
		run -3 --separate-stderr ptool $command
		says "ptool: ${command%% *}: ptool.db: no device work was recorded: profile with activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]"
		prints ''
	done
	run -3 --separate-stderr ptool devices "$FIXTURES/pyprof/pstats/sys311/w_gen.prof"
	[[ ${stderr-} == *'a call graph has no device work: record with torch.profiler' ]]
	run -3 --separate-stderr ptool streams "$GPU/graph.json" --focus 'nothing like it'
	[[ ${stderr-} == *"--focus 'nothing like it' matches no name" ]]
}

@test "4: a store whose times do not fit together is refused" {
	ptool ingest -q "$GPU/two_streams.json"
	edit_slices "UPDATE slice_row SET ts = -9223372036854775807 WHERE id = (SELECT min(slice_id) FROM kernel)"
	for command in devices streams 'streams --by-time 3'; do
		# shellcheck disable=SC2086 # words
		run -4 --separate-stderr ptool $command
		[[ ${stderr-} == *'not fit together'* ]]
	done
}

# A call that launches, a program, its copies, and what waits for them, on device 17.
mtia_trace() {
	event() { # CATEGORY NAME PID TID TS DUR ARGS
		printf '{"ph":"X","cat":"%s","name":"%s","pid":%s,"tid":%s,"ts":%s,"dur":%s,"args":{%s}}' "$@"
	}
	printf '{"deviceProperties":[{"id":17,"name":"ARTEMIS"}],"traceEvents":[%s,%s,%s,%s,%s,%s,%s]}' \
		"$(event cpu_op aten::mm 1 1 0 50 '')" \
		"$(event mtia_runtime 'runFunction - job' 1 1 10 5 '"correlation":4,"device":17')" \
		"$(event mtia_ccp_events event_wait 17 30 0 90 '"stream":8,"wait_on_stream":4')" \
		"$(event mtia_ccp_events dma_request 17 31 20 10 '"stream":5,"direction":"HOST_TO_DEVICE","size":1000')" \
		"$(event mtia_ccp_events pe_exe 17 32 30 20 '"stream":6,"correlation":4')" \
		"$(event mtia_ccp_events dma_request 17 31 60 4 '"stream":5,"direction":"DEVICE_TO_HOST","size":24')" \
		"$(event mtia_ccp_events event_record 17 31 90 5 '"stream":5')"
}

@test "MTIA: waits are no work, and copies say where to and how much" {
	mtia_trace >mtia.json
	ptool ingest -q mtia.json
	[ "$(ptool devices --format csv | cut -d, -f3-11 | tail -n 1)" = 17,44000,34000,10000,20000,0,14000,0,0 ]
	[ "$(ptool kernels --format json | grep -o '^{"name":"[a-z_]*"')" = '{"name":"pe_exe"' ]
	ptool transfers --format json | grep -q '"kind":"HtoD",.*"calls":1,"bytes":1000,"total_ns":10000'
	ptool transfers --format json | grep -q '"kind":"DtoH",.*"calls":1,"bytes":24,"total_ns":4000'
	[ "$(ptool info --format json | grep -o '"device_type":"[A-Z]*"')" = '"device_type":"MTIA"' ]
	[ "$(ptool sql --format csv 'SELECT direction FROM copy' | tail -n +2 | sort | paste -sd ,)" = \
		'"DEVICE_TO_HOST","HOST_TO_DEVICE"' ]
	# of the device nothing but its name is known
	ptool devices | grep -x 'note: device 17: ARTEMIS'
	! ptool info | grep 'compute capability'
}

# ROCM GPUS AGENTS MEMORY: a trace of ROCm with these GPUs (names), kernels on these
# agents, and events of memory on these GPUs.
rocm_trace() {
	local at=0 gpu agent
	printf '{"deviceProperties":['
	for gpu in $1; do
		printf '{"id":%s,"name":"AMD %s","totalGlobalMem":%s000,"warpSize":64,"numSms":%s},' $at "$gpu" "${gpu#*x}" "${gpu#*x}"
		at=$((at + 1))
	done | sed 's/,$//'
	printf '],"traceEvents":['
	for agent in $2; do
		printf '{"ph":"X","cat":"cuda_runtime","name":"hipLaunchKernel","pid":1,"tid":1,"ts":%s,"dur":2,"args":{"correlation":%s}},' "$agent" "$agent"
		printf '{"ph":"X","cat":"kernel","name":"gemm","pid":%s,"tid":0,"ts":%s,"dur":10,"args":{"device":%s,"stream":0,"correlation":%s}},' \
			"$agent" $((agent + 5)) "$agent" "$agent"
	done
	for gpu in $3; do
		printf '{"ph":"i","cat":"cpu_instant_event","name":"[memory]","s":"t","pid":1,"tid":1,"ts":3,"args":{"Device Type":1,"Device Id":%s,"Addr":7,"Bytes":512,"Total Allocated":512}},' "$gpu"
	done
	printf '{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":0,"dur":100,"args":{}}]}'
}

# Number, name, memory and SMs of each device of a trace of ROCm.
rocm_devices() {
	rocm_trace "$@" >rocm.json
	ptool ingest -q rocm.json
	ptool devices --format json |
		sed -n 's/.*"device":\([0-9]*\),.*"name":\([^,]*\),"memory_bytes":\([^,]*\),.*"sms":\([^,]*\),.*/\1 \2 \3 \4/p' | paste -sd';'
}

@test "ROCm: an agent is the GPU that it must be, or what all GPUs are, or nothing" {
	# the only GPU
	[ "$(rocm_devices 'MIx7' 9 '')" = '0 "AMD MIx7" 7000 7' ]
	ptool list --device 0 --format ndjson | grep -q '"name":"gemm"'
	ptool kernels --device 0 >/dev/null
	[ "$(ptool sql --format csv 'SELECT k.device, d.agent FROM kernel k, device d' | tail -n +2)" = 9,9 ]
	# the only one whose memory is used, though another has the agent's number
	[ "$(rocm_devices 'MIx7 MIx8 MIx9' 2 0)" = '0 "AMD MIx7" 7000 7' ]
	# as many agents as GPUs
	[ "$(rocm_devices 'MIx7 MIx8' '4 5' '')" = '0 "AMD MIx7" 7000 7;1 "AMD MIx8" 8000 8' ]
	# not certain which, but all are alike
	[ "$(rocm_devices 'MIx7 MIx7 MIx7 MIx7' 2 '')" = '2 "AMD MIx7" 7000 7' ]
	[ "$(rocm_devices 'MIx7 MIx7' 9 '0 1')" = '9 "AMD MIx7" 7000 7' ]
	# not certain, and they differ: rather nothing than another's
	[ "$(rocm_devices 'MIx7 MIx8 MIx9' 2 '')" = '2 null null null' ]
	[ "$(rocm_devices 'MIx7 MIx8 MIx9' '2 3' '')" = '2 null null null;3 null null null' ]
	# NVIDIA counts as torch does
	rocm_trace 'MIx7 MIx8 MIx9' 2 0 | sed 's/AMD /NVIDIA /g; s/"warpSize":64/"warpSize":32/g' >cuda.json
	ptool ingest -q cuda.json
	ptool devices --format json | grep -q '"device":2,.*"name":"NVIDIA MIx9","memory_bytes":9000'
}

#!/usr/bin/env bats
# ptool steps: what each step took.  The numbers are held by tests/steps/check_steps.py.

load setup

# Columns of the rows in CSV.
columns() { # STORE|FILE NAMES OPTION...
	"$PTOOL" steps "$1" --format csv "${@:3}" 2>/dev/null | python3 -c '
import csv, sys
for row in csv.DictReader(sys.stdin):
    print(*(row[name] or "-" for name in sys.argv[1].split(",")))' "$2"
}

# Four steps of 100 us, each with a forward and a backward pass; the third has 60 us more
# of operators, the last no device work.
four_steps() {
	for n in 0 1 2 3; do
		local at=$((n * 200)) more=$((n == 2 ? 60 : 0))
		event user_annotation "ProfilerStep#$n" $at $((100 + more))
		event cpu_op aten::mm $((at + 10)) $((20 + more)) 1 1 '"Sequence number":7'
		event cpu_op 'autograd::engine::evaluate_function: MmBackward0' $((at + more + 40)) 30 1 2
		event user_annotation 'Optimizer.step#SGD.step' $((at + more + 80)) 10
		[ $n = 3 ] || event cuda_runtime cudaLaunchKernel $((at + 12)) 3 1 1 "\"correlation\":$((n + 1))"
		[ $n = 3 ] || event kernel gemm $((at + 20)) 40 0 7 "\"device\":0,\"stream\":7,\"correlation\":$((n + 1))"
	done | made four.json
}

@test "people see shares of the step, the device below, and notes on marks" {
	four_steps
	ptool ingest -q four.json
	ptool steps | like_golden steps.txt
	ptool steps --bounds tensorboard | like_golden steps_tensorboard.txt
	ptool steps --phases | like_golden steps_phases.txt
}

@test "steps are added up by phase, with the kernels that they launched" {
	an_engine
	ptool ingest -q engine.json
	ptool steps --by phase | like_golden steps_by_phase.txt
	ptool steps --by phase --format csv --step 1..2 | like_golden steps_by_phase.csv
	on_terminal 80 "$PTOOL" steps --by phase --no-pager --color never >wide
	[ "$(awk '{ print length }' wide | sort -n | tail -1)" -le 80 ]
	run -2 --separate-stderr ptool steps --by phase --phases
	says "ptool: steps: --by phase adds up whole steps: give it without --phases, --device and --bounds"
	ptool baseline save main ptool.db 2>/dev/null
	ptool steps --by phase .ptool/baselines/main/*.db >baseline
	grep -q "^note: a baseline's store does not hold the kernels of each step" baseline
}

@test "a batch of SGLang is one step, whatever passes of drafts it has" {
	passes='{"ph":"X","cat":"user_annotation","name":"step[DRAFT_LOOP raw_bs=3 bs=4 topk=1]","pid":1,"tid":1,"ts":110,"dur":10},
		{"ph":"X","cat":"user_annotation","name":"step[TARGET_VERIFY bs=3]","pid":1,"tid":1,"ts":130,"dur":50},
		{"ph":"X","cat":"user_annotation","name":"step[DRAFT_EXTEND_V2 bs=3]","pid":1,"tid":1,"ts":190,"dur":9}'
	echo "{\"traceEvents\":[{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"scheduler.run_batch\",\"pid\":1,\"tid\":1,\"ts\":100,\"dur\":100},$passes]}" >sglang.json
	ptool steps -q --by phase --format csv sglang.json >rows
	[ "$(cut -d, -f3-7 rows | tail -1)" = '"decode",1,3,3,' ]
	ptool steps -q --by phase sglang.json | grep 'the recording does not say how many tokens a decode step makes'
	sed 's/TARGET_VERIFY bs=3/& sq=12/' sglang.json >told.json
	ptool steps -q --by phase told.json | grep 'decode steps check 4.00 tokens per request'
}

@test "no two steps have one number where a label has none" {
	label='"ph":"X","cat":"user_annotation","pid":1,"tid":1,"dur":9'
	echo "{\"traceEvents\":[{$label,\"name\":\"prefill\",\"ts\":10},
		{$label,\"name\":\"decode_step_0\",\"ts\":20},
		{$label,\"name\":\"decode_step_1\",\"ts\":30}]}" >mixed.json
	ptool steps -q --format csv mixed.json | grep -q '^1,,,"0",0,.*,"prefill",'
	[ "$(ptool list -q --format csv --step 1 mixed.json | grep -o decode_step_0)" = decode_step_0 ]
	sed -i s/prefill/decode_step_7/ mixed.json
	[ "$(ptool list -q --format csv --step 7 mixed.json | grep -o 'decode_step_[0-9]')" = decode_step_7 ]
}

@test "steps of different phases have different numbers" {
	step() { # PID NAME TS
		echo "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"pid\":$1,\"tid\":1,\"dur\":9,\"name\":\"$2\",\"ts\":$3}"
	}
	decode='step[DECODE bs=1]' prefill='step[EXTEND bs=1 toks=9]'
	echo "{\"traceEvents\":[$(step 1 "$prefill" 10),$(step 2 "$decode" 20),$(step 1 "$prefill" 30),$(step 2 "$decode" 40)]}" >two.json
	[ "$(ptool steps -q --format csv --phase decode two.json | grep -o '"decode"\|"prefill"')" = '"decode"
"decode"' ]
	echo "{\"traceEvents\":[$(step 1 prefill_step_0 10),$(step 1 decode_step_0 20),$(step 1 decode_step_1 30)]}" >one.json
	[ "$(ptool list -q --format csv --step 0 one.json | grep -o '[a-z]*_step_.')" = prefill_step_0 ]
	[ "$(ptool list -q --format csv --step 2 one.json | grep -o '[a-z]*_step_.')" = decode_step_1 ]
	# ranks in step with each other share numbers
	echo "{\"traceEvents\":[$(step 1 "$decode" 10),$(step 2 "$decode" 20)]}" >same.json
	[ "$(ptool list -q --format csv --step 0 same.json | grep -c DECODE)" = 2 ]
	# and a step that tells no phase is of no other one
	echo "{\"traceEvents\":[$(step 1 ProfilerStep#7 10),$(step 1 "$decode" 10),$(step 2 ProfilerStep#7 10)]}" >untold.json
	[ "$(ptool steps -q --format csv untold.json | cut -d, -f4 | grep -c 7)" = 2 ]
	# but for training in the process that decodes
	echo "{\"traceEvents\":[$(step 1 decode_step_0 10),$(step 1 train_step_0 90)]}" >both.json
	[ "$(ptool steps -q --phase decode --format ndjson both.json | grep -c '"step":"[0-9]')" = 1 ]
	# in step with each other, and a ProfilerStep keeps its number
	ranks=$(for pid in 1 2; do step $pid train_step_0 10; step $pid decode_step_0 90; done | paste -sd,)
	echo "{\"traceEvents\":[$ranks]}" >ranks.json
	[ "$(ptool list -q --format csv --step 1 ranks.json | grep -c decode_step_0)" = 2 ]
	{
		event user_annotation ProfilerStep#5 10 50
		event user_annotation "$decode" 20 9
		event user_annotation ProfilerStep#5 10 50 1 2
	} | made threads.json
	[ "$(ptool list -q --format csv --step 5 threads.json | grep -c ProfilerStep)" = 2 ]
}

@test "training has steps of no phase" {
	four_steps
	run -3 --separate-stderr ptool steps -q --by phase four.json
	[[ "$stderr" == *"no annotation of an inference engine says which phase a step is; 'ptool steps --phases four.json' splits"* ]]
}

@test "machines get all columns, bare numbers, and null for what there is not" {
	ptool ingest -q "$GPU/two_devices.json"
	ptool steps --format csv | like_golden steps.csv
	ptool steps --phases --format csv | like_golden steps_phases.csv
	ptool steps --format json --step 0 --device 1 | like_golden steps.json
}

@test "every table fits 80 columns" {
	four_steps
	for trace in four.json "$GPU"/two_devices.json "$GPU"/collectives_rank0.json "$GPU"/copies.json; do
		ptool ingest -q --run r "$trace"
		for option in --bounds=host --bounds=tensorboard --phases; do
			on_terminal 80 "$PTOOL" steps --no-pager --color never $option >shown
			[ "$(tr -d '\r' <shown | wc -L)" -le 80 ]
		done
	done
}

@test "TensorBoard drops last steps without device work: shown, marked, not in the mean" {
	four_steps
	[ "$(columns four.json step,total_ns,is_dropped,device_events --bounds tensorboard)" = "0 100000 0 1
1 100000 0 1
2 160000 0 1
3 100000 1 0
mean 120000 - -" ]
	[ "$(columns four.json step,total_ns,is_dropped,device_events | tail -n 2)" = "3 100000 0 0
mean 115000 - -" ]
}

@test "a long step says what grew: the category, and the slice of the host" {
	four_steps
	[ "$(columns four.json step,grew_slice,grew_slice_ns,grew_unrecorded_ns | sed -n 3p)" = '2 aten::mm 59000 0' ]
	[ "$(columns four.json step,is_long,grew,grew_ns | sed -n 3p)" = '2 1 CPU Exec 33500' ]
	[ "$(columns four.json step,is_long,grew,grew_ns | sed -n 1p)" = '0 0 - -' ]
	for n in {0..29}; do
		event user_annotation "ProfilerStep#$n" $((n * 1000)) $((n % 5 ? 100 : 500))
	done | made six.json
	ptool steps -q six.json | grep -qx 'note: ! 1 more step is long'
}

@test "a long step whose own thread waits names what another thread did" {
	for n in 0 1 2 3; do
		local at=$((n * 200)) more=$((n == 1 ? 60 : 0))
		event user_annotation "ProfilerStep#$n" $at $((100 + more))
		event cpu_op aten::mm $((at + 10)) 20
		event cpu_op MmBackward0 $((at + 40)) $((30 + more)) 1 2
	done | made t.json
	[ "$(columns t.json step,is_long,grew_slice,grew_slice_ns,grew_unrecorded_ns | sed -n 2p)" = '1 1 MmBackward0 60000 60000' ]
}

@test "outliers are told by the host's ranges, whatever the bounds" {
	# the device lags behind the host: its work of the first step ends late
	for n in 0 1 2 3; do
		event user_annotation "ProfilerStep#$n" $((n * 100)) 100
		event cuda_runtime cudaLaunchKernel $((n * 100 + 10)) 5 1 1 "\"correlation\":$((n + 1))"
		event kernel gemm $((n * 100 + 60)) $((n == 0 ? 98 : 90)) 0 7 "\"device\":0,\"stream\":7,\"correlation\":$((n + 1))"
	done | made t.json
	[ "$(columns t.json step,total_ns,is_long --bounds tensorboard | head -3)" = "0 158000 0
1 92000 0
2 100000 0" ]
	[ "$(columns t.json step,total_ns,is_long | head -3)" = "0 100000 0
1 100000 0
2 100000 0" ]
}

@test "a step is as long as on the host; with --bounds tensorboard it lasts until its work is done" {
	{
		event user_annotation ProfilerStep#4 0 100
		event user_annotation ProfilerStep#5 100 100
		event cuda_runtime cudaLaunchKernel 10 5 1 1 '"correlation":1'
		event kernel gemm 50 80 0 7 '"device":0,"stream":7,"correlation":1'
		event cuda_runtime cudaLaunchKernel 150 5 1 1 '"correlation":2'
		event kernel gemm 160 10 0 7 '"device":0,"stream":7,"correlation":2'
	} | made t.json
	[ "$(columns t.json step,start_ns,total_ns,gpu_busy_ns,device_events,bounds)" = "4 0 100000 50000 1 host
5 100000 100000 40000 2 host
mean - 100000 45000 - host" ]
	[ "$(columns t.json step,start_ns,total_ns,gpu_busy_ns,gpu_idle_ns,device_events,bounds --bounds tensorboard)" = "4 0 130000 80000 50000 1 tensorboard
5 130000 70000 10000 60000 1 tensorboard
mean - 100000 45000 55000 - tensorboard" ]
}

@test "a ProfilerStep on the device is no step, and labels there are no time of the host" {
	{
		event user_annotation ProfilerStep#1 0 100
		event gpu_user_annotation ProfilerStep#1 50 100 0 7
		event gpu_user_annotation 'my range' 60 30 0 7
	} | made t.json
	[ "$(columns t.json step,total_ns,cpu_exec_ns,other_ns)" = "1 100000 0 100000
mean 100000 0 100000" ]
}

@test "a category that covers all steps leaves nothing to the next" {
	{
		event user_annotation ProfilerStep#1 0 100
		event cpu_op aten::mm 0 40
		event cuda_runtime cudaLaunchKernel 0 2 1 1 '"correlation":1'
		event kernel gemm 0 100 0 7 '"device":0,"stream":7,"correlation":1'
	} | made t.json
	[ "$(columns t.json step,total_ns,kernel_ns,runtime_ns,cpu_exec_ns,other_ns | head -1)" = '1 100000 100000 0 0 0' ]
}

@test "launches by the driver move TensorBoard's bounds, one graph launch for all of its kernels" {
	{
		event user_annotation ProfilerStep#1 0 100
		event cuda_driver cuGraphLaunch 10 5 1 1 '"correlation":9'
		for n in 1 2 3; do
			event kernel "part$n" $((n * 50)) 20 0 7 '"device":0,"stream":7,"correlation":9'
		done
	} | made t.json
	[ "$(columns t.json step,total_ns,kernel_ns,runtime_ns,device_events --bounds tensorboard | head -1)" = '1 170000 60000 5000 3' ]
}

@test "without steps all of the recording is step 0, and a note says how to record them" {
	event cpu_op aten::mm 10 90 | made t.json
	[ "$(columns t.json step,start_ns,total_ns,cpu_exec_ns,gpu_busy_ns | head -1)" = '0 0 90000 90000 -' ]
	ptool steps t.json 2>/dev/null | grep 'no steps were recorded: all of it is step 0; to record steps, call step()'
}

@test "what some profiles lack, a note counts" {
	{
		event user_annotation ProfilerStep#0 0 100
		event kernel gemm 10 20 0 7 '"device":0,"stream":7'
	} | made full.json
	event cpu_op '## forward ##' 10 90 | made bare.json
	ptool ingest -q full.json bare.json
	notes() { COLUMNS=400 ptool steps "$@" | sed -n '/^note: /p'; }
	notes >both
	grep -q 'no steps were recorded in 1 of 2 profiles: all of it' both
	grep -q 'no device work was recorded in 1 of 2 profiles; to' both
	notes --profile 2 >bare
	grep -q 'no steps were recorded: all' bare
	grep -q 'no device work was recorded; to' bare
	ptool steps --profile 1 | lacks recorded
	# the second has a forward pass
	notes --phases | grep -q 'forward from labels'
	notes --phases | lacks 'forward.* not found'
}

@test "eight curves are drawn, whatever the caption" {
	for rank in 0 1 2 3 4 5 6 7 8; do
		{
			for n in 0 1 2; do
				event user_annotation "ProfilerStep#$n" $((n * 100)) 100
			done
		} | made "rank$rank.json"
	done
	ptool ingest -q rank?.json
	for bounds in host tensorboard; do
		ptool steps --bounds $bounds >out
		[ "$(grep -c '^Step time of' out)" -eq 8 ]
		grep -q '^and of 1 more profile$' out
	done
}

@test "a name in the note of a long step is cut between characters" {
	for n in 0 1 2 3 4 5; do
		event user_annotation "ProfilerStep#$n" $((n * 9000)) 1000
		event cpu_op "a$(printf 'é%.0s' {1..99})" $((n * 9000)) 900
	done | sed '/#5/,$s/"dur":1000/"dur":6000/; /#5/,$s/"dur":900/"dur":5900/' | made t.json
	ptool steps -q t.json >out
	grep 'éé took' out
}

# Their windows were looked into, which say nothing of the host's parts.
@test "--phases of a store without slices does not say that slices were too many" {
	for n in 0 1 2 3 4 5 6 7; do
		event user_annotation "step[DECODE bs=4]" $((n * 400)) $((n == 5 ? 300 : 50))
		event cuda_runtime cudaLaunchKernel $((n * 400 + 1)) 3 1 1 "\"correlation\":$n"
		event kernel flash_fwd_kernel $((n * 400 + 10)) 90 0 7 "\"device\":0,\"stream\":7,\"correlation\":$n"
	done | made t.json
	ptool ingest -q --summary-only t.json
	ptool steps --phases >out
	grep '! step 5 took 300.000 us on the host' out
	lacks 'too many slices' <out
}

@test "one label in a file of one step: the file is the step, as its name says" {
	echo '[{"ph":"X","cat":"user_annotation","name":"train_step_4","pid":1,"tid":1,"ts":20,"dur":5},
	{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":10,"dur":30}]' >train_step_4.json
	cp train_step_4.json t.json
	[ "$(ptool steps train_step_4.json --format csv 2>/dev/null | sed -n 2p | cut -d, -f4-6)" = '"4",0,30000' ]
	[ "$(ptool steps t.json --format csv 2>/dev/null | sed -n 2p | cut -d, -f4-6)" = '"4",10000,5000' ]
}

@test "all of a file of one step is in it, also device work without a launch" {
	echo '[{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":10,"dur":30},
	{"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":20,"dur":5,"args":{"device":0,"stream":7,"correlation":9}}]' >train_step_4.json
	[ "$(ptool kernels -q --step 4 train_step_4.json --format csv | cut -d, -f1 | tail -1)" = '"gemm"' ]
	[ "$(ptool top -q --by step train_step_4.json --format csv | grep -c ',4$')" = 2 ]
}

@test "--step-name: what it matches is a step, of any producer; the first group is its number" {
	python3 - >t.json <<-'E'
		import json
		events = []
		for i, name in enumerate(["step[DECODE bs=32]", "step[DECODE bs=32]", "ProfilerStep#7", "batch 40", "batch 41"]):
		    events.append({"ph": "X", "cat": "user_annotation", "name": name, "pid": 1, "tid": 1, "ts": 1000 * i, "dur": 900})
		    events.append({"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 1, "tid": 1, "ts": 1000 * i + 100, "dur": 500})
		events.append({"ph": "X", "cat": "user_annotation", "name": "batch 50", "pid": 2, "tid": 2, "ts": 9000, "dur": 900})
		print(json.dumps({"schemaVersion": 1, "traceEvents": events}))
	E
	numbers() { # RE
		rm -f s.db
		ptool ingest -q ${1:+--step-name "$1"} -o s.db t.json
		ptool sql --format csv s.db 'SELECT number, ts FROM step ORDER BY ts' | tail -n +2 | paste -sd' '
	}
	[ "$(numbers '')" = '7,2000000' ]
	# those without a number are counted
	[ "$(numbers '^step\[DECODE')" = '0,0 1,1000000' ]
	[ "$(numbers 'batch (\d+)')" = '40,3000000 41,4000000 50,9000000' ]
	# in each process
	[ "$(numbers '^batch')" = '0,3000000 1,4000000 0,9000000' ]
	[ "$(ptool steps --step 1 --format csv s.db | wc -l)" -eq 3 ]
	[ -z "$(numbers zzz)" ]
	[ -z "$(numbers '(e+)+$')" ]
	# the same for any number of threads
	for jobs in 1 4; do ptool ingest -q -j$jobs --step-name '^batch' -o j$jobs.db t.json; done
	cmp j1.db j4.db
	run --separate-stderr ptool ingest --step-name '(' -o s.db t.json
	exits 2
	[ "$stderr" = "ptool: ingest: --step-name '(': character 2: missing closing parenthesis" ]
}

@test "without steps the recording lasts from the first operator or work to the last" {
	{
		event cpu_op aten::mm 10 90
		event user_annotation 'my range' 0 900
		event cuda_runtime cudaLaunchKernel 5 5 1 1 '"correlation":1'
		event kernel gemm 50 80 0 7 '"device":0,"stream":7,"correlation":1'
		event kernel gemm 5 3 0 7 '"device":0,"stream":7'
	} | made t.json
	[ "$(columns t.json start_ns,total_ns,gpu_busy_ns,device_events | head -1)" = '5000 125000 83000 2' ]
}

@test "bounds that no launch moves count what ran in them" {
	{
		event user_annotation ProfilerStep#0 0 100
		event cpu_op aten::mm 1 50
		event kernel gemm 10 20 0 7 '"device":0,"stream":7'
		event kernel gemm 60 20 0 7 '"device":0,"stream":7'
	} | made t.json
	for whose in host tensorboard; do
		[ "$(columns t.json step,gpu_busy_ns,device_events --bounds $whose | head -1)" = '0 40000 2' ]
	done
}

@test "without operators the recording is all device work, and no launch takes any away" {
	{
		event cuda_runtime cudaLaunchKernel 0 5 1 1 '"correlation":1'
		event kernel gemm 10 20 0 7 '"device":0,"stream":7,"correlation":1'
		event cuda_runtime cudaLaunchKernel 40 5 1 1 '"correlation":2'
		event kernel gemm 60 20 0 7 '"device":0,"stream":7,"correlation":2'
	} | made t.json
	for whose in host tensorboard; do
		[ "$(columns t.json step,start_ns,total_ns,kernel_ns,device_events --bounds $whose | head -1)" = '0 10000 70000 40000 2' ]
	done
	"$PTOOL" devices t.json --format ndjson 2>/dev/null >row
	python3 - row <<-'EOF'
		import json, sys
		row = json.loads(open(sys.argv[1]).read())
		assert (row["window_start_ns"], row["window_ns"], row["steps_ns"], row["busy_in_steps_ns"]) == (10000, 70000, 70000, 40000), row
	EOF
}

@test "phases add up to the host's step: labels win, gaps of a pass belong to it" {
	{
		event user_annotation ProfilerStep#1 0 100
		event user_annotation 'enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__' 0 10
		event cpu_op aten::to.dtype 10 10
		event cpu_op aten::copy_ 11 8
		event cuda_runtime cudaMemcpyAsync 12 3 1 1 '"correlation":1'
		event gpu_memcpy 'Memcpy HtoD (Pageable -> Device)' 40 5 0 7 '"device":0,"stream":7,"correlation":1'
		event cpu_op aten::mm 22 5 1 1 '"Sequence number":1'
		event cpu_op aten::relu 30 5 1 1 '"Sequence number":2'
		event cpu_op 'autograd::engine::evaluate_function: ReluBackward0' 40 10 1 2
		event cpu_op 'autograd::engine::evaluate_function: MmBackward0' 55 10 1 2
		event cpu_op Optimizer.step#SGD.step 70 20
	} | made t.json
	names=total_ns,data_loading_ns,host_to_device_ns,forward_ns,backward_ns,optimizer_ns,other_ns,gpu_host_to_device_ns
	[ "$(columns t.json $names --phases | head -1)" = '100000 10000 10000 13000 25000 20000 22000 5000' ]
	[ "$(columns t.json forward_from,backward_from,optimizer_from --phases | head -1)" = \
		'sequence numbers autograd threads Optimizer ranges' ]
	sed 's/"aten::mm"/"## forward ##"/' t.json >l.json
	[ "$(columns l.json forward_ns,forward_from --phases | head -1)" = '5000 labels' ]
}

@test "what nothing tells is null, and the note says how to tell it" {
	event cpu_op aten::mm 10 90 | made t.json
	[ "$(columns t.json forward_ns,host_to_device_ns,other_ns --phases | head -1)" = '- - 90000' ]
	ptool steps t.json --phases 2>/dev/null | grep 'data loading, forward, backward, optimizer not found; wrap the code in '
}

@test "files that are a step each have one mean for each rank" {
	for n in 1 2 3; do
		event cpu_op aten::mm 0 $((n * 10)) | made train_step_$n.json
	done
	ptool ingest -q --run r train_step_*.json
	[ "$(columns ptool.db profile,step,total_ns)" = "1 1 10000
2 2 20000
3 3 30000
- mean 20000" ]
}

@test "profiles of several ranks stand one below the other" {
	ptool ingest -q "$TORCH"/t260_ddp_rank[01]/trace.json.gz
	[ "$(columns ptool.db profile,rank,step | sort -u | cut -d' ' -f1,2 | sort -u)" = "1 0
2 1" ]
	columns ptool.db rank,step,total_ns --rank 1 | lacks '^0 '
	ptool steps | head -1 | grep -E '^Rank +Step'
}

@test "--step and --device choose rows, and the mean is of those" {
	four_steps
	[ "$(columns four.json step,total_ns --step 1..2)" = "1 100000
2 160000
mean 130000" ]
	ptool ingest -q "$GPU/two_devices.json"
	[ "$(columns ptool.db device --device 1 | sort -u)" = 1 ]
}

@test "nothing there, nothing chosen, no trace, and a wrong option, each with its status" {
	event user_annotation 'my range' 10 90 | made t.json
	run --separate-stderr ptool steps t.json
	exits 3
	[[ ${stderr##*$'\n'} = *'no steps, operators or device work were recorded; record with torch.profiler and call its step()' ]]
	ptool ingest -q "$GPU/two_devices.json"
	run --separate-stderr ptool steps --step 7
	exits 3
	says "ptool: steps: ptool.db: --step 7: there are steps 0, 1"
	run --separate-stderr ptool steps --device 7
	exits 3
	run --separate-stderr ptool steps "$FIXTURES/pyprof/pstats/sys311/w_gen.prof"
	exits 3
	[[ ${stderr##*$'\n'} = *'a call graph has no steps; record a trace with torch.profiler' ]]
	run --separate-stderr ptool steps --phas
	exits 2
	[[ $stderr = *--phase* ]]
	run --separate-stderr ptool steps --phases --device 0
	exits 2
	run --separate-stderr ptool steps --phases --bounds tensorboard
	exits 2
	run --separate-stderr ptool steps --bounds plugin
	exits 2
	[[ $stderr = *host*tensorboard* ]]
	run --separate-stderr ptool steps --step x
	exits 2
}

@test "a form tells how many of its columns have no room" {
	on_terminal 50 "$PTOOL" steps -q --no-pager "$GPU/two_devices.json" >table
	[ "$(grep hidden table)" = "2 columns hidden, --wide shows them" ]
	on_terminal 50 "$PTOOL" steps -q --no-pager --wide "$GPU/two_devices.json" | lacks hidden
}

@test "--sort orders steps, numbers by number, and means stand behind them" {
	four_steps
	columns four.json step,total_ns >as_loaded
	{ grep -v mean as_loaded | sort -t' ' -k2nr; grep mean as_loaded; } >longest_first
	columns four.json step,total_ns --sort total | diff longest_first -
	{ grep -v mean as_loaded | tac; grep mean as_loaded; } >reversed
	columns four.json step,total_ns --reverse | diff reversed -
	columns four.json step,total_ns --sort step | head -4 | sort -c -k1n
	[ "$(columns four.json step --sort total -n 1)" = "$(head -1 longest_first | cut -d' ' -f1)" ]
	ptool steps -q four.json -n 1 | grep -x '1 of 5 rows'
	run --separate-stderr ptool steps four.json --sort forward
	exits 2
	says "ptool: steps: --sort forward needs --phases"
	ptool steps four.json --phases --sort forward >/dev/null
	on_terminal 80 "$PTOOL" steps --sort help --no-pager | lacks '…'
}

# N steps and as many devices, each of which works in a step of its own.
steps_times_devices() { # N
	for ((n = 0; n < $1; n++)); do
		event user_annotation "ProfilerStep#$n" $((n * 200)) 100
		event kernel gemm $((n * 200 + 20)) 40 $n 7 "\"device\":$n,\"stream\":7,\"correlation\":$((n + 1))"
	done | made many.json
}

@test "people see the means of devices where steps and devices are too many" {
	steps_times_devices 101
	run -0 ptool steps many.json
	[ "$(grep -c '^ *100 ' <<<"$output")" = 2 ] # the step, and the device's mean
	grep -q '^note: 3 devices have only their means here; --device' <<<"$output"
	[ "$(ptool steps many.json --format csv | wc -l)" = $((1 + 101 * 102)) ]
	[ "$(ptool steps many.json --device 100 | grep -c '^99 ')" = 2 ]
}

# engine_trace: two vLLM steps of 100 us of host each; their work runs at 130 to 330 and 400 to 450 us
engine_trace() {
	event cpu_op aten::empty 0 1
	event user_annotation 'execute_context_1(64)_generation_0(0)' 10 100
	event cuda_runtime cudaLaunchKernel 20 5 1 1 '"correlation":1'
	event kernel gemm 130 200 0 7 '"device":0,"stream":7,"correlation":1'
	event user_annotation 'execute_context_0(0)_generation_8(8)' 350 100
	event user_annotation 'step[DECODE bs=8]' 351 90
	event cuda_runtime cudaLaunchKernel 360 5 1 1 '"correlation":2'
	event kernel gemm 400 50 0 7 '"device":0,"stream":7,"correlation":2'
}

@test "an engine's steps last until their device work ends, and idle time between them counts in gaps" {
	engine_trace | made t.json
	columns t.json step,start_ns,total_ns,host_start_ns,host_ns,gpu_idle_ns,bounds,phase,requests,tokens >rows
	[ "$(head -2 rows | paste -sd/)" = '0 130000 200000 10000 100000 0 device prefill 1 64/1 350000 100000 350000 100000 50000 host decode 8 8' ]
	[ "$(ptool gaps t.json 2>/dev/null | head -1)" = 'device 0: idle 70.000 us (21.9%) of 320.000 us in 2 steps and between them (20.000 us), 1 gap' ]
	[ "$(ptool gaps --by step --format csv t.json 2>/dev/null | tail -n +2 | cut -d, -f4,7 | paste -sd' ')" = '1,50000 ,20000' ]
	ptool info t.json 2>/dev/null | grep -q "^note: steps from: vLLM, SGLang annotations$"
	ptool steps --phases -q t.json | grep -q "^note: totals are the host's part of the steps: without --phases they last until"
	# in a step of the profiler they tell its phase, but not its bounds
	{ engine_trace; event user_annotation 'ProfilerStep#5' 5 300; } | made p.json
	[ "$(columns p.json step,start_ns,total_ns,bounds,phase,requests,tokens | head -1)" = '5 5000 300000 host prefill 1 64' ]
}

@test "--phase takes the steps of a phase, in every command that has steps" {
	engine_trace | made t.json
	[ "$(ptool steps --phase decode --format csv t.json 2>/dev/null | cut -d, -f4 | paste -sd' ')" = 'step "1" "mean"' ]
	[ "$(ptool kernels --phase prefill --format csv t.json 2>/dev/null | tail -1 | grep -o ',200000,' | head -1)" = ,200000, ]
	[ "$(ptool top --phase decode --format ndjson t.json 2>/dev/null | grep -o '"self_device_ns":50000' | wc -l)" -eq 2 ]
	[ "$(ptool gaps --phase decode t.json 2>/dev/null | head -1)" = 'device 0: idle 50.000 us (50.0%) of 100.000 us in 1 step, 1 gap' ]
	[ "$(ptool list --phase prefill --format csv t.json 2>/dev/null | grep -c gemm)" -eq 1 ]
	says() { # STATUS MESSAGE COMMAND...
		run --separate-stderr ptool "${@:3}"
		[ "$status" -eq "$1" ]
		[[ "${stderr##*$'\n'}" = *"$2" ]]
	}
	says 3 "no step is of the phase 'mixed'; there are: prefill (1), decode (1)" top --phase mixed t.json
	says 3 "--step 0: none of them is of the phase 'decode'" top --phase decode --step 0 t.json
	says 2 "unknown --phase 'decod'; did you mean 'decode'? (valid: prefill, decode, mixed, other)" gaps --phase decod t.json
	event cpu_op aten::mm 10 90 | made o.json
	says 3 'no step has a phase: there are no annotations of an inference engine, as in ptool-formats(5), STEPS' kernels --phase decode o.json
	# each side of a comparison has its own
	{ event user_annotation 'step[DECODE bs=8]' 0 1; engine_trace; } | made u.json
	[ "$(ptool diff --phase prefill --by kernel --format csv t.json u.json 2>/dev/null | grep -o ',200000,' | head -1)" = ,200000, ]
	says 3 "t.json: no step is of the phase 'other'; there are: prefill (1), decode (1)" diff --phase other t.json u.json
}

@test "steps are long for their phase, and a diff says that phases are mixed" {
	python3 - p.json <<-'E'
		import json, sys
		at, events = 0, []
		for i in range(15):
		    kind, dur = ("EXTEND bs=1 toks=64", 300) if i % 5 == 0 else ("DECODE bs=8", 250 if i == 7 else 100)
		    for name, cat in ((f"step[{kind}]", "user_annotation"), ("aten::mm", "cpu_op")):
		        events.append({"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": 1, "ts": at, "dur": dur, "args": {}})
		    at += dur
		json.dump({"schemaVersion": 1, "traceEvents": events}, open(sys.argv[1], "w"))
	E
	[ "$(ptool steps -q p.json | grep -oE '^[0-9]+!' | paste -sd' ')" = '7!' ]
	ptool steps -q p.json | grep -q '150.000 us more than the median decode step'
	ptool diff -q p.json p.json >said
	[ "$(grep -c 'outlier' said)" -eq 0 ]
	grep -q '^note: the steps are of several phases' said
	ptool diff -q --phase decode p.json p.json >said
	grep -q '^1 of 12 base steps is an outlier: 7' said
	lacks 'several phases' <said
}

@test "what is left after the last step() is no step, in no command" {
	ending() { # DUR
		event user_annotation 'ProfilerStep#0' 0 1000
		event cpu_op aten::mm 10 900
		event user_annotation 'ProfilerStep#1' 1000 1000
		event cpu_op aten::mm 1010 900
		event user_annotation 'ProfilerStep#2' 2000 "$1"
		event python_function 'torch/profiler/profiler.py(9): stop' 2005 5
	}
	steps_of() { ptool steps -q --format csv "$1" | cut -d, -f4 | tr -d '"' | tr '\n' ' '; }

	ending 20 | made empty.json
	steps_of empty.json >got
	echo -n "step 0 1 mean " | diff - got
	ptool steps -q empty.json | grep -q '^note: the last ProfilerStep is not counted: '
	ptool overview -q empty.json | grep -q '^Steps: 2, mean 1.000 ms'
	ptool doctor -q empty.json | grep -q '^info  *empty_step '
	ptool list -q --format json --focus Step#2 empty.json | grep -q '"name":"ProfilerStep#2".*"step":null'
	rc=0
	ptool steps -q --step 2 empty.json || rc=$?
	[ $rc -eq 3 ]

	# one that is no shorter than a tenth, or in which an operator began, is a step
	ending 100 | made long.json
	steps_of long.json >got
	echo -n "step 0 1 2 mean " | diff - got
	{ ending 20; event cpu_op aten::add 2010 2; } | made busy.json
	steps_of busy.json >got
	echo -n "step 0 1 2 mean " | diff - got
	! ptool steps -q busy.json | grep -q 'not counted' || false
}

@test "rows of too many steps and devices are refused, and their sums are not" {
	steps_of_many_devices 45 >many.json
	ptool ingest -q many.json
	printf '[steps]\nview = steps\ncolumn = total_ns\nmax = 1 s\n' >budgets.ini
	local wrong='1500 steps of 1500 devices have more than 2000000 rows; --step or --device leaves fewer'
	for options in "" "--sort total --limit 3"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr ptool steps --format csv $options
		exits 2
		says "ptool: steps: $wrong"
		[ -z "$output" ]
	done
	run --separate-stderr ptool gate -f budgets.ini
	exits 2
	[[ $stderr == *"$wrong" ]]
	run --separate-stderr ptool steps --mfu --model-flops 1000000000 --limit 3
	exits 2
	says "ptool: steps: $wrong"
	[ "$(ptool steps --format csv --limit 3 | wc -l)" -eq 4 ]
	[ "$(ptool steps --format csv --step 3 | wc -l)" -ge 1501 ]
	[ "$(ptool steps --format csv --device 3 | wc -l)" -ge 1501 ]
	ptool steps >table
	grep -q 'devices have only their means here; --device shows the steps of one' table
	lacks 'format csv' <table # which has too many rows
	printf 'step = 3\n' >>budgets.ini
	ptool gate -f budgets.ini
	# each device works 20 ns of its step, 15 of the next, and the last one 20 alone
	ptool trend --format csv >trend.csv
	python3 - <<'END'
import csv
row, = csv.DictReader(open("trend.csv"))
pairs, busy = 1500 * 1500, 1000 * (35 * 1499 + 20)
assert int(row["busy_ns"]) == busy // pairs, row
assert int(row["idle_ns"]) == (pairs * 20000 - busy) // pairs, row
END
}

@test "a frame of Python that is called like a step leaves the step what it is" {
	cat >t.json <<-'END'
		[{"ph":"X","cat":"python_function","name":"ProfilerStep#0","pid":1,"tid":1,"ts":0,"dur":1},
		{"ph":"X","cat":"user_annotation","name":"ProfilerStep#0","pid":1,"tid":2,"ts":10,"dur":900},
		{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":2,"ts":1010,"dur":900}]
	END
	ptool ingest -q t.json
	[ "$(ask ptool.db 'SELECT group_concat(number), group_concat(dur) FROM step')" = '0,1|900000,900000' ]
}

@test "calls that launched what was not recorded are told of the profiles that are shown" {
	event user_annotation ProfilerStep#0 0 100 1 1 | made idle.json
	{
		event user_annotation ProfilerStep#7 0 100 1 1
		event cuda_runtime cudaLaunchKernel 5 2 1 1 '"correlation":1'
	} | made lost.json
	{
		event user_annotation ProfilerStep#9 0 100 1 1
		event cuda_runtime cudaStreamBeginCapture 2 2 1 1
		event cuda_runtime cudaLaunchKernel 5 2 1 1 '"correlation":1'
	} | made captured.json
	{
		event user_annotation ProfilerStep#7 0 100 1 1
		event cuda_runtime cudaLaunchKernel 5 2 1 1 '"correlation":1'
		event kernel k 10 20 0 7 '"device":0,"stream":7,"correlation":1'
	} | made works.json
	ptool ingest -q -o captured.db idle.json captured.json
	ptool steps --step 9 captured.db | grep -q 'a graph was captured, which runs no kernel'
	ptool steps --step 0 captured.db | grep -q 'no device work was recorded'
	ptool ingest -q -o works.db captured.json works.json
	ptool steps works.db | grep -q '^note: in 1 of 2 profiles a graph was captured, which runs no kernel$'
	ptool ingest -q -o two.db idle.json lost.json
	ptool ingest -q --summary-only -o sums.db idle.json lost.json
	for store in two.db sums.db; do
		ptool steps "$store" | grep -q '1 call launched kernels, and no kernel was recorded'
		ptool steps --step 7 "$store" | grep -q '1 call launched kernels'
		ptool steps --step 0 "$store" | lacks launched
	done
}

#!/usr/bin/env bats
# ptool top: the operator table.  Its numbers are held against torch's own by
# tests/top/check_*.py; here is what a user types and sees.

load setup

labels() {
	ptool ingest -q --run labels "$GPU/annotations.json"
}

cnn() {
	ptool ingest -q --run cnn "$TORCH/t2141_cnn_w0/trace.json.gz"
}

# The names, in order.
names() { # OPTION...
	ptool top --format json "$@" | python3 -c \
		'import json, sys; [print(row["name"]) for row in json.load(sys.stdin)["rows"]]'
}

@test "device time first where there is some, as wide as the terminal" {
	labels
	on_terminal 80 "$PTOOL" top --no-pager --color never | like_golden top_80.txt
	on_terminal 140 "$PTOOL" top --no-pager --color never --limit 0 | like_golden top_140.txt
	ptool top --limit 3 | like_golden top_unlimited.txt
}

@test "without a device the columns of devices are not there" {
	cnn
	on_terminal 80 "$PTOOL" top --no-pager --color never | like_golden top_cpu_80.txt
	on_terminal 120 "$PTOOL" top --no-pager --color never --sort self_cpu_memory_usage --limit 5 |
		like_golden top_cpu_120.txt
	ptool top --limit 5 --format markdown | like_golden top.markdown
}

@test "machines get all columns, bare numbers, and null for what was not recorded" {
	cnn
	ptool top --limit 5 --format csv | like_golden top.csv
	ptool top --limit 2 --format json | like_golden top.json
	labels
	ptool top --limit 5 --format csv | like_golden top_gpu.csv
	ptool top --limit 2 --by stream,thread --format ndjson | like_golden top.ndjson
}

@test "columns are appended as they are asked for" {
	cnn
	ptool top --limit 5 --by shape --flops --sort flops --format csv | like_golden top_shape.csv
	ptool top --limit 4 --by step,category --sort none --format csv | like_golden top_step.csv
	ptool ingest -q "$TORCH/t2141_jitmod/trace.json.gz"
	ptool top --limit 4 --by stack:2 --format csv | like_golden top_stack.csv
	ptool top --by stack --format csv --limit 0 | grep -q 'linear.py(134): forward;.*;.*forward op'
	ptool top --by stack:1 --format csv --limit 0 | grep -q '"[^";]*linear.py(134): forward"$'
}

@test "labels are a table of their own" {
	labels
	ptool top --by annotation | like_golden top_annotation.txt
	ptool top --by annotation --sort launches --limit 3 --format csv | like_golden top_annotation.csv
	[ "$(ptool top --by annotation --step 0 --focus encoder --format csv | tail -1)" = \
		'"encoder",1,58450,141000,83773,4' ]
	cnn
	ptool top --by annotation --limit 2 --format csv | like_golden top_annotation_cpu.csv
}

@test "profiles are added up, and the table says so, unless they are told apart" {
	ptool ingest -q "$TORCH"/t260_ddp_rank[01]/trace.json.gz
	ptool top --focus barrier | grep -qx 'note: 2 ranks added up; --by rank shows them separately'
	ptool top --by annotation | grep -qx 'note: 2 ranks added up; --rank N shows one'
	ptool top --wide --focus barrier --rank 0 | lacks note
	ptool top --wide --focus barrier --by rank | lacks note
	calls='SELECT sum(calls) FROM op_stat WHERE grain = 0 AND kind <> 3'
	[ "$(ptool top --limit 0 --format tsv | tail -n +2 | awk -F '\t' '{ n += $2 } END { print n }')" = \
		"$(ask ptool.db "$calls")" ]
	[ "$(ptool top --focus c10d::barrier --by rank --sort rank --format csv | cut -d, -f2,3,14)" = \
		$'calls,self_cpu_ns,rank\n2,72089,0\n2,3538841,1' ]
	gzip -dc "$TORCH/t260_ddp_rank0/trace.json.gz" >again.json
	ptool ingest -q -o same.db "$TORCH/t260_ddp_rank0/trace.json.gz" again.json
	ptool top same.db | grep -qx 'note: 2 profiles added up; --by profile shows them separately'
}

@test "the footer says what part of the time is shown" {
	cnn
	ptool top --wide --limit 5 | tail -1 | like_golden top_footer.txt
	[ "$(ptool top --wide --limit 0 | tail -1)" = '98 rows' ]
	ptool top --wide --focus conv | tail -1 | grep -q '^5 rows, .*% of self CPU time$'
	labels
	ptool top --wide --limit 1 --sort calls | tail -1 | grep -q 'of self CPU time$'
}

@test "device time is a share of each nanosecond once, though operators and kernels are both there" {
	labels # aten::addmm launched 200 us of 342, ampere_sgemm_128x64_nn is those 200 us
	[ "$(ptool top --wide --limit 1 | tail -1)" = '1 of 21 rows, whose operators launched 58.5% of device time' ]
	[ "$(ptool top --wide --limit 2 | tail -1)" = '2 of 21 rows, whose operators launched 58.5% of device time' ]
	[ "$(ptool top --wide --limit 0 --ignore sgemm | grep ' rows')" = \
		'20 rows, whose operators launched 100.0% of device time' ]
	[ "$(ptool top --wide --cat kernel --limit 1 | tail -1)" = '1 of 2 rows, 58.5% of device time' ]
	# in a part of the time what was launched is no part of what ran
	shares=$(ptool top --time 0us..300us --limit 0 --sort none --wide | awk '{ print $(NF - 2) }' | grep -E '^[0-9.]+$')
	for share in $shares; do
		[ "${share%.*}" -le 100 ]
	done
}

@test "work of the device is told from the operators and labels of the same name" {
	labels
	[ "$(ptool top --wide --focus '^encoder$' | awk '/^encoder/ { print $2, $3 }' | sort)" = $'label 2.27\nspan -' ]
	ptool top --focus '^encoder$' | grep -qx \
		'note: span: a label on the device; its time includes idle time, so it comes last'
	ptool top --wide --focus '^encoder$' --cat user_annotation | lacks -E 'Kind|note'
	ptool top --cat kernel | lacks -E 'Kind|CPU'
	[ "$(ptool top --focus '^ampere' --format csv | tail -1 | cut -d, -f3-5)" = ,, ] # no time on the host
	# machines can tell them apart: each nanosecond of the device stands in one device row
	ptool top --limit 0 --format json | python3 -c '
import collections, json, sys
sums = collections.Counter()
for row in json.load(sys.stdin)["rows"]:
    sums[row["kind"]] += row["self_device_ns"]
assert sums["device"] == sums["host"] + sums["label"] == 342000, sums' 
}

@test "columns that have no room are counted, and what sorts stays" {
	labels
	on_terminal 80 "$PTOOL" top --no-pager --color never --limit 2 |
		grep -qx '6 columns hidden, --wide shows them'
	on_terminal 40 "$PTOOL" top --no-pager --color never --limit 1 | head -1 |
		grep -qE '^Name +Self device \(us\)  Calls'
	on_terminal 40 "$PTOOL" top --no-pager --color never --limit 1 --sort avg_cpu | head -1 |
		grep -qE '^Name +CPU avg \(us\)  Calls'
	on_terminal 200 "$PTOOL" top --no-pager --color never | lacks hidden
	ptool top --wide | lacks hidden
}

@test "an order by what does not tell rows apart is exit 2, by what was not recorded a note" {
	labels
	for key in input_shapes:shape rank:rank thread:thread stack:stack; do
		run --separate-stderr ptool top --sort "${key%:*}"
		exits 2
		says "ptool: top: --sort ${key%:*} needs --by ${key#*:}"
	done
	ptool top --sort cpu_memory_usage | grep -qx \
		'note: no cpu_mem_bytes was recorded: rows are in the order of their first calls'
	[ "$(names --sort cpu_memory_usage)" = "$(names --sort none)" ]
	ptool top --sort cuda_time_total | lacks 'was recorded'
	cnn
	ptool top --sort flops | grep -qx 'note: sorted by flops, which --flops shows'
	ptool top --wide --sort flops --flops | lacks note
}

@test "the default limit is 20, 0 is all" {
	cnn
	[ "$(names | wc -l)" = 20 ]
	[ "$(names --limit 0 | wc -l)" = 98 ]
	[ "$(names -n 7 | wc -l)" = 7 ]
}

@test "--sort memory is the device's, or the host's where no device has any" {
	labels
	[ "$(names --sort mem)" = "$(names --sort none)" ] # none was recorded
	cnn
	[ "$(names --sort memory)" = "$(names --sort self_cpu_memory_usage)" ]
	[ "$(names --sort memory)" != "$(names --sort none)" ]
	ptool ingest -q "$EVERYTHING"
	[ "$(names --sort memory)" = "$(names --sort self_device_memory_usage)" ]
	[ "$(names --sort memory)" != "$(names --sort self_cpu_memory_usage)" ]
}

@test "--sort takes torch's, pstats' and pprof's names; --sort help lists them" {
	labels
	for key in cuda_time_total device_time_total xpu_time_total total_device_ns; do
		[ "$(names --sort $key)" = "$(names --sort total_device_ns)" ]
	done
	[ "$(names --sort cumulative)" = "$(names --sort cpu_time_total)" ]
	[ "$(names --sort flat)" = "$(names --sort tottime)" ]
	[ "$(names --sort name)" = "$(names --sort name | LC_ALL=C sort)" ]
	[ "$(names --sort key)" = "$(names --sort name --reverse)" ]
	[ "$(ptool top --sort calls --format tsv | sed -n 2p | cut -f2)" = 12 ]
	[ "$(ptool top --sort calls -r --format tsv --limit 0 | tail -1 | cut -f2)" = 12 ]
	ptool top --sort help | like_golden top_sort_help.txt
	rm ptool.db
	ptool top --sort help >/dev/null # no store is opened
}

@test "a wrong sort key, grouping or filter is exit 2 and says what there is" {
	run --separate-stderr ptool top --sort cpu_time_totl
	exits 2
	[[ $stderr == "ptool: top: unknown sort key 'cpu_time_totl'; did you mean 'cpu_time_total'? (valid: name, "* ]]
	run --separate-stderr ptool top --by shpe
	exits 2
	says "ptool: top: unknown --by 'shpe'; did you mean 'shape'? (valid: name, shape, line, file, stack, overload, annotation, module, category, thread, stream, step, rank, tp, dp, pp, ep, cp, profile)"
	run --separate-stderr ptool top --time 1..2
	exits 2
	run --separate-stderr ptool top --focus '('
	exits 2
	says "ptool: top: --focus '(': character 2: missing closing parenthesis"
	run --separate-stderr ptool top --by annotation --cat kernel
	exits 2
	run --separate-stderr ptool top --by annotation,rank
	exits 2
}

@test "what matches nothing, and what was not recorded, is exit 3" {
	labels
	for filter in --focus=xyzzy --ignore=. --cat=nothing --thread=77 --stream=77 --device=9 --step=77 \
		--time=900s.. --min-dur=1s; do
		run --separate-stderr ptool top "$filter"
		exits 3
		prints ''
		[ -n "$stderr" ]
	done
	run --separate-stderr ptool top --by stack
	exits 3
	says "ptool: top: ptool.db: --by stack: no stacks of operators were recorded (with_stack=True, and since torch 2.0 _ExperimentalConfig(verbose=True))"
	run --separate-stderr ptool top --by rank
	exits 3
	run --separate-stderr ptool top --by annotation --focus xyzzy
	exits 3
}

@test "filters choose among calls: places, categories, times, steps" {
	labels
	[ "$(names --stream 20)" = $'attention\nvoid at::native::vectorized_elementwise_kernel<4, at::native::relu_functor<float>, at::detail::Array<char*, 2> >(int, at::native::relu_functor<float>, at::detail::Array<char*, 2>)' ]
	[ "$(names --cat kernel --limit 0 | wc -l)" = 2 ]
	[ "$(names --cat kernel,gpu_user_annotation --limit 0 | wc -l)" = 6 ]
	names --thread 4242 | lacks gemm
	[ "$(ptool top --step 1 --focus '^aten::addmm' --format csv | cut -d, -f2 | tail -1)" = 4 ]
	[ "$(ptool top --step 0..1 --focus '^aten::addmm' --format csv | cut -d, -f2 | tail -1)" = 8 ]
	[ "$(ptool top --focus mm --ignore ampere --format csv | wc -l)" = 2 ]
}

@test "Python frames are in the tree and in no row, but for --cat python_function" {
	ptool ingest -q "$TORCH/t2141_cnn_w0_stack/trace.json.gz"
	names --limit 0 | lacks '\.py('
	names --cat python_function | grep -q '\.py('
	names --cat python_function --limit 0 | lacks aten::
}

@test "--top-level leaves the operators that no other contains" {
	cnn
	[ "$(names --top-level --limit 0 | wc -l)" -lt 98 ]
	names --top-level | grep -qxF 'ProfilerStep*'
	names --top-level --limit 0 | lacks -x aten::mkldnn_convolution
}

@test "--format torch is the text that torch prints" {
	cnn
	ptool top --format torch --sort cpu_time_total --limit 10 |
		cmp - "$TORCH/t2141_cnn_w0/table_cpu_time_total_10.txt"
	ptool top --format torch --sort cpu_time_total --limit 3 --header 'my header' \
		--max-name-column-width 25 --time-unit us --top-level | like_golden top_torch.txt
	ptool top --format torch --limit 3 --max-name-column-width 0 -o out.txt
	[ "$(ptool top --format torch --limit 3 --max-name-column-width 0)" = "$(cat out.txt)" ]
	labels
	ptool top --format torch --limit 5 | like_golden top_torch_gpu.txt
}

@test "memory that was recorded where none was allocated is 0, as torch prints it" {
	local asked
	for asked in 0 1; do
		cat >trace.json <<-EOF
			{"schemaVersion": 1, "profile_memory": $asked, "baseTimeNanoseconds": 0, "traceEvents": [
			{"ph": "X", "cat": "cpu_op", "name": "aten::add_", "pid": 1, "tid": 1, "ts": 1.000, "dur": 2.000}]}
		EOF
		ptool top --format torch trace.json >"$asked.txt"
		ptool top --format json trace.json >"$asked.json"
	done
	grep -E 'Name .* CPU Mem +Self CPU Mem +# of Calls' 1.txt
	grep -E 'aten::add_ .* 0 B +0 B +1 ' 1.txt
	lacks Mem <0.txt
	grep -F '"cpu_mem_bytes":0,"self_cpu_mem_bytes":0' 1.json
	grep -F '"cpu_mem_bytes":null,"self_cpu_mem_bytes":null' 0.json
}

@test "--format torch, and its options, are nobody else's" {
	cnn
	run --separate-stderr ptool info --format torch
	exits 2
	run --separate-stderr ptool top --header x
	exits 2
	says 'ptool: top: --header, --max-name-column-width and --time-unit are for --format torch'
	run --separate-stderr ptool top --format torch --by rank
	exits 2
	run --separate-stderr ptool top --format torch --max-name-column-width x
	exits 2
	touch out.txt
	run --separate-stderr ptool top --format torch -o out.txt
	exits 2
	says 'ptool: top: out.txt exists; -f replaces it'
	[ ! -s out.txt ]
	[ "$(ptool top --help | grep -c -e '--format FORMAT')" = 1 ]
	[ "$(ptool top --help | grep -c -e '--output FILE')" = 1 ]
}

@test "a disk that is full and a store that is missing are told by torch's table too" {
	run --separate-stderr ptool top --format torch
	exits 4
	cnn
	run --separate-stderr bash -c '"$PTOOL" top --format torch >/dev/full'
	exits 5
	run --separate-stderr bash -c '"$PTOOL" top --format torch --limit 0 | head -1; exit ${PIPESTATUS[0]}'
	exits 0
}

@test "a raw trace is an operand too" {
	[ "$(names "$GPU/annotations.json" --limit 1 2>/dev/null)" = aten::addmm ]
}

@test "a trace of no profiler of PyTorch has every slice in its table" {
	ptool ingest -q "$GPU/phases_of_chrome.json"
	ptool top --sort none --format csv --limit 5 | like_golden top_chrome.csv
}

@test "a time that no 64 bits hold has no mean" {
	cat >huge.txt <<-EOF
		         3 function calls in 99999999999.000 seconds

		   Ordered by: standard name

		   ncalls  tottime  percall  cumtime  percall filename:lineno(function)
		        1 99999999999.000 99999999999.000 99999999999.000 99999999999.000 a.py:1(f)
		        2    1.000    0.500    1.000    0.500 a.py:2(g)


	EOF
	ptool top -q huge.txt --sort avg_ns --width 120 | grep -E "^a.py:1\(f\) .* - +1 +1$"
}

@test "CPU time is PyTorch's word: other tracers' tables have self and total" {
	ptool top -q "$FIXTURES/chrome/viztracer.json.gz" -n 3 >rows
	[ "$(head -1 rows | sed 's/ ([%a-z]*)//g' | tr -s ' ')" = 'Name Self Self Total Total Avg Calls' ]
	grep -q '^3 of 48 rows, 95.4% of self time' rows
	ptool top -q "$FIXTURES/chrome/viztracer.json.gz" --format csv | head -1 | grep -q ',self_cpu_ns,'
	ptool overview -q "$FIXTURES/chrome/viztracer.json.gz" | grep -q '^Slices, by self time'
	ptool top -q "$FIXTURES/chrome/tensorflow.json.gz" | head -1 | grep -q 'CPU'
}

@test "a label within itself counts its time once" {
	{
		event user_annotation fit 0 100
		event user_annotation fit 10 80
		event cuda_runtime cudaLaunchKernel 20 5 1 1 '"correlation":1'
		event kernel gemm 30 40 0 7 '"device":0,"stream":7,"correlation":1'
		event user_annotation fit 200 50
		event user_annotation fit 205 30 1 2
	} | made nested.json
	ptool top -q --by annotation --format csv nested.json | grep -q '^"fit",4,180000,40000,40000,1$'
}

@test "the torch format takes of a long name what it draws" {
	python3 -c '
import json
event = lambda i: {"ph": "X", "cat": "cpu_op", "name": "N", "pid": 1, "tid": 1, "ts": i * 20, "dur": 10,
                   "args": {"Call stack": f"a.py({i}): f;b.py(3): g"}}
json.dump({"schemaVersion": 1, "traceEvents": [event(i) for i in range(600)]}, open("short.json", "w"))'
	ptool ingest -q -o long.db short.json
	python3 -c 'import sqlite3; db = sqlite3.connect("long.db", isolation_level=None); db.execute("UPDATE string SET text = ? WHERE text = ?", ("x\x1b" * 250000, "N"))'
	limit=200000
	[ -z "${SAN-}${TSAN-}${VALGRIND-}" ] || limit=unlimited
	(ulimit -v "$limit"; ptool top --format torch --by stack long.db) >table
	[ "$(grep -cF 'x\x1bx' table)" -eq 20 ]
	[ "$(wc -c <table)" -lt 100000 ]
}

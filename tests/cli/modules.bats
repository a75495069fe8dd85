#!/usr/bin/env bats
# ptool modules as users see it; tests/kernels/check_modules.py holds its numbers.

load setup

@test "the modules of a model, as a tree" {
	ptool ingest -q "$TORCH/t2141_cnn_w0_stack/trace.json.gz"
	ptool modules | like_golden modules.txt
	ptool modules --depth 2 --format csv | like_golden modules.csv
	on_terminal 80 "$PTOOL" modules --no-pager --color never | like_golden modules_80.txt
}

@test "device work is where it was launched" {
	run -0 --separate-stderr ptool modules "$GPU/python_stack.json" --format csv
	prints 'id,parent_id,depth,path,name,calls,ops,total_host_ns,self_host_ns,op_host_ns,total_device_ns,self_device_ns,device_work
1,,0,"Linear_0","Linear_0",2,4,33639,6637,27002,48000,48000,4'
	on_terminal 80 "$PTOOL" modules --no-pager "$GPU/python_stack.json" >table
	[ "$(tail -1 table)" = "1 row; 1 column hidden, --wide shows it" ]
}

@test "a module that is left out is none" {
	ptool ingest -q "$TORCH/t2141_cnn_w0_stack/trace.json.gz"
	run -0 ptool modules --focus Conv2d --format csv
	[ "$(grep -c Conv2d <<<"$output")" -eq 2 ]
	lacks Block <<<"$output"
	run -3 --separate-stderr ptool modules --focus nothing
	says "ptool: modules: ptool.db: --focus 'nothing' matches no name"
	run -2 --separate-stderr ptool modules --stream 7
	says "ptool: modules: --stream, --device and --cat do not apply to modules: see 'ptool kernels' and 'ptool top'"
}

@test "modules in the order of their calls, and the first rows alone" {
	ptool ingest -q "$TORCH/t2141_cnn_w0_stack/trace.json.gz"
	run -0 ptool modules --sort start -n 4
	[ "$(awk 'NR > 1 && NF > 4 { print $1 }' <<<"$output")" = $'CNN_0\nBlock_0\nConv2d_0\nBatchNorm2d_0' ]
	[[ $output = *'4 of 8 rows' ]]
	[ "$(ptool modules -n 2 --format csv | wc -l)" -eq 3 ]
	run -2 ptool modules --sort size
}

@test "top --by module points to the calls of modules" {
	run -3 --separate-stderr ptool top --by module "$TORCH/t2141_cnn_w0_stack/trace.json.gz"
	[[ $stderr = *"; 'ptool modules "*"' shows the calls of modules that were" ]]
	run -3 --separate-stderr ptool top --by module "$TORCH/t2141_cnn_w0/trace.json.gz"
	[[ $stderr = *"--by module: no modules of operators were recorded (with_modules=True)" ]]
}

@test "a recording without modules says how to record them" {
	run -3 --separate-stderr ptool modules "$GPU/one_stream.json"
	[[ $stderr = *"no modules were recorded (with_stack=True, or Lightning's PyTorchProfiler)" ]]
}

@test "modules within modules take lines of one length, however deep" {
	python3 -c '
import json
print(json.dumps({"schemaVersion": 1, "traceEvents": [
    {"ph": "X", "cat": "python_function", "name": f"nn.Module: M_{i}", "pid": 1, "tid": 1, "ts": i, "dur": 9000 - 2 * i}
    for i in range(3000)]}))' >deep.json
	ptool ingest -q deep.json
	for command in "modules" "tree --depth 0 --min 0"; do
		# shellcheck disable=SC2086
		ptool $command >table
		[ "$(grep -c '\[2999\] .*M_2999' table)" -eq 1 ]
		[ "$(wc -c <table)" -lt 1000000 ]
		# shellcheck disable=SC2086
		ptool $command --format csv >csv
		[ "$(grep -c 'M_254;(2744 more);[^;,]*M_2999"' csv)" -eq 1 ]
		[ "$(wc -c <csv)" -lt 20000000 ]
	done
}

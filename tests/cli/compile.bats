#!/usr/bin/env bats
# ptool compile as users see it; tests/compile/check_compile.py holds its numbers.

load setup

BROKEN=$FIXTURES/compile/compile_broken.json.gz

@test "frames that broke and were compiled again, and what to do" {
	ptool ingest -q "$BROKEN"
	ptool compile | like_golden compile.txt
	on_terminal 80 "$PTOOL" compile --no-pager --color never --by step | like_golden compile_steps_80.txt
	run -0 ptool compile --by region --sort compile -n 2 --format csv
	[ "$(cut -d, -f2 <<<"$output")" = $'region\n"0/0"\n"7/1"' ]
}

@test "compile of the steps of a phase" {
	an_engine
	[ "$(ptool compile -q engine.json --phase decode --by step --format csv | cut -d, -f1)" = $'step\n2\n3\n4' ]
	run -3 ptool compile -q engine.json --phase mixed
}

@test "compile of some steps" {
	run -0 ptool compile -q "$BROKEN" --step 1..2 --by step --format csv
	[ "$(cut -d, -f1,2,5 <<<"$output")" = $'step,calls,compilations\n1,10,1\n2,10,1' ]
	run -3 --separate-stderr ptool compile -q "$BROKEN" --time 0us..1us
	[[ $stderr = *"no compiled region matches"* ]]
}

@test "a recording without torch.compile says so" {
	run -3 --separate-stderr ptool compile -q "$GPU/one_stream.json"
	[[ $stderr = *"no compiled region was recorded (torch.compile)" ]]
}

@test "kernels with the nodes and lines that Inductor tells of them" {
	ptool ingest -q "$FIXTURES/compile/compile_trained.json.gz"
	ptool compile --by kernel --provenance "$FIXTURES/compile/provenance" --format csv | like_golden compile_kernels.csv
	ptool compile --by kernel | like_golden compile_kernels.txt
	run -2 --separate-stderr ptool compile --provenance "$FIXTURES/compile/provenance"
	says "ptool: compile: --provenance goes with --by kernel"
}

@test "a kernel of several graphs gets no nodes but those of its region" {
	ptool ingest -q "$FIXTURES/compile/compile_trained.json.gz"
	nodes() { # of the kernel that ran in region 0/0
		ptool compile --by kernel --provenance "$1" --format csv | sed -n 's/^"cpp_fused_relu_0".*,"forward","cpu",3,[0-9]*,\([^,]*\),.*/\1/p'
	}
	mkdir -p a b tl/-_0_0_0 tl/-_1_0_0
	echo '{"cpp_fused_relu_0:1": ["x"]}' >a/inductor_generated_kernel_to_post_grad_nodes.json
	[ "$(nodes a)" = '"x"' ]
	cp a/* b/inductor_triton_kernel_to_post_grad_nodes_2.json
	echo '{"cpp_fused_relu_0:1": ["y"]}' >b/inductor_triton_kernel_to_post_grad_nodes.json
	[ "$(nodes b)" = '' ]
	ptool compile --by kernel --provenance b >text
	grep -q "1 kernel's nodes are not told: several graphs have a kernel of that name, and no region" text
	cp b/inductor_triton_kernel_to_post_grad_nodes.json tl/-_0_0_0
	cp a/* tl/-_1_0_0
	[ "$(nodes tl)" = '"y"' ]
}

@test "files of Inductor's that are damaged: exit 4, the file and the byte" {
	ptool ingest -q "$FIXTURES/compile/compile_trained.json.gz"
	mkdir d
	refuses() { # TEXT-OF-THE-FILE MESSAGE
		printf '%s' "$1" >d/kernel_information.json
		run -4 --separate-stderr ptool compile --by kernel --provenance d
		says "ptool: compile: d/kernel_information.json: $2"
	}
	refuses '' 'byte 0: the text ends inside a value'
	refuses '[1]' 'byte 0: an object was expected'
	refuses '{"k:1": [1]}' 'byte 8: an object was expected'
	refuses '{"k:1": {"post_grad_nodes": 7}}' 'byte 28: a list was expected'
	refuses '{"k:1": {"post_grad_nodes": [7]}}' 'byte 29: a text was expected'
	refuses '{"k:1": {"post_grad_nodes": ["a"' 'byte 32: the text ends inside a value'
	refuses '{} x' 'byte 3: text follows the JSON'
	rm d/*
	run -4 --separate-stderr ptool compile --by kernel --provenance d
	[[ $stderr = *"d: no file of Inductor's provenance is there ("* ]]
	run -4 --separate-stderr ptool compile --by kernel --provenance nowhere
	[[ $stderr = *"nowhere: No such file or directory" ]]
	# long lists that many kernels name, and deep ones
	python3 -c '
import json
n = 20000
print(json.dumps({"postToPre": {"x": ["n%d" % i for i in range(n)]}, "cppCodeToPost": {"k:%d" % i: ["x"] for i in range(n)}}))' \
		>d/inductor_provenance_tracking_node_mappings.json
	timeout 10 "$PTOOL" compile --by kernel --provenance d -o rows.csv
	python3 -c 'print("{\"k\": " + "[" * 70000 + "]" * 70000 + "}")' >d/kernel_information.json
	run -4 --separate-stderr ptool compile --by kernel --provenance d
}

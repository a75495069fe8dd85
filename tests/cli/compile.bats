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
	says "ptool: compile: --provenance is for --by kernel"
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
	grep -q "1 kernel's nodes are not known: several graphs have a kernel of that name, and it ran in no region" text
	cp b/inductor_triton_kernel_to_post_grad_nodes.json tl/-_0_0_0
	cp a/* tl/-_1_0_0
	[ "$(nodes tl)" = '"y"' ]
}

@test "a frame that torch gave up on, and one that never ran" {
	L=$FIXTURES/compile/compile_limited.json.gz
	ptool compile -q "$L" --width 100 >text
	grep -q '^note: frame 1 was compiled again (1/3) and that never ran: torch gives up at recompile_limit' text
	grep -q '^note: torch compiled again 4 times in steps 1 to 3, most often frame 1:' text
	ptool compile -q "$L" --step 0 --by region --format csv | cut -d, -f2,5,15 | grep '^"0/0",0,1$'
	# no region ran at all
	cat >t.json <<-'END'
		{"schemaVersion": 1, "traceEvents": [
		{"ph": "X", "cat": "user_annotation", "name": "entire_frame_compile", "pid": 1, "tid": 1, "ts": 10, "dur": 90, "args": {}},
		{"ph": "X", "cat": "user_annotation", "name": "entire_frame_compile_data: fn_name=f, compile_id=0/0", "pid": 1, "tid": 1, "ts": 20, "dur": 1, "args": {}}]}
	END
	[ "$(ptool compile -q t.json --format csv | cut -d, -f1,4,14,15 | tail -1)" = '"0",0,1,90000' ]
}

@test "a kernel of a template for the CPU has its graph's number for a name" {
	cat >t.json <<-'END'
		{"schemaVersion": 1, "traceEvents": [
		{"ph": "X", "cat": "cpu_op", "name": "Torch-Compiled Region: 0/0", "pid": 1, "tid": 1, "ts": 10, "dur": 90, "args": {}},
		{"ph": "X", "cat": "cpu_op", "name": "graph_2_kernel", "pid": 1, "tid": 1, "ts": 20, "dur": 5, "args": {}},
		{"ph": "X", "cat": "cpu_op", "name": "graph_2_kernels", "pid": 1, "tid": 1, "ts": 30, "dur": 5, "args": {}},
		{"ph": "X", "cat": "cpu_op", "name": "graph_kernel", "pid": 1, "tid": 1, "ts": 40, "dur": 5, "args": {}}]}
	END
	[ "$(ptool compile -q t.json --by kernel --format csv | cut -d, -f1,5,8,9 | tail -n +2)" = '"graph_2_kernel","0/0",1,5000' ]
}

@test "filters choose kernels outside of regions by their launch, or where none is known by themselves" {
	python3 - <<-'END' >t.json
		import json
		def slice(cat, name, tid, ts, dur, **args):
		    return {"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": tid, "ts": ts, "dur": dur, "args": args}
		events = [slice("cpu_op", "Torch-Compiled Region: 0/0", 1, 0, 9)]
		events += [slice("user_annotation", f"ProfilerStep#{i}", 1, 100 * i, 90) for i in range(3)]
		for i, (tid, ts) in enumerate(((1, 10), (1, 110), (2, 120)), 1):
		    events += [slice("cuda_runtime", "cudaLaunchKernel", tid, ts, 2, correlation=i),
		               slice("kernel", f"triton_{i}", 7, ts + 80, 5, correlation=i, device=0, stream=7)]
		events.append(slice("kernel", "triton_4", 7, 210, 5, device=0, stream=7))
		print(json.dumps({"schemaVersion": 1, "traceEvents": events}))
	END
	kernels() {
		ptool compile -q t.json --by kernel --format csv "$@" | tail -n +2 | cut -d, -f1 | tr -dc '0-9'
	}
	[ "$(kernels)" = 1234 ]
	[ "$(kernels --time 0us..100us)" = 1 ]
	[ "$(kernels --time 205us..1ms)" = 4 ]
	[ "$(kernels --step 1)" = 23 ]
	[ "$(kernels --thread 1)" = 12 ]
}

@test "lines of kernels that torch wrote into the trace" {
	A=$FIXTURES/compile/compile_annotated.json.gz
	ptool compile -q "$A" --by kernel --wide | like_golden compile_lines.txt
	# files say more, and are told apart from what was recorded
	mkdir d
	echo '{"triton_poi_fused_sum_2": {"post_grad_nodes": ["n"], "stack_traces": ["  File \"b.py\", line 7, in g"]}}' >d/kernel_information.json
	ptool compile -q "$A" --by kernel --provenance d --format csv | grep '^"triton_poi_fused_sum_2".*,"n",,"b.py(7): g","kernel"'
	# of two profiles that are merged, each has its own; those of a run leave with it
	ptool ingest -q "$FIXTURES/compile/compile_anew.json.gz" -o a.db
	ptool ingest -q "$A" -o b.db
	ptool merge -q a.db b.db -o both.db
	ptool compile both.db --profile 2 --by kernel --wide | like_golden compile_lines.txt
	ptool ingest -q "$A" --run a
	ptool ingest -q "$A" --run b
	ptool rm -q a
	[ "$(ptool sql --format csv 'SELECT count(*) FROM kernel_source' | tail -1)" = 12 ]
	ptool compile --by kernel --wide | like_golden compile_lines.txt
}

@test "lists of stacks that are long, damaged or none" {
	python3 - <<-'END'
		import json
		def kernel(ts, stack):
		    return {"ph": "X", "cat": "kernel", "name": "triton_k", "pid": 0, "tid": 7, "ts": ts, "dur": 1,
		            "args": {"device": 0, "stream": 7, "stack": stack}}
		def call(n):
		    return '  File "m.py", line %d, in f\n    x\n' % n
		stacks = [[call(n) for n in range(100000)], [call(1), 7, call(2)], "text", 7, None, [], {"a": call(1)}, [[call(1)]],
		          [call(1) + call(2)], ["m.py(5): f"], ["no call"], ["", 'File "', 'File "m.py"', 'File "m.py", line x'],
		          ["m.py(5): f", "m.py(5): f"], ['File "é.py", line 3']]
		json.dump({"schemaVersion": 1, "traceEvents": [kernel(10 * i, s) for i, s in enumerate(stacks)]}, open("t.json", "w"))
	END
	ptool ingest -q t.json
	run -0 ptool sql --format csv "SELECT (s.ts / 10000) AS n, length(t.text) AS bytes, substr(t.text, 1, 30) AS lines FROM kernel_source k JOIN slice_row s ON s.id = k.slice_id JOIN string t ON t.id = k.lines_id"
	[ "$output" = $'n,bytes,lines\n0,4093,"m.py(0): f; m.py(1): f; m.py(2"\n1,10,"m.py(1): f"\n8,10,"m.py(2): f"\n9,10,"m.py(5): f"\n12,10,"m.py(5): f"\n13,9,"é.py(3): "' ] || { echo "$output"; false; }
}

@test "kernels that name the same nodes: what those were before is joined once" {
	local map=d/inductor_provenance_tracking_node_mappings.json
	mkdir d
	cat >t.json <<-'END'
		{"traceEvents": [
		  {"ph": "X", "cat": "kernel", "name": "triton_a", "pid": 0, "tid": 7, "ts": 1, "dur": 9, "args": {"device": 0, "stream": 7}},
		  {"ph": "X", "cat": "kernel", "name": "triton_b", "pid": 0, "tid": 7, "ts": 20, "dur": 8, "args": {"device": 0, "stream": 7}},
		  {"ph": "X", "cat": "kernel", "name": "triton_c", "pid": 0, "tid": 7, "ts": 40, "dur": 7, "args": {"device": 0, "stream": 7}}]}
	END
	ptool ingest -q -o t.db t.json
	before() {
		ptool compile -q t.db --by kernel --provenance d --format json |
			python3 -c 'import json, sys; print(*[r["pre_grad_nodes"] for r in json.load(sys.stdin)["rows"]], sep=" | ")'
	}
	cat >$map <<-'END'
		{"cppCodeToPost": {"triton_a": ["x"], "triton_b": ["x", "none", "y", "x"], "triton_c": ["z", "x"]},
		 "postToPre": {"x": ["p", "q", "p"], "y": ["r", "q", "s"], "z": []}}
	END
	[ "$(before)" = "p, q | p, q, r, s | p, q" ]
	# one long text, with escapes and without, of 17,000 kernels; 30 s of the processor before
	for text in '\n' 'n'; do
		python3 -c '
import json, sys
text = sys.argv[1].encode().decode("unicode_escape") * 120000
kernels = {"k%d" % i: ["x"] for i in range(17000)}
print(json.dumps({"cppCodeToPost": kernels | {"triton_a": ["x"], "triton_b": ["y", "x"]}, "postToPre": {"x": [text], "y": ["p"]}}))' "$text" >$map
		[ "$(ulimit -t 10; before)" = "... | p, ... | None" ]
	done
	# nodes of kernels that would take gigabytes
	python3 -c '
import json
print(json.dumps({"cppCodeToPost": {"k%d" % i: ["x", "y%d" % (i % 9)] for i in range(20000)},
                  "postToPre": {"x": ["n%d" % i * 200 for i in range(10)]} | {"y%d" % i: ["m%d" % i] for i in range(9)}}))' >$map
	run -4 --separate-stderr ptool compile -q t.db --by kernel --provenance d
	says "ptool: compile: $map: its kernels have more than 64 MiB of nodes"
}

@test "a region with a name of a megabyte is none" {
	limit=4000000
	[ -z "${SAN-}${TSAN-}${VALGRIND-}" ] || limit=unlimited
	mkdir d
	python3 -c '
import json
region = "(%sTorch-Compiled Region: %s%s, False)" % (chr(39), "0" * 1000000, chr(39))
print(json.dumps({region: {"k%d" % i: {} for i in range(50000)}}))' >d/kernel_information.json
	ptool ingest -q "$FIXTURES/compile/compile_trained.json.gz"
	(ulimit -v "$limit" && ptool compile -q --by kernel --provenance d -o rows.csv)
	ptool compile -q --by kernel -o without.csv
	cmp without.csv rows.csv
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
	[[ $stderr = *"d: it has no provenance files of Inductor ("* ]]
	run -4 --separate-stderr ptool compile --by kernel --provenance nowhere
	[[ $stderr = *"nowhere: No such file or directory" ]]
	# long lists that many kernels name, and deep ones
	python3 -c '
import json
n = 20000
print(json.dumps({"postToPre": {"x": ["n%d" % i for i in range(n)]}, "cppCodeToPost": {"k:%d" % i: ["x"] for i in range(n)}}))' \
		>d/inductor_provenance_tracking_node_mappings.json
	timeout 60 "$PTOOL" compile --by kernel --provenance d -o rows.csv
	python3 -c 'print("{\"k\": " + "[" * 70000 + "]" * 70000 + "}")' >d/kernel_information.json
	run -4 --separate-stderr ptool compile --by kernel --provenance d
}

# compilations: lines "id start" in us of a compilation, "region id start" of a call, "step n start".
compilations() {
	python3 -c '
import json, sys
events = []
def add(name, start, dur, cat="cpu_op"):
    events.append({"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": 1, "ts": start, "dur": dur})
for line in sys.stdin:
    *kind, what, start = line.split()
    if kind == ["step"]:
        add("ProfilerStep#" + what, int(start), 300, "user_annotation")
    elif kind:
        add("Torch-Compiled Region: " + what, int(start), 20)
    else:
        add("_compile.compile_inner (dynamo_timed)", int(start), 100)
        add("entire_frame_compile_data: compile_id=" + what + ", fn_name=f", int(start) + 1, 98)
json.dump({"schemaVersion": 1, "traceEvents": events}, sys.stdout)'
}

@test "notes of frames that were compiled again say no more than is known" {
	compilations >t.json <<-'END'
		0/0 0
		region 0/0 110
		0/1 200
		region 0/1 310
		step 5 600
		0/2 605
		region 0/2 720
	END
	ptool compile -q t.json >text
	grep -q "^note: torch compiled again 2 times, most often frame 0:" text
	# a filter leaves out the call of what was compiled
	ptool compile -q t.json --time 0..705us >text
	run ! grep -q "gives up" text
}

@test "a compilation whose analysis began anew is one" {
	compilations >t.json <<-'END'
		0/0 0
		region 0/0 110
		0/1 200
		0/1_1 305
		region 0/1 420
	END
	ptool compile -q t.json >text
	grep -q "^note: torch compiled again 1 time," text
	run ! grep -q "gives up" text
	[ "$(ptool compile -q t.json --by region --format csv | cut -d, -f2,5,14-16)" = $'region,calls,recompiles,compilations,compile_ns\n"0/0",1,0,1,100000\n"0/1",1,1,1,200000' ]
}

@test "lines of kernels are no nodes" {
	cat >t.json <<-'END'
		{"schemaVersion": 1, "traceEvents": [
		{"ph": "X", "cat": "cpu_op", "name": "Torch-Compiled Region: 0/0", "pid": 1, "tid": 1, "ts": 0, "dur": 100},
		{"ph": "X", "cat": "cpu_op", "name": "cpp_fused_relu_0", "pid": 1, "tid": 1, "ts": 10, "dur": 50}]}
	END
	mkdir d
	echo '{"cpp_fused_relu_0:1": ["  File \"a.py\", line 3, in f\n    x.relu()\n"]}' >d/inductor_provenance_tracking_kernel_stack_traces_0.json
	ptool compile -q t.json --by kernel --provenance d >text
	grep -q "^note: lines are known for 100.00% of kernel time" text
	run ! grep -q "nodes are known" text
}

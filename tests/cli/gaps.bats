#!/usr/bin/env bats
# ptool gaps: idle time by cause, single gaps, HTA's causes; what people see, and mistakes.

load setup

# Sums of the column idle_ns of a table for machines.
idle() { # OPTION...
	ptool gaps --format csv "$@" | python3 -c '
import csv, sys
print(sum(int(r["idle_ns"]) for r in csv.DictReader(sys.stdin)))'
}

@test "idle time by cause, as people read it" {
	ptool ingest -q "$GPU/sync.json"
	ptool gaps | like_golden gaps.txt
	ptool gaps --root | like_golden gaps_root.txt
	ptool gaps --list | like_golden gaps_list.txt
}

@test "machines get bare numbers, and null for what there is not" {
	ptool ingest -q --run gpu "$GPU/two_devices.json"
	ptool gaps --format csv | like_golden gaps.csv
	ptool gaps --by stream --limit 3 --format json | like_golden gaps_stream.json
}

@test "whatever the rows are for, they add up to the same" {
	ptool ingest -q "$GPU/sync.json"
	for by in cause op frame annotation step stream; do
		[ "$(idle --by $by)" -eq 72494 ]
		[ "$(idle --by $by --root)" -eq 72494 ]
		ptool gaps "$GPU/annotations.json" --by $by | grep 'is lost to' >>hints
	done
	[ "$(sort -u hints | wc -l)" -eq 1 ]
	ptool gaps --by frame | grep -q 'no Python frame was recorded .*with_stack=True'
	ptool gaps --by op | lacks 'was recorded'
	[ "$(idle --step 0)" -eq 36071 ]
	[ "$(idle --step 0..1)" -eq $((36071 + 36423)) ]
	[ "$(idle --time 300us..400us)" -eq 18747 ]
	[ "$(idle --time 0ns..380us)" -eq $((72494 - $(idle --time 380us..))) ]
}

@test "a single gap's time is pasted back, and chooses that gap" {
	ptool ingest -q "$GPU/sync.json"
	time=$(ptool gaps --list --limit 1 --format csv | tail -1 | grep -o '[0-9]*ns\.\.[0-9]*ns')
	[ "$time" = 263169ns..281549ns ]
	[ "$(ptool gaps --list --limit 1 | sed -n 2p | cut -d" " -f1)" = 263.169us..281.549us ]
	[ "$(idle --time 263.169us..281.549us)" -eq 18380 ]
	[ "$(idle --time "$time")" -eq 18380 ]
	[ "$(ptool gaps --list --time "$time" --format csv | wc -l)" -eq 2 ]
}

# The host is in aten::A and aten::B while the device waits from 100 to 200 us, then in aten::A.
@test "--limit counts those gaps of the list whose part of --time has what is focussed" {
	python3 - >two.json <<'END'
import json
x = {"ph": "X", "pid": 1, "tid": 1}
events = [{**x, "cat": "cpu_op", "name": f"aten::{name}", "ts": ts, "dur": dur} for name, ts, dur in (("A", 90, 60), ("B", 150, 45), ("A", 290, 18))]
for n, (launch, ts, dur) in enumerate(((5, 10, 90), (196, 200, 100), (309, 312, 20))):
    events += [{**x, "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": launch, "dur": 2, "args": {"correlation": n + 1}},
               {**x, "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": ts, "dur": dur, "args": {"device": 0, "stream": 7, "correlation": n + 1}}]
print(json.dumps({"schemaVersion": 1, "deviceProperties": [], "traceEvents": events}))
END
	ptool ingest -q two.json
	for limit in 0 1; do
		ptool gaps --list --focus aten::A --time 155us..400us --limit $limit >list
		grep -q '^295.000us..307.000us' list
		grep -q '^1 row$' list
	done
	run --separate-stderr ptool gaps --causes hta --limit 1
	exits 2
	# for programs that always give one
	ptool gaps --causes hta --limit 0 | grep -q host_wait
}

@test "--inner leaves out what lies before the first and after the last work" {
	ptool ingest -q "$GPU/sync.json"
	for by in cause op frame annotation step stream; do
		[ "$(idle --inner --by $by)" -eq 56932 ]
		[ "$(idle --inner --by $by --root)" -eq 56932 ]
	done
	[ "$(ptool gaps --inner --list -n 0 --format csv | wc -l)" -eq 6 ]
	run --separate-stderr ptool gaps --inner --causes hta
	exits 2
}

@test "-n shows so many rows of each device, whatever they are for" {
	ptool ingest -q --run gpu "$GPU/two_devices.json"
	for by in cause op frame annotation step stream; do
		[ "$(ptool gaps --by $by -n 1 --format csv | wc -l)" -eq 3 ]
	done
	[ "$(ptool gaps --format csv | wc -l)" -eq "$(ptool gaps -n 0 --format csv | wc -l)" ]
	ptool gaps -n 2 | grep -q '4 of 12 rows'
}

@test "filters choose gaps by stream, length and what is charged" {
	ptool ingest -q "$GPU/sync.json"
	[ "$(idle --stream 7)" -eq $((72494 - 4900)) ] # the last gap is of no stream
	[ "$(idle --min-dur 2us)" -eq $((72494 - 1224 - 995)) ]
	[ "$(idle --focus '^aten::item$')" -eq 9003 ]
	[ "$(idle --focus '^aten::item$' --root)" -eq 35854 ]
	run --separate-stderr ptool gaps --stream 99
	exits 3
	says "ptool: gaps: ptool.db: --stream 99: there are streams 1, 7, 20"
}

@test "HTA's causes, with another threshold" {
	ptool ingest -q "$GPU/sync.json"
	ptool gaps --causes hta --format csv | like_golden gaps_hta.csv
	[ "$(ptool gaps --causes hta --threshold 1us --format csv | grep -c other)" -eq 1 ]
}

@test "what was not recorded is said with exit 3" {
	ptool ingest -q "$TORCH/t2141_cnn_w0/trace.json.gz"
	run --separate-stderr ptool gaps
	exits 3
	says "ptool: gaps: ptool.db: no device work was recorded: profile with activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]"
	run --separate-stderr ptool gaps --list
	exits 3
	run --separate-stderr ptool gaps --causes hta
	exits 3
}

@test "mistakes are exit 2, missing input 4" {
	ptool ingest -q "$GPU/sync.json"
	run --separate-stderr ptool gaps --lst
	exits 2
	[[ $stderr == *"--list"* ]]
	for wrong in "--by what" "--cat kernel" "--thread 1" "--list --by op" "--causes hta --root" \
		"--threshold 5us" "--causes hta --threshold 5" "--limit -1"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr ptool gaps $wrong
		exits 2
	done
	run --separate-stderr ptool gaps nothing.json
	exits 4
}

@test "a long gap's note ends with what is innermost, and names the user's own frame" {
	cat >long.json <<-'END'
	{"schemaVersion": 1, "traceEvents": [
	{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1009","pid":1,"tid":1,"ts":0,"dur":100},
	{"ph":"X","cat":"python_function","name":"train.py(30): my_step","pid":1,"tid":1,"ts":1,"dur":99},
	{"ph":"X","cat":"python_function","name":"torch/nn/modules/module.py(1): call","pid":1,"tid":1,"ts":2,"dur":60},
	{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":55,"dur":2,"args":{"correlation":5}},
	{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":60,"dur":20,"args":{"correlation":5,"device":0,"stream":7}}
	]}
	END
	ptool ingest -q long.json
	ptool gaps --list --wide | grep -q 'in train.py(30): my_step; .*module.py(1): call$'
	[ "$(ptool gaps --list --format csv | grep -c 'train.py(30): my_step"$')" -eq 2 ]
	# a launch that is late is of the frame that launched, and a step's number has no comma
	[ "$(idle --by frame --focus cudaLaunch)" -eq 5000 ]
	ptool gaps --by frame --format csv | grep -q '"torch/nn/modules/module.py(1): call".*,58000,'
	ptool gaps --by step | grep -q '^1009 '
	# a name that is longer than what a note has room for is shortened, not left out
	sed "s/train.py(30): my_step/$(printf 'very::%.0s' {1..60})op<float>/; s/torch.nn.mod.*call/aten::mm/" \
		long.json | sed 's/python_function/cpu_op/; /aten::mm/d' >name.json
	ptool gaps --list name.json | grep -q '; \.\.\. > op<float>$'
}

@test "a long name around all gaps is in memory once" {
	python3 -c '
import json
def event(cat, name, tid, ts, dur, **args):
    return {"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": tid, "ts": ts, "dur": dur, "args": args}
events = [event("user_annotation", "x" * 500000, 1, 0, 20020)]
for i in range(1000):
    events.append(event("cuda_runtime", "cudaLaunchKernel", 1, i * 20 + 3, 1, correlation=i))
    events.append(event("kernel", "gemm", 7, i * 20 + 6, 2, correlation=i, device=0, stream=7))
print(json.dumps({"schemaVersion": 1, "traceEvents": events}))' >long.json
	ptool ingest -q long.json
	limit=300000
	[ -z "${SAN-}${TSAN-}${VALGRIND-}" ] || limit=unlimited
	(ulimit -v "$limit"; ptool gaps --list --limit 0 --format csv | wc -l) >lines
	[ "$(cat lines)" -eq 1000 ]
	(ulimit -v "$limit"; ptool export --to chrome -o out.json)
	[ "$(wc -c <out.json)" -lt 4000000 ]
	(ulimit -v "$limit"; ptool export --to pftrace -o out.pftrace)
}

@test "tables fit 80 columns" {
	ptool ingest -q "$GPU/graph.json"
	for options in "" --root --list "--by op" "--by step" "--causes hta"; do
		# shellcheck disable=SC2086 # words
		python3 "$BATS_TEST_DIRNAME/on_terminal.py" 80 "$PTOOL" gaps --no-pager --color never $options >shown
		[ -s shown ]
		lacks -E '^.{81}' <shown
	done
	python3 "$BATS_TEST_DIRNAME/on_terminal.py" 80 "$PTOOL" gaps --no-pager --color never >shown
	grep -q '^Cause .*Longest' shown # causes are whole
	lacks '^[A-Za-z-]*…' <shown
}

@test "recordings of JAX and TensorFlow get no advice for PyTorch" {
	local file
	for file in xprof_gpu xprof_gpu_stream; do
		ptool gaps -q "$FIXTURES/chrome/$file.json.gz" > out
		ptool gaps -q --by frame "$FIXTURES/chrome/$file.json.gz" >> out
		ptool advise -q "$FIXTURES/chrome/$file.json.gz" >> out
		grep -q -e 'jax.jit' -e host_tracer_level out
		lacks -i -e torch -e with_stack -e ProfilerActivity -e DataLoader <out
	done
	run --separate-stderr ptool gaps -q "$FIXTURES/chrome/jax.json.gz"
	exits 3
	says "ptool: gaps: $FIXTURES/chrome/jax.json.gz: no device work was recorded"
}

# As many devices that wait at once for one thread, and as many names that it is in.
waiting() { # DEVICES NAMES FILE
	python3 - "$@" <<'END'
import json, sys
devices, names = int(sys.argv[1]), int(sys.argv[2])
def x(tid, name, ts, cat, dur=1, pid=9999, **args):
    return {"ph": "X", "pid": pid, "tid": tid, "name": name, "ts": ts, "dur": dur, "cat": cat, "args": args}
events = []
for ts in (0, 20 * (devices + names)):
    for d in range(devices):
        events += [x(1, "cudaLaunchKernel", ts + 4 * d, "cuda_runtime", correlation=ts + d + 1),
                   x(7, "gemm", ts + 4 * d + 2, "kernel", pid=d, device=d, stream=7, correlation=ts + d + 1)]
for i in range(names):
    events += [x(1, f"op {i}", 4 * devices + 20 * i, "cpu_op", 15),
               x(1, "cudaMalloc", 4 * devices + 20 * i + 2, "cuda_runtime", 5)]
json.dump(events, open(sys.argv[3], "w"))
END
}

@test "too many names for so many devices are left out, and a note says so" {
	waiting 400 1500 waiting.json
	ptool ingest -q --summaries yes waiting.json
	[ "$(ptool sql --format csv 'SELECT count(*) FROM gap_part' | tail -1)" -eq 0 ]
	run -0 --separate-stderr ptool gaps --limit 1
	grep -q '^note: 400 devices wait for too many names to tell them apart' <<<"$output"
	ptool gaps --list --limit 1 | grep -q '^note: 400 devices wait for too many names'
	ptool gaps --by op | lacks 'was recorded'
	# what is charged to causes is whole
	ptool gaps --format csv >left
	ptool gaps --by step --format csv >step
	python3 - <<'END'
import csv
for name in ("left", "step"):
    rows = list(csv.DictReader(open(name)))
    for device in range(400):
        of = [r for r in rows if int(r["device"]) == device]
        assert sum(int(r["idle_ns"]) for r in of) == int(of[0]["device_idle_ns"]), device
END
	run --separate-stderr ptool gaps --focus 'op 1'
	exits 2
	says 'ptool: gaps: 400 devices wait for too many names to choose by them; --time or --step leaves fewer'
	# less time, and few devices, have all
	ptool gaps --limit 1 --time 0..9ms | lacks 'too many names'
	waiting 40 1500 few.json
	ptool gaps -q few.json >few
	lacks 'too many names' <few
	grep -q 'op 0' few
}

@test "too many steps for so many devices are one window, and a note says so" {
	steps_of_many_devices 5 >many.json
	ptool ingest -q many.json
	run -0 --separate-stderr ptool gaps
	grep -q '^note: 1500 devices have too many steps to tell apart' <<<"$output"
	grep -q 'device 7: idle 44.985 ms (100.0%) of 44.990 ms of recording' <<<"$output"
	ptool gaps --by step | lacks 'no step was recorded'
	run -0 --separate-stderr ptool gaps --step 0..9
	grep -q 'device 7: idle 195.000 us (97.5%) of 200.000 us in 10 steps' <<<"$output"
	run -2 --separate-stderr ptool diff --by idle ptool.db ptool.db
	run -0 --separate-stderr ptool diff --by idle --step 0..9 ptool.db ptool.db
	run -0 ptool advise
}

@test "too many steps of no length for so many devices have no idle time" {
	python3 - >empty.json <<'END'
import json
x = {"ph": "X", "tid": 1, "ts": 0, "dur": 0}
print(json.dumps([{**x, "pid": 9999, "cat": "user_annotation", "name": f"ProfilerStep#{n}", "ts": n} for n in range(1001)]
                 + [{**x, "pid": n, "cat": "kernel", "name": "k", "dur": 9, "args": {"device": n, "stream": 7}} for n in range(2000)]))
END
	run -0 --separate-stderr ptool gaps -q empty.json
	grep -q 'device 7: idle 0 ns (0.0%) of 0 ns of recording, 0 gaps' <<<"$output"
}

@test "nobody is told to record what was recorded" {
	python3 - >stacks.json <<'END'
import json
x = {"ph": "X", "pid": 1, "tid": 1}
events = [{**x, "cat": "cpu_op", "name": "aten::mm", "ts": 0, "dur": 5}, {**x, "cat": "python_function", "name": "a.py(1): f", "ts": 0, "dur": 5}]
for ts in (1, 900):
    events += [{**x, "cat": "cuda_runtime", "name": "cudaLaunchKernel", "ts": ts, "dur": 2, "args": {"correlation": ts}},
               {**x, "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": ts + 4, "dur": 100, "args": {"device": 0, "stream": 7, "correlation": ts}}]
print(json.dumps({"schemaVersion": 1, "with_stack": 1, "deviceProperties": [], "traceEvents": events}))
END
	ptool ingest -q stacks.json
	ptool gaps | grep -q 'no Python frame was recorded then: py-spy'
	ptool gaps --by frame --time 10us.. >frames
	grep -q 'note: no Python frame was recorded at these times$' frames
	lacks with_stack <frames
	ptool gaps --by op --time 10us.. | grep -q 'note: no operator was recorded at these times$'
}

@test "a step of no length leaves the one that begins with it its idle time" {
	python3 - >zero.json <<'END'
import json
x = {"ph": "X", "pid": 1, "tid": 1}
steps = [{**x, "cat": "user_annotation", "name": f"ProfilerStep#{n}", "ts": ts, "dur": dur}
         for n, ts, dur in ((0, 0, 0), (1, 0, 1000), (2, 1000, 1000))]
print(json.dumps(steps + [{**x, "pid": 0, "cat": "kernel", "name": "k", "ts": ts, "dur": 40, "args": {"device": 0, "stream": 7}}
                          for ts in (160, 660, 1260)]))
END
	[ "$(ptool gaps -q --by step --format csv zero.json | cut -d, -f4 | paste -sd' ')" = 'step 1 2' ]
	ptool gaps -q --step 1 zero.json | grep -q '(92.0%) of 1.000 ms in 1 step, 3 gaps'
}

@test "a long wait for an event that is nobody's: where to look, and no promise" {
	python3 - >unknown.json <<'END'
import json
x = {"ph": "X", "pid": 1, "tid": 1}
kernel = {**x, "cat": "kernel", "pid": 0}
print(json.dumps([
    {**x, "cat": "user_annotation", "name": "ProfilerStep#1", "ts": 0, "dur": 9000},
    {**x, "cat": "cuda_runtime", "name": "hipLaunchKernel", "ts": 5, "dur": 3, "args": {"correlation": 1}},
    {**kernel, "name": "first", "ts": 20, "dur": 5, "args": {"device": 0, "stream": 2, "correlation": 1}},
    {**x, "cat": "cuda_runtime", "name": "hipStreamWaitEvent", "ts": 12, "dur": 2, "args": {"correlation": 2}},
    {**x, "cat": "cuda_runtime", "name": "hipLaunchKernel", "ts": 16, "dur": 3, "args": {"correlation": 3}},
    {**kernel, "name": "second", "ts": 8000, "dur": 900, "args": {"device": 0, "stream": 3, "correlation": 3}},
    {**x, "cat": "cpu_op", "name": "aten::copy_", "ts": 50, "dur": 8900}]))
END
	ptool gaps -q --width 400 unknown.json >rows
	grep -q "lost to 'wait for an event' (second): look at what other streams run until then" rows
	ptool advise -q --width 400 unknown.json >rows
	grep -q 'wait for an event (mostly second); 7.975 ms a step' rows
	ptool gaps -q --by annotation --width 400 unknown.json | grep -q '^note: no annotation but those of steps was recorded at these times'
}

@test "links of the column chain are cut: callers at 256 bytes, what is charged at 1,024" {
	python3 - <<-'END'
		import json
		call = lambda cat, name, ts, dur, pid, tid, **args: {"ph": "X", "cat": cat, "name": name, "ts": ts, "dur": dur, "pid": pid, "tid": tid, "args": args}
		events = [call("cpu_op", "o" * 257, 100, 400, 1, 1), call("cpu_op", "i" * 1025, 200, 200, 1, 1)]
		for i, ts in (1, 110), (2, 380):
		    events += [call("cuda_runtime", "cudaLaunchKernel", ts, 5, 1, 1, correlation=i),
		               call("kernel", "k", ts + 10, 20, 0, 7, correlation=i, device=0, stream=7)]
		json.dump({"schemaVersion": 1, "traceEvents": events}, open("a.json", "w"))
	END
	ptool ingest -q a.json
	ptool gaps --list --limit 1 --format json >gaps
	python3 -c 'import json
assert json.load(open("gaps"))["rows"][0]["chain"] == "o" * 256 + " > " + "i" * 1024'
}

#!/usr/bin/env bats
# Sampled stacks: what ingest makes of the files of profilers that sample, and the commands on them.

load setup

SAMPLES=$FIXTURES/samples

# Rows of ptool top as CSV without its title.
top() { # ARGUMENT...
	ptool top -q --format csv --limit 0 "$@" | tail -n +2 | tr -d '"'
}

@test "collapsed stacks: frames of several tools, threads, and weights summed exactly" {
	run --separate-stderr ptool ingest "$SAMPLES/perf.txt"
	exits 0
	says "ptool: ingest: $SAMPLES/perf.txt: 3 stacks, 1 warning or error; 'ptool doctor' lists it"
	[ "$(ask ptool.db 'SELECT format, dialect FROM profile')" = 'samples|collapsed' ]
	[ "$(ask ptool.db 'SELECT unit, decimals, weight, samples FROM sample_series')" = 'count|2|875|' ]
	# recursion counts once in the total: 7 of loop and of inner
	[ "$(top ptool.db | grep -c .)" = 6 ]
	top ptool.db | grep -qx ',,loop,,,0,7'
	top ptool.db | grep -qx ',,read,,,1.75,1.75'
	top ptool.db | grep -qx ',,java,,,0,8.75'
}

@test "collapsed stacks of py-spy: threads and processes are no frames, lines are a detail" {
	ptool ingest -q "$SAMPLES/pyspy_raw.txt"
	[ "$(ask ptool.db "SELECT pid, process, name FROM sample_thread ORDER BY tid LIMIT 1")" = \
		'4242|python w_long.py|MainThread' ]
	[ -z "$(ask ptool.db "SELECT 1 FROM v_sample WHERE function LIKE 'thread (%'")" ]
	[ "$(top ptool.db | awk -F, '{ n += $5 } END { print n }')" = \
		"$(awk '{ n += $NF } END { print n }' "$SAMPLES/pyspy_raw.txt")" ]
	[ "$(top ptool.db --by line | wc -l)" -gt "$(top ptool.db | wc -l)" ]
	top ptool.db --thread MainThread --by thread | grep -q MainThread
	! top ptool.db --thread MainThread --by thread | grep -q wrk-0
	# a function may be called so
	printf 'thread (worker.py:12);run (worker.py:20) 5\nthread (7) x (a.py:1) 3\n' >raw
	[ "$(top raw)" = $'worker.py,,run,5,5,5,5\na.py,,thread (7) x,3,3,3,3\nworker.py,,thread,5,0,0,5' ]
}

@test "a frame's place is behind the bracket that its end closes, and no place is a function" {
	printf 'f (C:\\Program Files (x86)\\x.py:3);g (/data (old)/x.py:9) 2\n' >raw
	[ "$(top raw)" = $'/data (old)/x.py,,g,2,2,2,2\nC:\\Program Files (x86)\\x.py,,f,2,0,0,2' ]
	# V8 in perf has a line and a column
	printf 'node;LazyCompile:*foo /home/u/app.js:10:15 5\n' >raw
	[ "$(top raw | head -n 1)" = ',,LazyCompile:*foo /home/u/app.js:10:15,5,5,5,5' ]
	# profiling.sampling writes the file of all frames, without its folder
	printf 'tid:7;gunicorn:<module>:8;~:<GC>:0 5\n' >raw
	[ "$(top raw)" = $',,<GC>,5,5,5,5\ngunicorn,,<module>,5,0,0,5' ]
}

@test "py-spy's stacks begin with <module> where it writes no threads; markup is none" {
	printf '<module> (a.py:1);f (a.py:2) 3\n<module> (a.py:1) 1\n' >raw
	[ "$(top raw)" = $'a.py,,f,3,3,3,3\na.py,,<module>,4,1,1,4' ]
	printf '<html>&amp;\n<p>a;b\n' >page
	run --separate-stderr ptool top page
	[[ $stderr == *'byte 0: no known format'* ]]
}

@test "Austin's microseconds and bytes are series of their own, idle samples no CPU time" {
	ptool ingest -q "$SAMPLES/austin.txt"
	[ "$(ask ptool.db 'SELECT coalesce(measure, mode), unit, samples, weight FROM sample_series ORDER BY id')" = \
		$'wall|ns|4|500000\ncpu|ns|3|400000\nmemory-alloc|bytes|1|4096\nmemory-dealloc|bytes|1|1024' ]
	top ptool.db | grep -qx 'app.py,,work,3,3,400000,400000'
	top ptool.db | grep -qx 'lib/threading.py,,wait,1,1,100000,100000'
	! top ptool.db --no-idle | grep -q wait
	! top ptool.db --mode cpu | grep -q wait
	top ptool.db --series memory-alloc | grep -qx 'app.py,,work,1,1,4096,4096'
	run --separate-stderr ptool top ptool.db
	[[ $output == *'also recorded: cpu (time), memory-alloc (bytes), memory-dealloc (bytes); --series shows it'* ]]
	run --separate-stderr ptool top --mode gil ptool.db
	exits 3
}

@test "--no-idle knows qualified names, as of py-spy 0.4.3" {
	printf 'thread (1): a;f (a.py:1);Event.wait (threading.py:655);Condition.wait (threading.py:355) 5
thread (2): b;f (a.py:1);EpollSelector.select (selectors.py:468) 6
thread (3): c;f (a.py:1);Thread.join (threading.py:1119);Thread._wait_for_tstate_lock (threading.py:1139) 7
thread (4): d;f (a.py:1);Basket.select (a.py:2) 8\n' > a.txt
	[ "$(top a.txt --no-idle)" = $'a.py,,Basket.select,8,8,8,8\na.py,,f,8,0,0,8' ]
}

@test "diff, pstats and export choose among what was sampled" {
	file=$SAMPLES/austin.txt
	ptool pstats -q "$file" --format csv | grep -q wait
	! ptool pstats -q "$file" --no-idle --format csv | grep -q wait
	! ptool diff -q "$file" "$file" --mode cpu --format csv | grep -q wait
	! ptool diff -q "$file" "$file" --no-idle --format csv | grep -q wait
	[ "$(ptool export -q --to folded "$file" --series memory-alloc)" = '<module> (app.py);work (app.py) 4096' ]
	! ptool export -q --to speedscope "$file" --no-idle | grep -q wait
	! ptool export -q --to callgrind "$file" --mode cpu | grep -q wait
}

@test "speedscope is written by thread, and read again with them" {
	printf 'process 4:"python x.py";thread (7): main;f (a.py:1) 5
process 4:"python x.py";thread (9): other;f (a.py:1);g (a.py:2) 6\n' > a.txt
	ptool export -q --to speedscope a.txt -o a.speedscope.json
	[ "$(grep -o '"name":"Process[^}]*",' a.speedscope.json | cut -d, -f1)" = \
		$'"name":"Process 4 Thread 7 \\"main\\""\n"name":"Process 4 Thread 9 \\"other\\""' ]
	[ "$(top a.speedscope.json --by thread | cut -d, -f1-4,7-)" = "$(top a.txt --by thread | cut -d, -f1-4,7-)" ]
	ptool export -q --to speedscope "$SAMPLES/austin.txt" -o b.speedscope.json
	ptool ingest -q -o b.db b.speedscope.json
	[ "$(ask b.db 'SELECT DISTINCT mode FROM sample_series ORDER BY 1')" = $'allocation\nwall' ]
}

@test "stacks of torch's export_stacks() are microseconds" {
	ptool ingest -q "$SAMPLES/torch_stacks.txt"
	[ "$(ask ptool.db 'SELECT unit, is_rounded, weight FROM sample_series')" = 'ns|1|150000' ]
	top ptool.db | grep -qx 'model.py,,forward,,,120000,120000'
	# the first stack may end in a built-in, and times have no decimals
	printf 'train.py(20):_f;<built-in_method_conv2d> 120\ntrain.py(20):_f 30.5\n' >torch.txt
	ptool ingest -q -o other.db torch.txt
	[ "$(ask other.db 'SELECT dialect, unit, weight FROM profile, sample_series')" = 'torch-stacks|ns|120000' ]
	run --separate-stderr ptool ingest - <<<'train.py(20):_f;x 30.5'
	exits 4
	[[ $stderr == *'line 1: a time of export_stacks() is a whole number' ]]
}

@test "Austin's memory mode shows what was allocated, whatever the first line is" {
	printf '# austin: 3.7.0\n# mode: memory\n\nP1;T0:7;/a.py:f:4 -1024\nP1;T0:7;/a.py:f:3 2048\n' >memory.txt
	[ "$(top memory.txt)" = '/a.py,,f,1,1,2048,2048' ]
}

@test "what no line of a collapsed file is, is told in one line" {
	for bad in 'a;b -5' 'a;b 99999999999999999999999' 'a;b x' 'a;b 5 7'; do
		printf '%s\n' "$bad" >bad.txt
		run --separate-stderr ptool ingest bad.txt
		exits 4
		[ "${#stderr_lines[@]}" = 1 ]
	done
	run --separate-stderr ptool ingest --strict "$SAMPLES/perf.txt"
	exits 4
}

@test "a speedscope file: units apart, equal frames one, exact nanoseconds, its own order kept" {
	ptool ingest -q "$SAMPLES/evented.speedscope.json"
	[ "$(ask ptool.db 'SELECT format, dialect FROM profile')" = 'samples|speedscope' ]
	[ "$(ask ptool.db 'SELECT unit, decimals, samples, weight, start_at, end_at FROM sample_series ORDER BY id')" = \
		$'ns|0||11000000|1500000|12500000\nns|0|4|40000000|0|40000000\nbytes|0|2|5000|0|5000\ncount|2|2|175|0|2' ]
	[ "$(ask ptool.db 'SELECT pid, tid, name FROM sample_thread')" = '4|31|worker; one' ]
	top ptool.db | diff - <(
		printf '%s\n' 'app.py,,größe,,,23249999,25000000' 'app.py,,main,,,12250001,41000000' ',,read,,,5500000,5500000'
	)
	top ptool.db --series allocations | grep -qx 'app.py,,main,2,1,4096,5000'
	top ptool.db --series 4 | grep -qx ',,read,1,1,1.25,1.25'
	# events last from one to the next
	[ "$(ask ptool.db 'SELECT ts, weight FROM sample_row WHERE series_id = 1')" = \
		$'1500000|500000\n2000000|250000\n2250000|1750001\n4000001|2999999\n7000000|5500000' ]
}

@test "a second JSON text behind the first is told, and a cut one is no trace of torch" {
	for file in evented.speedscope.json pyinstrument_5.json; do
		cat "$SAMPLES/$file" "$SAMPLES/$file" >two.json
		run --separate-stderr ptool doctor --format csv two.json
		[[ $output == *'"trailing_bytes",,1,'"$(wc -c <"$SAMPLES/$file")"* ]]
		run --separate-stderr ptool ingest --strict -o strict.db two.json
		exits 4
	done
	head -c 2500 "$SAMPLES/pyinstrument_5.pyisession" >cut.pyisession
	run --separate-stderr ptool top cut.pyisession
	[[ $stderr == *'what came after is missing: copy or record it again'* ]]
}

@test "folded stacks of a call graph and pprof of samples keep names and files" {
	printf '%s\n' "{built-in method builtins.exec};w.py:1(<module>) 7" \
		"{built-in method builtins.exec} 2" >exec.folded
	ptool top -q --format csv exec.folded | grep -q '"{built-in method builtins.exec}",9,2,2,9$'
	printf '%s\n' 'main (lib/w.py);load (<frozen abc>) 3' 'main (lib/w.py);mm(a, b) (x y) 2' >a.folded
	ptool export -q --to pprof -o a.pprof a.folded
	diff <(ptool top -q --format csv a.folded) <(ptool top -q --format csv a.pprof)
	ptool top -q --format csv a.pprof | grep -q '^"lib/w.py",,"main",'
}

@test "diff of samples compares weights, and calls them no calls" {
	printf '%s\n' 'main;busy 45' 'main;busy;gen 85' 'main;wait 9' >old.folded
	printf '%s\n' 'main;busy 33' 'main;busy;gen 83' 'main;wait 1' >new.folded
	run --separate-stderr ptool diff -q old.folded new.folded
	exits 0
	[[ $output == *'self samples 139 -> 117 '*'self samples a run by function'* ]]
	[[ $output == *'in busy (-12)'* && $output == *' Change %'* && $output != *alls* ]]
	tr -s ' ' <<<"$output" | grep -qx 'busy 45 33 -12 -26.67'
	tr -s ' ' <<<"$output" | grep -qx 'wait 9 1 -8 -88.89'
	ptool diff -q --format csv old.folded new.folded |
		grep -q '^"busy",,"changed",,,45,33,-12,-26.6[0-9]*,,,,,,"self"$'
}

@test "what pyinstrument calls [self] in a speedscope file is the function's own" {
	cat >self.json <<-'EOF'
		{"$schema": "https://www.speedscope.app/file-format-schema.json", "exporter": "pyinstrument",
		"shared": {"frames": [{"name": "busy", "file": "w.py", "line": 25},
		{"name": "[self]", "file": null, "line": null}, {"name": "[self]", "file": "w.py", "line": 1}]},
		"profiles": [{"type": "evented", "name": "CPU", "unit": "seconds", "startValue": 0, "endValue": 9,
		"events": [{"type": "O", "frame": 0, "at": 0}, {"type": "O", "frame": 1, "at": 1},
		{"type": "C", "frame": 1, "at": 3}, {"type": "O", "frame": 2, "at": 5},
		{"type": "C", "frame": 2, "at": 9}, {"type": "C", "frame": 0, "at": 9}]}]}
	EOF
	ptool ingest -q self.json
	[ "$(ptool top --format csv ptool.db | cut -d, -f3,6,7 | tail -n +2)" = \
		$'"busy",5000000000,9000000000\n"[self]",4000000000,4000000000' ]
}

@test "a speedscope file whose texts are no JSON is mended, and each kind of damage told" {
	cat >a.json <<-'EOF'
		{"$schema": "https://www.speedscope.app/file-format-schema.json",
		"shared": {"frames": [{"name": "say "hi" now"}, {"name": "C:\path\x", "file": 'b.py'}]},
		version: 1,
		"profiles": [{"type": "sampled", "name": "t", "unit": "seconds", "startValue": 0, "endValue": 2,
		"samples": [[0], [0,1]], "weights": [0.5, 1.5]}]}
	EOF
	ptool ingest -q a.json
	[ "$(ask ptool.db 'SELECT group_concat(code) FROM finding')" = 'name_repaired,escape,single_quotes,bare_key' ]
	ask ptool.db 'SELECT text FROM string' | grep -qxF 'say "hi" now'
	ask ptool.db 'SELECT text FROM string' | grep -qxF 'C:\path\x'
	run -4 --separate-stderr ptool ingest -q --strict -o strict.db a.json
}

# A speedscope file with one profile of these members; its frame is f.
profile_of() { # MEMBERS FILE
	printf '{"$schema":"https://www.speedscope.app/file-format-schema.json",' >"$2"
	printf '"shared":{"frames":[{"name":"f"}]},"profiles":[{"name":"a",%s}]}\n' "$1" >>"$2"
}

refused() { # FILE MESSAGE
	run -4 --separate-stderr ptool ingest -q -o refused.db "$1"
	[[ $stderr == "ptool: ingest: $1: byte "*": $2" ]]
}

@test "a speedscope file says the same whatever the order of its keys" {
	start='"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"a"}]}'
	unit='"type":"sampled","unit":"seconds"' range='"startValue":0,"endValue":1' lists='"samples":[[0],[0]],"weights":[1,1]'
	name='"name":"Process 4 Thread 7 \"w\""'
	all_of() { # MEMBER...
		local IFS=,
		echo "{$*}" >a.json
		rm -f a.db
		ptool ingest -q -o a.db a.json
		ask a.db 'SELECT thread, series, function, weight, samples FROM v_sample'
		ask a.db 'SELECT code, count FROM finding'
	}
	all_of "$start" '"exporter":"memray"' "\"profiles\":[{$unit,$name,$range,$lists}]" >memray
	[ "$(head -n 1 memray)" = 'w|Process 4 Thread 7 "w"|a|2000000000|2' ]
	all_of "$start" "\"profiles\":[{$unit,$lists,$range,$name}]" '"exporter":"memray"' | cmp - memray
	# py-spy 0.3.8 meant parts of what the profile lasts
	all_of "$start" '"exporter":"py-spy@0.3.8"' "\"profiles\":[{$unit,$name,$range,$lists}]" >pyspy
	[ "$(head -n 1 pyspy)" = 'w|Process 4 Thread 7 "w"|a|1000000000|2' ]
	all_of "$start" "\"profiles\":[{$lists,$unit,$range,$name}]" '"exporter":"py-spy@0.3.8"' | cmp - pyspy
}

@test "what a speedscope profile has twice is refused: its weights were those of no sample" {
	ones=$(yes 1.0, | head -n 200000 | tr -d '\n')
	sampled='"type":"sampled","unit":"seconds","startValue":0,"endValue":1'
	profile_of "$sampled,\"samples\":[[0]],\"weights\":[1.0],\"samples\":[],\"weights\":[${ones}2.5]" a.json
	refused a.json 'profile 1 has a second "samples"'
	# of a file that is cut, too
	head -c 700000 a.json >cut.json
	refused cut.json 'profile 1 has a second "samples"'
	profile_of '"type":"sampled","unit":"none","samples":[[0],[0]],"weights":[0.5,2],"unit":"seconds"' a.json
	refused a.json 'profile 1 has a second "unit"'
	profile_of '"type":"evented","unit":"none","events":[],"events":[]' a.json
	refused a.json 'profile 1 has a second "events"'
}

@test "processes of a Firefox profile have the tables that each shares, or the outermost" {
	tables() { # NAME
		printf '"shared":{"stringArray":["%s"],"stackTable":{"prefix":[null],"frame":[0]},"frameTable":{"func":[0]},"funcTable":{"name":[0]}},' "$1"
	}
	threads='"threads":[{"pid":1,"samples":{"stack":[0],"time":[0]}}]'
	printf '{"meta":{"preprocessedProfileVersion":50},"processes":[{%s%s},{%s},{%s%s}],%s%s}' "$(tables alpha)" "$threads" \
		"$threads" "$(tables beta)" "$threads" "$(tables outermost)" "$threads" >gecko.json
	[ "$(top gecko.json)" = $',,outermost,2,2,2,2\n,,alpha,1,1,1,1\n,,beta,1,1,1,1' ]
}

@test "a tree of pyinstrument that is null has no sample" {
	printf '{"start_time":1,"duration":0.5,"sample_count":0,"root_frame":null}' >a.json
	refused a.json 'the profile has no sample: its tree is no object'
}

@test "pyinstrument's thread is one only where a stack begins, whatever came before" {
	thread='"W\u0000<thread>\u00007"' f='"f\u0000a.py\u00001"'
	sample_in() { # FIRST SECOND
		printf '{"frame_records":[[[%s,%s],1.0],[[%s,%s],2.0]],"start_call_stack":[]}' "$1" "$2" "$2" "$1" >a.json
		rm -f a.db; ptool ingest -q -o a.db a.json
		ask a.db "SELECT coalesce(thread, '-'), function, weight FROM v_sample ORDER BY weight"
	}
	sample_in "$thread" "$f" >first
	[ "$(cat first)" = $'W|f|1000000000\n-|W|2000000000' ]
	[ "$(sample_in "$f" "$thread")" = $'-|W|1000000000\nW|f|2000000000' ]
}

@test "lists that other profiles in JSON have twice are refused: they were added up" {
	node='{"id":1,"callFrame":{"functionName":"f","scriptId":"1","url":"a.js","lineNumber":1,"columnNumber":0}}'
	lists='"samples":[1],"timeDeltas":[1]'
	printf '{"nodes":[%s],"startTime":0,"endTime":9,%s,%s}' "$node" "$lists" "$lists" >a.cpuprofile
	refused a.cpuprofile 'a list of the profile is there twice'
	printf '{"nodes":[%s"children":[2],"children":[3]}],%s}' "${node%\}}," "$lists" >b.cpuprofile
	refused b.cpuprofile 'a node has a second list of children'
	printf '{"meta":{"preprocessedProfileVersion":47},"threads":[],"threads":[]}' >gecko.json
	refused gecko.json 'a second list of threads'
	printf '{"meta":{"preprocessedProfileVersion":47},"processes":[],"processes":[]}' >gecko.json
	refused gecko.json 'a second list of processes'
	printf '{"elapsed_time_sec":1,"files":{"a.py":{"lines":[],"lines":[]}}}' >scalene.json
	refused scalene.json "a second list of a file's lines"
	printf '{"elapsed_time_sec":1,"files":{},"files":{}}' >scalene.json
	refused scalene.json 'a second object of files'
	printf '{"sample_count":1,"root_frame":{"function":"f","time":1,"children":[],"children":[]}}' >tree.json
	refused tree.json 'a function has a second list of children'
	# of a trace the last list of devices counts
	device='"deviceProperties":[{"id":0,"name":"%s"}],'
	printf "{\"schemaVersion\":1,$device$device" A B >a.json
	printf '"traceEvents":[{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":2,"args":{"device":0}}]}' >>a.json
	ptool ingest -q a.json
	[ "$(ask ptool.db 'SELECT name FROM device')" = B ]
}

@test "sampled files that contradict themselves are refused: one of two was taken, or both" {
	node='{"id":2,"callFrame":{"functionName":"f","url":"a.js","lineNumber":1}}'
	printf '{"nodes":[%s,%s],"startTime":0,"endTime":9,"samples":[2],"timeDeltas":[1]}' "$node" "$node" >a.cpuprofile
	refused a.cpuprofile 'two nodes have the id 2'
	PYTHONPATH=$TESTS/bench python3 -c 'import stack_files as f
location = f.field(4, f.field(1, 1) + f.field(4, f.field(1, 1)))
f.pprof(".", f.field(5, f.field(1, 1) + f.field(2, 3)), location * 2, f.field(2, f.packed(1, [1]) + f.packed(2, [1])))'
	refused a.pb 'a second location with the id 1'
	tree() { # SECONDS: of what a function of 1 second called
		printf '{"sample_count":1,"root_frame":{"function":"f","time":1,"children":[{"function":"g","time":%s},{"function":"h","time":0.5}]}}' "$1" >tree.json
	}
	tree 0.500002
	ptool ingest -q -o tree.db tree.json
	tree 0.6
	refused tree.json 'a function took less time than those it called'
	frame='<svg><g><title>f (1 samples, 100%)</title><rect x="0" y="9" width="10" fg:x="0" fg:w="1"/></g></svg>'
	echo "$frame" >one.svg
	ptool ingest -q -o svg.db one.svg
	echo "$frame$frame" >two.svg
	refused two.svg 'the file has a second picture'
	for icon in "<svg/>$frame" "$frame<svg class='icon'><path/></svg>"; do
		echo "$icon" >icon.svg
		[ "$(ptool top -q --format csv icon.svg | wc -l)" -eq 2 ]
	done
	file='"a.py":{"lines":[{"lineno":1,"line":"x","n_cpu_percent_python":50}]}'
	printf '{"elapsed_time_sec":1,"files":{%s,%s}}' "$file" "$file" >scalene.json
	refused scalene.json 'line 1 of a file is there twice'
}

@test "a thread's own table of a Firefox profile has no columns of the shared one" {
	of_samples() { # MEMBERS: of them
		printf '{"meta":{"preprocessedProfileVersion":50},"shared":{"stringArray":["f","a.js"],%s,%s},"threads":[{%s,%s,"samples":{%s}}]}' \
			'"funcTable":{"name":[0],"fileName":[1],"lineNumber":[9]}' '"stackTable":{"prefix":[null],"frame":[0]}' \
			'"funcTable":{"name":[0]}' '"frameTable":{"func":[0]}' "$1" >gecko.json
	}
	of_samples '"stack":[0,0],"weight":[5,1]'
	[ "$(top gecko.json)" = ',,f,6,6,6,6' ]
	of_samples '"stack":[0,0],"weight":[5]'
	refused gecko.json 'a thread has 2 samples and 1 weights'
	of_samples '"stack":[0]},"frameTable":{"func":[0]'
	refused gecko.json 'a table is there twice'
}

@test "counts with decimals are rounded where a format holds whole numbers, and that is told" {
	profile_of '"type":"sampled","unit":"none","samples":[[0],[]],"weights":[2500.25,0.0000001]' a.json
	told='rounded, as pprof holds whole numbers'
	run -0 --separate-stderr ptool export --to pprof -o a.pb.gz a.json
	[[ $stderr == *"$told" ]]
	top a.pb.gz | grep -qx ',,f,1,1,2500,2500'
	run -0 --separate-stderr ptool export --to callgrind -o a.callgrind a.json
	[[ $stderr == *"${told/pprof/callgrind}" ]]
	grep -qx 'totals: 2500' a.callgrind
	# whole ones are not told of
	profile_of '"type":"sampled","unit":"none","samples":[[0]],"weights":[7]' a.json
	run -0 --separate-stderr ptool export --to pprof -f -o a.pb.gz a.json
	[[ $stderr != *rounded* ]]
}

@test "times below 0, ends behind the samples and an empty series are exported as they are" {
	event='{"type":"%s","frame":0,"at":%s}'
	printf -v events "$event,$event" O -1.5 C -0.7
	profile_of "\"type\":\"evented\",\"unit\":\"none\",\"startValue\":-2,\"endValue\":10,\"events\":[$events]" a.json
	ptool export -q --to speedscope -o b.json a.json
	python3 -c '
import json
p = json.load(open("b.json"))["profiles"][0]
assert (p["startValue"], p["endValue"]) == (-2, 10), p
assert [e["at"] for e in p["events"]] == [-2, -1.2], p'
	profile_of '"type":"sampled","unit":"seconds","startValue":-5,"endValue":-2.5,"samples":[[0]],"weights":[2.5]' a.json
	ptool export -q -f --to speedscope -o b.json a.json
	grep -q '"startValue":-5000000000,"endValue":-2500000000}' b.json
}

@test "times that 64 bits cannot add up are left out, of samples, series and mprof's lines" {
	event='{"type":"%s","frame":0,"at":%s}'
	printf -v events "$event,$event" O -9223372036854775807 C -1
	profile_of "\"type\":\"evented\",\"unit\":\"nanoseconds\",\"startValue\":-9223372036854775807,\"endValue\":9223372036854775807,\"events\":[$events]" a.json
	ptool ingest -q a.json
	[ "$(ask ptool.db "SELECT count FROM finding WHERE code = 'time_range'")" = 3 ]
	[ "$(ask ptool.db 'SELECT dur_ns FROM profile')" = 0 ]
	printf 'CMDLINE a\nMEM 1.0 10.0\nMEM 1.0 -9000000000.0\nFUNC f 1.0 -9000000000.0 1.0 9000000000.0\n' >mprofile.dat
	ptool ingest -q -o m.db mprofile.dat
	[ "$(ask m.db "SELECT count FROM finding WHERE code = 'time_range'")" = 2 ]
	printf -v events "$event,$event" O -4e18 C -0.5
	profile_of "\"type\":\"evented\",\"unit\":\"none\",\"events\":[$events]" a.json
	refused a.json 'profile 1, event 2 has a time that 64 bits cannot hold beside the others'
}

@test "weights that fill 64 bits are compared with the profile's end without leaving them" {
	profile_of '"type":"sampled","unit":"bytes","startValue":0,"endValue":9223372036854775807,"samples":[[0]],"weights":[9223372036854775807]' a.json
	ptool ingest -q a.json
	[ -z "$(ask ptool.db "SELECT 1 FROM finding WHERE code = 'weights_end'")" ]
	profile_of '"type":"sampled","unit":"bytes","startValue":9223372036854775807,"endValue":-1,"samples":[[0]],"weights":[0]' b.json
	ptool ingest -q -o b.db b.json
	[ "$(ask b.db "SELECT count FROM finding WHERE code = 'weights_end'")" = 1 ]
}

@test "a byte order mark stands in front of any text" {
	for file in "$SAMPLES/node.cpuprofile" "$FIXTURES/pyprof/reports/importtime.txt"; do
		printf '\357\273\277' | cat - "$file" >marked
		[ "$(top marked)" = "$(top "$file")" ]
	done
}

@test "behind a byte order mark the bytes of a profile of V8 are those of the file" {
	printf '\357\273\277{"nodes":[{"callFrame":{"functionName":"f"}}]}' >a.cpuprofile
	run -4 --separate-stderr ptool top a.cpuprofile
	[ "$stderr" = 'ptool: top: a.cpuprofile: byte 13: a node has no id' ]
}

@test "long names that the functions of many ranks share are kept once" {
	{ printf 'main;'; head -c 300000 /dev/zero | tr '\0' x; echo ' 1'; } | tee {1..150}.folded >/dev/null
	ptool ingest -q -o many.db .
	top many.db | cut -c 300003- >said
	[ "$(head -n 1 said)" = ',150,150,150,150' ]
	rm ./*
	python3 -c '
import marshal
stats = marshal.dumps({("x" * 300000, 1, "f"): (1, 1, 1.0, 1.0, {})})
for rank in range(150):
    open(f"{rank}.prof", "wb").write(stats)'
	ptool ingest -q -o many.db .
	top many.db | grep -q ',1,f,150,150,'
}

@test "a weight with more digits than a double has is read to the last of them" {
	zeros=$(printf '0%.0s' {1..70})
	profile_of "\"type\":\"sampled\",\"unit\":\"nanoseconds\",\"samples\":[[0],[0]],\"weights\":[0.${zeros}1e71,7${zeros}e-00000000070]" a.json
	[ "$(top a.json)" = ',,f,2,2,8,8' ]
}

@test "a count with decimals that no double holds is shown as the nearest" {
	printf 'a;c 9007199254740993.25\na 3.5\n' >counts
	top counts | grep -qx ',,a,,,3.5,9007199254740996'
	ptool tree -q --format csv counts | grep -q ',9007199254740996,'
	ptool callees -q --format csv . counts | grep -q ',9007199254740994,'
}

@test "metadata is JSON, whatever the numbers, texts and keys of the file are" {
	members='"a":NaN,"b":01,"c":+1,"d":.5,"e":"x\001y","f\001":1,'
	key=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa # 31 bytes; an escape behind them is cut
	printf "{$members\"$key"'\\n":2,"$schema":"https://www.speedscope.app/file-format-schema.json",' >a.json
	printf '"shared":{"frames":[{"name":"f"}]},"profiles":[{"type":"sampled","name":"a","unit":"none","samples":[[0]],"weights":[1]}]}' >>a.json
	ptool ingest -q a.json
	[ "$(ask ptool.db "SELECT metadata ->> 'a', metadata ->> 'd', metadata ->> '$key' FROM profile")" = 'NaN|.5|2' ]
	printf "{$members"'"sample_count":1,"root_frame":{"function":"f","time":1}}' >a.json
	ptool ingest -q -o tree.db a.json
	[ "$(ask tree.db "SELECT metadata ->> 'c' FROM profile")" = +1 ]
	printf "{$members"'"elapsed_time_sec":1,"files":{"a.py":{"lines":[{"lineno":1,"line":"x","n_cpu_percent_python":9}]}}}' >a.json
	ptool ingest -q -o scalene.db a.json
	[ "$(ask scalene.db "SELECT metadata ->> 'b' FROM profile")" = 01 ]
	printf '# a"b\\: c\n# austin: 3.0\nP1;T1;f.py:a:1 5\n' >a.austin
	ptool ingest -q -o austin.db a.austin
	[ "$(ask austin.db "SELECT metadata ->> 'austin' FROM profile")" = 3.0 ]
}

@test "what Austin says of all weights is refused behind stacks that are others" {
	printf 'a;b 5\n# austin: 3.0\na;b 7\n' >a.txt
	run --separate-stderr ptool ingest -q a.txt
	exits 4
	says 'ptool: ingest: a.txt: byte 6: line 2: "# austin:" follows stacks of another program: give each recording as a file of its own'
	printf '# austin: 3.0\n# mode: wall\nP1;T1;a 5\n# mode: %s\nP1;T1;a 7\n' memory >b.txt
	run --separate-stderr ptool ingest -q b.txt
	exits 4
	says 'ptool: ingest: b.txt: byte 37: line 4: "# mode:" follows stacks of another mode: give each recording as a file of its own'
	# two recordings of a mode are one, and elsewhere these are comments
	sed 's/memory/wall/' b.txt >c.txt
	[ "$(ptool top -q --format csv c.txt | tail -n 1 | grep -c ',12000')" = 1 ]
	grep -v '# austin' b.txt >d.txt
	ptool ingest -q -o d.db d.txt
	# a line in front that is no stack says nothing of those behind it
	for header in '# austin: 3.0\n# mode: wall' '# mode: wall\n# austin: 3.0'; do
		printf "Hello world\n$header\nP1;T1;a 5\n" >e.txt
		[ "$(ptool top -q --format csv e.txt 2>/dev/null | tail -n 1 | grep -c ',5000')" = 1 ]
	done
}

@test "samples in every command: tree, callers, callees, list, info, diff, pstats, the first screen" {
	file=$SAMPLES/evented.speedscope.json
	ptool ingest -q "$file"
	# the tree is the real one
	ptool tree -q --min 0 --format csv | tr -d '"' | grep -q 'main (app.py);größe (app.py);main (app.py),main (app.py),call,,1750001,1750001,'
	[ "$(ptool tree -q --min 0 --format csv | tr -d '"' | awk -F, 'NR > 1 { n += $8 } END { print n }')" = 41000000 ]
	ptool callers -q 'größe' --format csv | tr -d '"' | grep -q 'app.py,,main,app.py,,größe,'
	ptool callees -q --series 2 'main' --format csv | tr -d '"' |
		grep -qx 'app.py,,main,app.py,,größe,2,20000000,20000000'
	[ "$(ptool list -q --series 'main loop' --format csv | tr -d '"' | cut -d, -f1,2,10 | head -n 3)" = \
		$'start_ns,weight_ns,stack\n1500000,500000,main\n2000000,250000,main;größe' ]
	ptool list -q --series ticks --focus read --format csv | tr -d '"' | grep -q '1.25.*main;read'
	[[ $(ptool info "$SAMPLES/pyspy_fork.chrometrace.json.gz") == *'Thread 140615958342528 "MainThread"'* ]]
	[[ $(COLUMNS=80 ptool "$SAMPLES/pyspy_fork.chrometrace.json.gz") == *"ptool callers 'fib \\(.*w\.py\)' FILE"* ]]
	[[ $(ptool list -n 3) == *'3 of 9 rows'* ]] # events and samples
	ptool info -q | grep -q 'allocations'
	ptool overview -q | grep -q 'größe (app.py)'
	ptool diff -q "$file" "$file" --format csv | grep -q 'größe'
	run --separate-stderr ptool diff -q "$file" "$SAMPLES/perf.txt"
	exits 3
	ptool pstats -q --sort tottime | grep -q '0.023 .*größe'
	ptool doctor -q >/dev/null
	for command in gaps kernels steps memory modules devices streams comm transfers lines; do
		run --separate-stderr ptool $command
		exits 3
		[ "${#stderr_lines[@]}" = 1 ]
	done
}

@test "what only traces have is a usage error on sampled stacks" {
	ptool ingest -q "$SAMPLES/austin.txt"
	for arguments in 'top --by shape' 'top --format torch' 'tree --instances' 'top --step 3' 'list --sort dur'; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr ptool $arguments
		exits 2
	done
	cp "$FIXTURES/gpu/copies.json" trace.json
	run --separate-stderr ptool top --by line trace.json
	exits 2
}

@test "exports of samples have the unit of their weights, and come back as they were" {
	for file in evented.speedscope.json perf.txt austin.txt; do
		ptool export -q -f --to speedscope -o out.json "$SAMPLES/$file"
		diff <(top "$SAMPLES/$file" | grep -o '[0-9.]*,[0-9.]*$') <(top out.json | grep -o '[0-9.]*,[0-9.]*$')
	done
	ptool export -q --to folded -o out.folded "$SAMPLES/perf.txt"
	grep -qx 'java;\[unknown\];do work(int, a::b<c>);read 1.50' out.folded
	diff <(top "$SAMPLES/perf.txt") <(top out.folded)
}

@test "samples that weigh no time are no seconds of pstats, and no nanoseconds of callgrind" {
	run --separate-stderr ptool pstats -q "$SAMPLES/pyspy_raw.txt"
	exits 3
	[[ $stderr == *'these samples weigh counts'* ]]
	ptool export -q --to callgrind -o out.callgrind "$SAMPLES/pyspy_raw.txt"
	grep -qx 'event: count : Counts' out.callgrind
	ptool export -q --to pstats -o out.prof "$SAMPLES/evented.speedscope.json"
	top out.prof | grep -qx 'app.py,0,größe,2,2,23249999,25000000'
}

@test "sampled stacks of several files are exported in one unit, and as many decimals" {
	printf 'main;a 1.5\nmain;b 2.25\n' >a.folded
	printf 'main;a 3\nmain;c 4\n' >b.folded
	ptool ingest -q -o s.db a.folded b.folded
	run -0 --separate-stderr ptool export --to callgrind s.db
	grep -qx 'summary: 10' <<<"$output"
	[[ $stderr == *'they are rounded, as callgrind holds whole numbers'* ]]
	ptool ingest -q -o t.db "$SAMPLES/go_heap.pb.gz" "$SAMPLES/go_cpu.pb.gz"
	ptool export -q --to callgrind t.db | grep -A2 '^event:' >head
	diff - head <<<$'event: bytes : Bytes\nevents: bytes\nsummary: 4302448'
	run -3 --separate-stderr ptool export --to pstats -o out.prof t.db
	[[ $stderr == *'these samples weigh bytes'* ]]
}

@test "--series takes what notes call a kind, numbers of a run, and numbers in names" {
	for file in austin_full.txt fxprof.json; do
		ptool top -q "$SAMPLES/$file" | grep -q 'also recorded: cpu (time)'
		[ "$(ptool top -q "$SAMPLES/$file" --series cpu --format csv)" = "$(ptool top -q "$SAMPLES/$file" --mode cpu --format csv)" ]
	done
	ptool top -q "$SAMPLES/fxprof.json" --series time >/dev/null # a kind without a measure and a mode
	threads=$SAMPLES/pyspy_threads.speedscope.json
	[ "$(ptool top -q "$threads" --series 15992 --format csv)" = "$(ptool top -q "$threads" --series 2 --format csv)" ]
	run -3 --separate-stderr ptool top -q "$threads" --series 77
	ptool ingest -q -o s.db --run a "$SAMPLES/go_heap.pb.gz"
	ptool ingest -q -o s.db --run b "$SAMPLES/go_cpu.pb.gz"
	[ "$(ptool info s.db | awk '$1 ~ /^[ab]$/ { print $1 $2 }' | tr '\n' ' ')" = 'a1 a2 a3 a4 b1 b2 ' ]
	ptool top -q s.db --series 2 | grep -q '^Function .*Self (ms)'
}

@test "a speedscope file that is exported and read again is the same" {
	file=$FIXTURES/samples/evented.speedscope.json
	ptool ingest -q -o one.db "$file"
	ptool export -q --to speedscope one.db -o again.speedscope.json
	ptool ingest -q -o two.db again.speedscope.json
	series='SELECT name, mode, unit, is_evented, weight, decimals, start_at, end_at, sample_rows FROM sample_series ORDER BY id'
	for question in top 'list -n 0' 'tree --min 0' 'callers .'; do
		# shellcheck disable=SC2086 # words
		diff <(ptool $question one.db --format csv) <(ptool $question two.db --format csv)
	done
	diff <(ptool sql one.db "$series" --format csv) <(ptool sql two.db "$series" --format csv)
}

@test "the text of a stack of more than 512 frames lacks those in the middle" {
	python3 -c 'print(";".join(f"f{i}" for i in range(700)), 1)
print(";".join(f"f{i}" for i in range(512)), 2)' >a.collapsed
	ptool ingest -q -o s.db a.collapsed
	run ptool list --format csv s.db
	[[ ${lines[2]} == *',700,'*'"f0;f1;'*';f502;[frames left out];f692;f693;f694;f695;f696;f697;f698;f699"' ]]
	[[ ${lines[1]} == *',512,'*';f503;f504;'*';f511"' ]]
	[ "$(ptool list --format csv --focus '^f600$' s.db | wc -l)" -eq 2 ]
	[ "$(ptool list --format csv --ignore '^f600$' s.db | wc -l)" -eq 2 ]
}

@test "series that follow each other have the range of their own samples" {
	python3 -c 'import json
profiles = [{"type": "sampled", "name": f"Thread {i}", "unit": "nanoseconds", "startValue": 0, "endValue": n, "samples": [[0]] * n, "weights": [1] * n}
            for i, n in enumerate((2, 0, 3))]
print(json.dumps({"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": [{"name": "f"}]}, "profiles": profiles}))' >a.json
	ptool ingest -q --run one -o s.db a.json
	ptool ingest -q --run two -o s.db a.json
	run ptool sql --format csv s.db 'SELECT first_sample_id, sample_rows FROM sample_series'
	[ "${lines[*]}" = 'first_sample_id,sample_rows 1,2 1,1 3,3 6,2 6,1 8,3' ]
	[ "$(ptool list --format csv s.db | wc -l)" -eq 6 ]
}

@test "series that take turns in one range, as in stores of older releases, are read as they are" {
	python3 -c 'import json
profiles = [{"type": "sampled", "name": f"Thread {i:02}", "unit": "nanoseconds", "startValue": 0, "endValue": 60, "samples": [[0]] * 3, "weights": [i + 1] * 3}
            for i in range(20)]
print(json.dumps({"$schema": "https://www.speedscope.app/file-format-schema.json", "shared": {"frames": [{"name": "f"}]}, "profiles": profiles}))' >a.json
	ptool ingest -q -o apart.db a.json
	for turns in '(id - 1) / 3 + 1' '(id - 1) % 20 + 1' '(id - 1) / 20 * 5 + id % 10 + 1'; do
		cp apart.db s.db
		sqlite3 s.db "UPDATE sample_series SET first_sample_id = 1, sample_rows = 60; UPDATE sample_row SET weight = id, thread_id = NULL, series_id = $turns"
		wanted=$(sqlite3 s.db 'SELECT name, r.weight FROM sample_row r JOIN sample_series s ON s.id = r.series_id ORDER BY s.id, r.id' | tr '|' ,)
		[ "$(ptool list --format csv --limit 0 s.db | python3 -c 'import csv, sys
for row in csv.DictReader(sys.stdin): print(row["series"], row["weight_ns"], sep=",")' | sort)" = "$(sort <<<"$wanted")" ]
		ptool list --limit 4 s.db | grep -q '4 of 60'
		ptool export --to speedscope -o back.json s.db
		[ "$(python3 -c 'import json
for p in json.load(open("back.json"))["profiles"]:
    for weight in p["weights"]: print(p["name"], weight, sep=",")')" = "$wanted" ]
		rm back.json
	done
}

@test "a speedscope file adds up what is of one unit: one of several quantities is exported" {
	run -0 --separate-stderr ptool export --to speedscope "$FIXTURES/samples/go_heap.pb.gz" -o heap.speedscope.json
	[[ $stderr == *'2 series are left out: speedscope would add them to others of their unit' ]]
	sum() { ptool top -q -n 0 --format csv "$1" | cut -d, -f6 | awk '{ n += $1 } END { print n }'; }
	[ "$(sum heap.speedscope.json)" = "$(sum "$FIXTURES/samples/go_heap.pb.gz")" ]
}

@test "a sample that names a location of many inlined calls again and again is refused" {
	many() { # CALLS: in each of as many places
		python3 -c 'import sys
sys.path.insert(0, sys.argv[2])
import stack_files as f
n = int(sys.argv[1])
f.pprof(".", f.field(5, f.field(1, 1) + f.field(2, 3)), f.lines_of_a_location(n), f.field(2, f.packed(1, [1] * n) + f.packed(2, [1])))' "$1" "$TESTS/bench"
	}
	many 500
	ptool ingest -q -o 500.db a.pb
	[ "$(ptool sql --format csv 500.db 'SELECT count(*) FROM sample_node' | tail -1)" -eq 250000 ]
	many 1500
	run -4 --separate-stderr ptool ingest -q -o 1500.db a.pb
	[[ $stderr == *'a.pb: byte 10'*': the stacks have more than 1'*' frames, too many for a file of this size' ]]
	[ ! -e 1500.db ]
}

@test "all comments of a pprof profile are kept, each once and on a line of its own" {
	python3 -c 'import sys
sys.path.insert(0, sys.argv[1])
import stack_files as f
f.pprof(".", f.field(5, f.field(1, 1) + f.field(2, 3)), f.lines_of_a_location(1), f.field(2, f.packed(1, [1]) + f.packed(2, [1])),
        f.field(13, 5), f.packed(13, [4, 6, 5]), f.field(13, 4), texts=(b"f", b"two", b"one", b"bad \xff"))' "$TESTS/bench"
	ptool ingest -q -o a.db a.pb
	[ "$(ask a.db "SELECT json_extract(metadata, '$.comment') FROM profile")" = $'one\ntwo' ]
}

@test "threads with strings of their own that share a stack table are refused where that is too much" {
	many() { # THREADS: and rows of each table
		python3 -c 'import json, sys
n = int(sys.argv[1])
count = list(range(n))
shared = {"stackTable": {"length": n, "prefix": [None] * n, "frame": count}, "frameTable": {"length": n, "func": count, "line": [None] * n},
          "funcTable": {"length": n, "name": [0] * n, "fileName": [None] * n, "lineNumber": count, "resource": [-1] * n}}
threads = [{"name": "t", "pid": "1", "tid": i, "samples": {"length": 1, "stack": [n - 1], "timeDeltas": [1]}, "stringArray": [f"f{i}"]} for i in count]
print(json.dumps({"meta": {"interval": 1, "startTime": 0, "preprocessedProfileVersion": 56}, "libs": [], "shared": shared, "threads": threads}))' "$1" >a.json
	}
	many 100
	ptool ingest -q -o 100.db a.json
	[ "$(ptool top -q -n 0 --format csv 100.db | wc -l)" -eq 101 ]
	many 2000
	run -4 --separate-stderr ptool ingest -q -o 2000.db a.json
	[[ $stderr == *'a.json: byte '*': the stacks have more than '*' frames, too many for a file of this size' ]]
}

@test "a stack of more than 512 frames is cut in v_stack as in the list" {
	python3 -c 'print(";".join(f"f{i}" for i in range(600)), 1)
print(";".join(f"f{i}" for i in range(512)), 2)' >a.collapsed
	ptool ingest -q -o a.db a.collapsed
	stack_of() { ptool sql -q --format csv a.db "SELECT stack FROM v_stack WHERE depth = $1" | tail -1; }
	[[ $(stack_of 512) == '"f0;'*';f502;f503;'*';f511"' ]]
	[[ $(stack_of 600) == '"f0;'*';f502;[frames left out];f592;f593;f594;f595;f596;f597;f598;f599"' ]]
	[[ $(stack_of 513) == '"f0;'*';f502;[frames left out];f505;f506;f507;f508;f509;f510;f511;f512"' ]]
	[ "$(stack_of 600)" = "$(ptool list -q --format csv a.db | grep ,600, | grep -o '"f0;.*')" ]
}

@test "2: what chooses samples is refused where there are none" {
	ptool ingest -q -o s.db "$FIXTURES/gpu/sync.json"
	for option in --series=x --mode=gil --no-idle; do
		for command in top tree flame list 'callers .' 'export --to folded' 'export --to chrome' 'diff s.db' 'top --format torch'; do
			run -2 --separate-stderr ptool $command $option s.db
			[ "$stderr" = "ptool: ${command%% *}: ${option%=*} is for sampled stacks, and there are none" ]
		done
		for command in top pstats 'callers .' 'export --to callgrind' 'export --to pstats'; do
			run -2 --separate-stderr ptool $command $option "$FIXTURES/pyprof/app.prof"
			[[ $stderr == *"${option%=*} is for sampled stacks, and there are none" ]]
		done
	done
}

@test "frames of py-spy whose file and name read alike when joined are two functions" {
	python3 - <<-'END'
		import json
		at = lambda ph, ts, name, file: {"cat": "py-spy", "ph": ph, "name": name, "pid": 1, "tid": 1, "ts": ts, "args": {"filename": file, "line": 1}}
		calls = ("x\0y", "a.py", 0, 1000), ("y", "a.py\0x", 1000, 5000)
		json.dump([at(ph, ts, name, file) for name, file, *times in calls for ph, ts in zip("BE", times)], open("a.json", "w"))
	END
	ptool ingest -q -o s.db a.json
	ptool top --format json s.db >top.json
	python3 -c 'import json; assert sorted(row["self_ns"] for row in json.load(open("top.json"))["rows"]) == [1000000, 4000000]'
}

@test "pyinstrument's speedscope file: wall time, and lines where definitions begin" {
	{
		printf '{"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":"pyinstrument",'
		printf '"shared":{"frames":[{"name":"f","file":"m.py","line":10},{"name":"f","file":"m.py","line":50}]},'
		printf '"profiles":[{"type":"evented","name":"CPU profile for x","unit":"seconds","startValue":0,"endValue":3,'
		printf '"events":[{"type":"O","frame":0,"at":0},{"type":"O","frame":1,"at":1},'
		printf '{"type":"C","frame":1,"at":3},{"type":"C","frame":0,"at":3}]}]}'
	} >first.json
	ptool ingest -q -o first.db first.json
	[ "$(ask first.db 'SELECT mode FROM sample_series')" = wall ]
	[ "$(ask first.db 'SELECT line FROM function ORDER BY 1')" = $'10\n50' ]
	top first.db | grep -qx 'm.py,10,f,,,1000000000,3000000000'
	top first.db | grep -qx 'm.py,50,f,,,2000000000,2000000000'
	# the exporter may come last; another one's line is that which ran, and a name no mode
	python3 -c 'import json; d = json.load(open("first.json")); d["exporter"] = d.pop("exporter"); print(json.dumps(d))' >last.json
	ptool ingest -q -o last.db last.json
	[ "$(top last.db)" = "$(top first.db)" ]
	[ "$(ask last.db 'SELECT mode FROM sample_series')" = wall ]
	sed s/pyinstrument/other/ first.json >other.json
	ptool ingest -q -o other.db other.json
	[ "$(top other.db)" = 'm.py,,f,,,3000000000,3000000000' ]
	[ "$(ask other.db 'SELECT mode FROM sample_series')" = '' ]
	# what is exported reads back: the mode, too, and "cpu samples" is none
	ptool export -q --to speedscope -o again.json first.db
	ptool ingest -q -o again.db again.json
	[ "$(ask again.db 'SELECT name, mode FROM sample_series')" = "$(ask first.db 'SELECT name, mode FROM sample_series')" ]
	[ "$(top again.db)" = "$(top first.db)" ]
	sed 's/CPU profile[^"]*/cpu samples/' other.json >named.json
	ptool export -q -f --to speedscope -o again.json named.json
	rm again.db
	ptool ingest -q -o again.db again.json
	[ "$(ask again.db 'SELECT name, mode FROM sample_series')" = 'cpu samples|' ]
}

@test "what ran and where definitions begin are both read back from speedscope" {
	frame() { # FIRST LINE
		printf '"f\\u0000m.py\\u0000%s\\u0001l%s"' "$1" "$2"
	}
	printf '{"start_call_stack":[],"frame_records":[[[%s],1.0],[[%s],2.0],[[%s],4.0]]}' \
		"$(frame 10 12)" "$(frame 10 10)" "$(frame 20 22)" >a.pyisession
	ptool ingest -q -o a.db a.pyisession
	ptool export -q --to speedscope -o b.json a.db
	ptool ingest -q -o b.db b.json
	lines() { # STORE
		ask "$1" 'SELECT f.line, n.line FROM sample_node n JOIN function f ON f.id = n.function_id ORDER BY 1, 2'
	}
	[ "$(lines a.db)" = $'10|10\n10|12\n20|22' ]
	[ "$(lines b.db)" = "$(lines a.db)" ]
	# also of what a filter chose, and where a stranger wrote the mode
	ptool export -q --to speedscope --focus f -o d.json a.db
	[ "$(top d.json | cut -d, -f1-3)" = $'m.py,20,f\nm.py,10,f' ]
	ptool export -q --to folded a.db | grep -qx 'f (m.py:20) 4000000000'
	sqlite3 a.db "UPDATE sample_series SET mode = 'x\",\"unit\":\"bytes\\'"
	ptool export -q --to speedscope -o e.json a.db
	json_is '[p["unit"] for p in j["profiles"]] == ["nanoseconds"]' <e.json
	# a trace's frames are called by the lines of their definitions
	printf '{"traceEvents":[{"ph":"X","cat":"python_function","name":"m.py(10): f","ts":1,"dur":2},
		{"ph":"X","cat":"python_function","name":"m.py(20): f","ts":5,"dur":4}]}' >trace.json
	ptool export -q --to speedscope -o c.json trace.json
	[ "$(top c.json)" = $'m.py,20,f,1,1,4000,4000\nm.py,10,f,1,1,2000,2000' ]
}

@test "a function whose definition moved is the same to flame --base and diff" {
	session() { # FIRST SECONDS
		printf '{"start_call_stack":[],"frame_records":[[["f\\u0000m.py\\u0000%d\\u0001l%d"],%s]]}' "$1" "$1" "$2"
	}
	session 10 1.0 >before.pyisession
	session 11 2.0 >after.pyisession
	ptool flame -q --base before.pyisession after.pyisession >shown
	grep -q 'f (m.py:11) +100%' shown
	lacks 'gone' <shown
	ptool diff -q before.pyisession after.pyisession | grep -q 'f (m.py:10) => f (m.py:11)'
	# of two functions of one name the other may be gone, which moves none
	frames() { # SECONDS...
		printf '{"start_call_stack":[],"frame_records":['
		for line in 10 20; do
			[ -z "${1-}" ] || printf '%s[["f\\u0000m.py\\u0000%d\\u0001l%d"],%s]' "$([ $line = 20 ] && echo ,)" $line $line "$1"
			shift || true
		done
		echo ']}'
	}
	frames 1.0 1.0 >both.pyisession
	frames 1.0 >first.pyisession
	ptool flame -q --base both.pyisession first.pyisession >shown
	grep -q '=f (m.py:10)' shown
	grep -q '1 path is gone, which took 1.000 s: f (m.py:20)' shown
	# a filter does not change which functions are one
	frames 1.0 2.0 | sed 's/00010/00011/g; s/00020/00021/g' >moved.pyisession
	ptool flame -q --base both.pyisession --focus 'm.py:2' moved.pyisession >shown
	grep -q '+f (m.py:21) +100%' shown
	lacks 'gone' <shown
	# and in every way to write a function; labels are none
	trace() { # CATEGORY NAME
		printf '{"traceEvents":[{"ph":"X","cat":"%s","name":"%s","ts":1,"dur":2}]}' "$1" "$2"
	}
	for name in 'm.py(%d): f' 'm.py(%d): g:3(x)' '<eval_with_key>.1(%d): forward' '<lambda at 0x7f%d>'; do
		for line in 1 2; do
			trace python_function "${name/\%d/$line}" >"trace$line.json"
			trace user_annotation "${name/\%d/$line}.py" >"label$line.json"
		done
		ptool flame -q --base trace1.json trace2.json | lacks 'gone'
		ptool flame -q --base label1.json label2.json | grep -q '1 path is gone'
	done
	# in each run of a side
	ptool baseline save -q new moved.pyisession moved.pyisession
	ptool report -q -o page.html both.pyisession baseline:new
	[ "$(grep -o '\["f (m.py:.1)"' page.html | sort | uniq -c)" = '      1 ["f (m.py:11)"
      1 ["f (m.py:21)"' ]
}

@test "lines below 1 are none" {
	profile_of '"type":"sampled","unit":"none","startValue":0,"endValue":3,"samples":[[0]],"weights":[1]' a.json
	for line in 0 -1; do
		sed "s/{\"name\":\"f\"}/{\"name\":\"f\",\"file\":\"m.py\",\"line\":$line}/" a.json >b.json
		rm -f b.db
		ptool ingest -q -o b.db b.json
		[ "$(ask b.db 'SELECT line FROM sample_node')" = '' ]
		sed -i 's/{/{"exporter":"pyinstrument",/' b.json
		[ "$(top b.json | cut -d, -f1-3)" = m.py,,f ]
	done
}

@test "pprof's default sample type is told by its text, and a difference counts no samples" {
	two_types() { # NUMBER: of the text that names the default; 4 to 8 are cpu, nanoseconds, cpu, nope, samples
		PYTHONPATH=$TESTS/bench python3 -c 'import sys, stack_files as f
f.pprof(".", f.field(1, f.field(1, 4) + f.field(2, 5)), f.field(5, f.field(1, 1) + f.field(2, 3)), f.lines_of_a_location(1),
	f.field(2, f.packed(1, [1]) + f.packed(2, [2 ** 64 - 3, 30])), f.field(14, int(sys.argv[1])),
	texts=(b"f", b"cpu", b"nanoseconds", b"cpu", b"nope", b"samples"))' "$1"
		rm -f a.db
		ptool ingest -q -o a.db a.pb
		ask a.db 'SELECT name, samples FROM sample_series WHERE is_default'
	}
	[ "$(two_types 8)" = 'samples|0' ]
	for of_cpu in 0 4 6 7 9; do # 0: none, 7: of no type, 9: no text
		[ "$(two_types $of_cpu)" = 'cpu|' ]
	done
}

@test "V8's (idle) is idle, and hits count where samples have no times" {
	node() { # ID FUNCTION HITS
		printf '{"id":%s,"callFrame":{"functionName":"%s","url":"","lineNumber":-1},"hitCount":%s}' "$@"
	}
	printf '{"nodes":[%s,%s],"startTime":1000,"endTime":11000,"samples":[2,3,2],"timeDeltas":[0,9000,500]}' \
		"$(node 2 '(idle)' 0)" "$(node 3 f 2)" >a.cpuprofile
	[ "$(top a.cpuprofile --no-idle)" = ',,f,1,1,500000,500000' ]
	for samples in '"samples":[],"timeDeltas":[]' '"samples":[2,3,2]'; do
		sed "s/\"samples\".*/$samples}/" a.cpuprofile >b.cpuprofile
		[ "$(top b.cpuprofile)" = ',,f,2,2,2,2' ]
	done
}

@test "what samples lack is told without settings of PyTorch" {
	for command in devices gaps graphs kernels modules memory compile roofline; do
		run --separate-stderr ptool $command -q "$FIXTURES/samples/go_cpu.pb.gz"
		exits 3
		[[ $stderr == *" were recorded" || $stderr == *" was recorded" ]]
	done
}

@test "samples without a stack are part of all that shares are of, in tree and flame as in top" {
	# the largest share of a tree is the first row's
	share() {
		ptool tree -q --format csv "$@" | sed -n '2s/.*,//p'
	}
	F=$FIXTURES/samples/fxprof.json
	[ "$(share "$F")" = 94.04761904761905 ] # 79 of 84
	ptool top -q "$F" | grep -E '^main .* 94\.05 '
	# of the paths that are asked for they are no part
	[ "$(share "$F" --focus main)" = 100 ]
	[ "$(share "$F" --root-at main)" = 100 ]
	for order in '' --inverted; do
		ptool flame -q $order "$F" | grep -q ': 100% is 84 samples$'
	done
	ptool flame -q --focus main "$F" | grep -q ': 100% is 79 samples$'
}

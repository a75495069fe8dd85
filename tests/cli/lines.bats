#!/usr/bin/env bats
# ptool lines, and ptool top on line profiles; tests/pyprof/check_lines.py holds the numbers.

load setup

LINES_DIR=$FIXTURES/lines

# A dump as it lies beside its program, which was not changed since.
recorded() {
	cp "$LINES_DIR/lp503.lprof" "$LINES_DIR/lw_basic.py" .
	touch -d '2024-01-02 03:04:05 UTC' lw_basic.py
	touch -d '2024-01-02 03:04:06 UTC' lp503.lprof
}

@test "lines of functions, the hottest first, with the source of the unchanged file" {
	recorded
	ptool lines -q lp503.lprof | like_golden lines.txt
	ptool lines -q lp503.lprof --format csv | like_golden lines.csv
	on_terminal 80 "$PTOOL" lines -q --no-pager --color never -n 2 lp503.lprof | like_golden lines_80.txt
}

@test "source that may be another is not shown, and a note says why" {
	recorded
	touch lw_basic.py
	ptool lines -q --focus slow lp503.lprof >table
	grep -q 'no source of slow: lw_basic.py is newer than the profile' table
	lacks 'total = 0' <table
	tar -cf a.tar lp503.lprof # which is newer than both
	touch -d '+1 minute' a.tar
	ptool lines -q --focus slow a.tar >table
	grep -q 'no source of slow: lw_basic.py may be newer than the profile, of which no time is known' table
	sed -i 's/def slow/def fast/' lw_basic.py
	touch -d '2024-01-02 03:04:05 UTC' lw_basic.py
	ptool lines -q --focus 'slow|fib' lp503.lprof >table
	grep -q 'no source of slow: lw_basic.py has another function there' table
	grep -q 'if n < 2' table
	rm lw_basic.py
	ptool lines -q --focus slow lp503.lprof >table
	grep -q 'no source of slow: lw_basic.py cannot be read here' table
}

@test "a store says the same where the recording is gone" {
	recorded
	mkdir job
	mv lp503.lprof job
	ptool ingest -q job/lp503.lprof
	ptool lines --focus slow >before
	lacks 'no source' <before
	mv job moved
	ptool lines --focus slow | diff before -
	# but the time of an archive was none of its parts'
	cp moved/lp503.lprof .
	touch -d '2024-02-01 UTC' lw_basic.py
	tar -cf Dumps.TAR lp503.lprof
	ptool ingest -q -o archive.db Dumps.TAR
	ptool lines --focus slow archive.db >before
	grep -q 'of which no time is known' before
	mv Dumps.TAR gone.tar
	ptool lines --focus slow archive.db | diff before -
}

@test "source of more than 4 MiB is not read, and of a long line the first 4,096 bytes" {
	recorded
	{ cat "$LINES_DIR/lw_basic.py"; printf '%*s\n' $((4 << 20)) '#'; } >lw_basic.py
	touch -d '2024-01-02 03:04:05 UTC' lw_basic.py
	ptool lines -q --focus slow lp503.lprof >table
	grep -q 'no source of slow: lw_basic.py is too large (4 MiB, and 32 MiB in all)' table
	sed "s/total = 0/&$(printf '%*s' 8000 '#')#/" "$LINES_DIR/lw_basic.py" >lw_basic.py
	touch -d '2024-01-02 03:04:05 UTC' lw_basic.py
	[ "$(ptool lines -q --focus slow --format csv lp503.lprof | grep 'total = 0' | wc -c)" -lt 4200 ]
}

@test "a source file is read once for all its functions" {
	source_of() { # functions
		for ((i = 0; i < $1; i++)); do printf 'def f%d():\n    return %060d\n' $i $i; done >many.py
		PYTHONPATH="$TESTS/bench" python3 -c 'import stack_files, sys; stack_files.line_dump(".", int(sys.argv[1]), "many.py")' "$1"
	}
	source_of 3000 # 250 kB, 3,000 times: 750 MB
	limit=400000
	[ -z "${SAN-}${TSAN-}${VALGRIND-}" ] || limit=unlimited
	(ulimit -v "$limit"; ptool lines -q --limit 0 a.lprof >table)
	[ "$(grep -c 'return 0' table)" -eq 3000 ]
}

@test "of lines that did not run, the first 100,000 are shown" {
	{ printf 'def f%d(): 0\n' {0..2}; yes | head -60000; } >many.py
	PYTHONPATH="$TESTS/bench" python3 -c 'import stack_files; stack_files.line_dump(".", 3, "many.py", last=60000)'
	ptool lines -q --limit 0 a.lprof >table
	[ "$(grep -c "^ *[0-9]* *- " table)" -eq 100000 ]
	grep -q 'of lines that did not run the first 100000 are shown' table
}

@test "lines have no share of a time that does not fit into 64 bits" {
	ptool lines -q "$LINES_DIR/big_proto0.lprof" >table
	grep -q '9,223,372,036,854,775,807' table
	lacks '% time' <table
}

@test "reports of both profilers have their source with them" {
	ptool lines -q "$LINES_DIR/memory061.txt" | like_golden lines_memory.txt
	ptool lines -q "$LINES_DIR/gone.txt" --format csv | like_golden lines_gone.csv
	{ printf 'epoch 1 loss 0.3\n'; cat "$LINES_DIR/lp503.txt"; printf 'done\n'; } >log
	diff <(ptool lines -q log --format csv) <(ptool lines -q "$LINES_DIR/lp503.txt" --format csv)
	cat "$LINES_DIR/lp503.txt" >>log # another report is another profile
	diff <(ptool lines -q log --profile 2 --format csv) <(ptool lines -q "$LINES_DIR/lp503.txt" --format csv)
}

@test "options of lines: functions are counted, or lines when sorted" {
	recorded
	[ "$(ptool lines -q -n 1 --format csv lp503.lprof | wc -l)" -eq 2 ]
	[ "$(ptool lines -q -n 3 --sort hits --format csv lp503.lprof | cut -d, -f5)" = $'hits\n2001\n2000\n1333' ]
	run -3 --separate-stderr ptool lines -q --focus nothing lp503.lprof
	says "ptool: lines: lp503.lprof: --focus 'nothing' matches no name"
	run -3 --separate-stderr ptool lines -q "$GPU/sync.json"
	says "ptool: lines: $GPU/sync.json: no lines were recorded: line_profiler (kernprof -l) and memory_profiler record them"
	run -2 --separate-stderr ptool lines --reverse lp503.lprof
	says 'ptool: lines: --reverse needs --sort'
}

@test "line profiles are compared by function and by line" {
	diff_of() { ptool diff -q --format csv "$@" "$LINES_DIR/proto4.lprof" "$LINES_DIR/lp503.lprof"; }
	[ "$(diff_of --focus sleepy | cut -d, -f1,6,7 | tail -1)" = '"lw_basic.py:39(sleepy)",20100847,20100896' ]
	[ "$(diff_of --by line --focus fib | cut -d, -f1,4-7 | sort | head -1)" = '"lw_basic.py:30(fib)",233,465,20826,103200' ]
	run -3 ptool diff -q "$LINES_DIR/lp503.lprof" "$FIXTURES/pyprof/app.prof"
	run -3 --separate-stderr ptool callers -q fib "$LINES_DIR/lp503.lprof"
	[[ $stderr = *": a line profile has no calls: "* ]]
	ptool "$LINES_DIR/lp503.lprof" 2>/dev/null | grep -q '20.101 ms  100.0%  lw_basic.py:39(sleepy)'
}

@test "top shows the functions of line profiles" {
	recorded
	ptool top -q lp503.lprof | like_golden top_lines.txt
	[ "$(ptool top -q --format csv -n 1 lp503.lprof)" = 'file,line,function,calls,total_ns,memory_bytes,increment_bytes
"lw_basic.py",39,"sleepy",1,20100896,,' ]
	# a first line that begins a loop does not tell the calls, where the source says so
	[ "$(ptool top -q --format csv --focus gen "$LINES_DIR/lp503.txt" | tail -1)" = '"lw_basic.py",34,"gen",,51329,,' ]
	ptool top -q "$LINES_DIR/memory061.txt" --format csv | like_golden top_memory_lines.csv
	run -2 ptool top -q --by step lp503.lprof
}

@test "leaks, means and growth of memory of Scalene are said to be left out" {
	printf '{"elapsed_time_sec":2.0,"files":{"a.py":{"functions":[],"leaks":{"5":{"likelihood":0.9}},"lines":[{"lineno":5,' >a.json
	printf '"line":"x","n_cpu_percent_python":100.0,"n_peak_mb":5.0,"n_avg_mb":4.0,"n_growth_mb":3.0}]}}}' >>a.json
	ptool ingest -q a.json
	[ "$(ask ptool.db "SELECT detail FROM finding WHERE code = 'not_kept' ORDER BY id")" = $'mean and growth of memory\nleaks' ]
	sed 's/"leaks":{.*}},"lines"/"leaks":{},"lines"/; s/_mb":4.0/_mb":0/; s/_mb":3.0/_mb":0/' a.json >b.json
	ptool ingest -q -o b.db b.json
	[ "$(ask b.db "SELECT count(*) FROM finding WHERE code = 'not_kept'")" = 0 ]
}

@test "memory_profiler's table of a generic function has its name" {
	sed 's/def [a-z_]*(/def f[T](/' "$FIXTURES/lines/memory061.txt" >generic.txt
	ptool ingest -q generic.txt
	[ "$(ask ptool.db 'SELECT DISTINCT function FROM v_function')" = f ]
}

#!/usr/bin/env bats
# ptool ingest of Python's profiles: dumps and what pstats prints, wherever they lie.

load setup

APP=$FIXTURES/pyprof/app

# Functions as "calls/primitive calls self total file:line(name)", in the order of the file.
functions() { # STORE
	ask "$1" "SELECT calls || '/' || primitive_calls, self_ns, total_ns,
		file || ':' || line || '(' || function || ')' FROM v_function"
}

calls() { # STORE
	ask "$1" "SELECT b.text, a.text, e.calls, e.primitive_calls, e.self_ns, e.total_ns
		FROM call_edge e JOIN function r ON r.id = e.caller_id JOIN function c ON c.id = e.callee_id
		JOIN string b ON b.id = r.name_id JOIN string a ON a.id = c.name_id ORDER BY 1, 2"
}

@test "a dump is told by its content and counted in functions" {
	cp "$APP.prof" whatever.json
	run --separate-stderr ptool ingest whatever.json
	exits 0
	says 'ptool: ingest: whatever.json: 4 functions'
	[ "$(ask ptool.db 'SELECT format, dialect, slices FROM profile')" = 'pstats|cprofile|0' ]
	functions ptool.db | diff - <(
		cat <<'END'
1/1|1000000|2001000000|/src/app.py:1(<module>)
9/1|1500000000|1500000000|/src/app.py:10(fib)
1/1|0|2001000000|~:0(<built-in method builtins.exec>)
1/1|500000000|500000000|~:0(<built-in method time.sleep>)
END
	)
	calls ptool.db | diff - <(
		cat <<'END'
<built-in method builtins.exec>|<module>|1|1|1000000|2001000000
<module>|<built-in method time.sleep>|1|1|500000000|500000000
<module>|fib|1|1|250000000|1500000000
fib|fib|8|2|1250000000|1250000000
END
	)
}

@test "what pstats printed of it has the same functions and calls" {
	run --separate-stderr ptool ingest -o text.db "$APP.txt"
	exits 0
	says "ptool: ingest: $APP.txt: 4 functions"
	ptool ingest -q -o dump.db "$APP.prof"
	diff <(functions text.db | sort) <(functions dump.db | sort)
	diff <(calls text.db) <(calls dump.db)
	[ "$(ask text.db 'SELECT format, dialect FROM profile')" = 'pstats|text' ]
	[ "$(ask text.db 'SELECT code, severity FROM finding')" = 'rounded|info' ]
}

@test "both come through pipes, gzip, zstd and UTF-16" {
	for kind in prof txt; do
		ptool ingest -q -o a.db "$APP.$kind"
		ptool ingest -q -o b.db - <"$APP.$kind"
		gzip -c "$APP.$kind" | ptool ingest -q -o c.db -
		zstd -qc "$APP.$kind" >packed
		ptool ingest -q -o d.db packed
		for store in b c d; do
			diff <(functions a.db) <(functions $store.db)
			[ "$(ask $store.db 'SELECT bytes FROM profile')" -eq "$(wc -c <"$APP.$kind")" ]
		done
		rm ./*.db
	done
	ptool ingest -q -o a.db "$APP.txt"
	iconv -f UTF-8 -t UTF-16 "$APP.txt" >wide.txt
	ptool ingest -q -o wide.db wide.txt
	diff <(functions a.db) <(functions wide.db)
	run --separate-stderr ptool ingest --strict wide.txt
	exits 4
}

@test "either is found in folders and archives, beside what is no profile" {
	for kind in prof txt; do
		mkdir -p runs/a runs/b
		cp "$APP.$kind" runs/a/one.prof
		cp "$APP.$kind" runs/two.log
		echo 'nothing' >runs/notes.txt
		ptool ingest -q -o folder.db runs
		[ "$(ask folder.db 'SELECT count(*), count(mtime_ns) FROM profile')" = "2|2" ]
		tar -cf runs.tar runs
		ptool ingest -q -o archive.db runs.tar
		[ "$(ask archive.db 'SELECT count(*), count(mtime_ns) FROM profile')" = '2|2' ]
		[ "$(functions archive.db | sort | uniq -c | awk '{ print $1 }' | sort -u)" = 2 ]
		rm -r runs ./*.db
	done
}

@test "when the file was changed is kept" {
	cp "$APP.prof" a.prof
	touch -d '2024-01-02 03:04:05.25 UTC' a.prof
	ptool ingest -q a.prof
	ptool ingest -q - <a.prof
	[ "$(ask ptool.db "SELECT coalesce(mtime_ns, 'NULL') FROM profile ORDER BY id")" = "$(printf '1704164645250000000\nNULL')" ]
}

@test "--input-format reads as told, and says when nothing of it is there" {
	ptool ingest -q --input-format pstats "$APP.prof"
	ptool ingest -q --input-format pstats-text "$APP.txt"
	run --separate-stderr ptool ingest --input-format pstats-text "$APP.prof"
	exits 4
	says "ptool: ingest: $APP.prof: byte 0: it has no listing of pstats"
}

@test "what is no profile is refused with what it is" {
	printf '\x80\x04\x8c\x0aYFuncStats.' >a
	printf '\xa7\x0d\x0d\x0a\0\0\0\0\0\0\0\0\0\0\0\0' >b
	printf '\x13\x0fhotshot-version' >c
	printf '[\x02\0\0\0NN' >d
	run --separate-stderr ptool ingest a b c d
	exits 4
	says "ptool: ingest: a: byte 0: this is a pickle of yappi (.ystat), which ptool does not read: python3 -c \"import yappi; yappi.YFuncStats(['FILE']).save('OUT.prof', type='pstat')\" writes what ptool reads
ptool: ingest: b: byte 0: this is compiled Python (.pyc), which ptool does not read
ptool: ingest: c: byte 0: this is a hotshot profile of Python 2, which ptool does not read: python2 -c \"import hotshot.stats; hotshot.stats.load('FILE').dump_stats('OUT.prof')\" writes what ptool reads
ptool: ingest: d: byte 0: not a profile: the file holds a list, and a dict is expected"
}

@test "what a dump refers to again and again is refused with the reason" {
	again() { # ITEM: a caller's value of 1000 such items, which 2000 callers share
		python3 -c 'import marshal, sys
sys.path.insert(0, sys.argv[2])
import other_files as f
f.shared_calls(".", 2000, b"(" + (1000).to_bytes(4, "little") + eval(sys.argv[1]) * 1000)' "$1" "$TESTS/bench"
		run -4 --separate-stderr ptool ingest -q -o "a.db" a.prof
		says "ptool: ingest: a.prof: byte 1: more callers than the file has bytes"
	}
	again 'marshal.dumps(1, 2)'
	again 'b"T"'
}

@test "code objects within each other, of no version of Python, are given up early" {
	python3 -c 'import sys
z = lambda text: b"z" + bytes([len(text)]) + text
head, tail = b"c" + bytes(16) + b"\3\0\0\0s\0\0\0\0", b")\0)\0s\0\0\0\0" + z(b"f") * 3 + b"\1\0\0\0s\0\0\0\0"
code = head + b")\1l\xe8\3\0\0" + b"\1\0" * 1000 + tail + b"s\0\0\0\0"
for i in range(50):
    code = head + b")\1" + code + tail + b"N"
sys.stdout.buffer.write(b"{)\3" + z(b"a.py") + b"i\1\0\0\0" + code + b"NN00")' >a.prof
	run -4 --separate-stderr ptool ingest -q -o a.db a.prof
	[[ $stderr == 'ptool: ingest: a.prof: byte 1'*': too many references, or code objects within each other' ]]
}

@test "a count of calls has at most 289 digits, in a dump, a listing and a store" {
	nines() { printf "%0$1d" | tr 0 9; }
	listing() { # CALLS
		printf '%s\n' '         5 function calls in 0.100 seconds' '' '   Ordered by: standard name' '' \
			'   ncalls  tottime  percall  cumtime  percall filename:lineno(function)' \
			"$1    0.100    0.100    0.100    0.100 a.py:1(f)" '        2    0.100    0.100    0.100    0.100 a.py:2(g)' '' >a.txt
	}
	digits() { ask "$1" "SELECT length(calls_text) FROM function_stat ORDER BY id"; }

	listing "$(nines 289)"
	ptool ingest -q -o a.db a.txt
	[ "$(digits a.db)" = 289 ]
	ptool export -q --to pstats a.db -o a.prof
	ptool ingest -q -o b.db a.prof
	[ "$(digits b.db)" = 289 ]
	python3 -c 'import marshal; marshal.dump({("a.py", 1, "f"): (10**289, 10**289, 1.0, 1.0, {})}, open("b.prof", "wb"))'
	run -4 --separate-stderr ptool ingest -q -o c.db b.prof
	[[ $stderr == *'a count of calls with too many digits' ]]

	listing "$(nines 290)"
	run -0 --separate-stderr ptool ingest -o d.db a.txt
	[ "$(ask d.db "SELECT count(*) FROM function_stat")" = 1 ]
	[ "$(ask d.db "SELECT code, count, excerpt FROM finding WHERE code = 'row_syntax'")" = 'row_syntax|1|a.py:1(f)' ]

	# another program's
	sqlite3 a.db "UPDATE function_stat SET calls_text = '$(nines 1000)', primitive_calls_text = '$(nines 1000)' WHERE calls_text IS NOT NULL"
	ptool pstats -q a.db | grep -q '^ *9223372036854775807 '
}

@test "each listing of Lightning's AdvancedProfiler is a profile" {
	ptool ingest -q -o a.db "$FIXTURES/pyprof/reports/lightning_advanced.txt"
	[ "$(ask a.db 'SELECT count(*), min(path) LIKE "%/lightning_advanced.txt/%" FROM profile')" = '10|1' ]
	run --separate-stderr ptool top a.db
	[[ $output == *"note: 10 profiles added up; --profile ID chooses one, 'ptool info a.db' lists them"* ]]
	ptool pstats --profile run_training_epoch a.db | grep -q '^   *12  .*gen_lightning.py:62(work)'
	# appended to by the other profiler, behind much other output
	{
		seq 1 20000
		cat "$FIXTURES"/pyprof/reports/lightning_{advanced,2.6}.txt
		echo Epoch 3
	} >log
	ptool ingest -q -o b.db log
	[ "$(ask b.db "SELECT count(*), sum(path LIKE '%/log/FIT') FROM profile")" = '11|1' ]
}

@test "a listing and tables of memory are profiles beside other reports in their text" {
	imports=$FIXTURES/pyprof/reports/importtime.txt
	for order in "$imports $APP.txt" "$APP.txt $imports"; do
		{
			cat "$FIXTURES/lines/memory061.txt" ${order% *}
			seq 1 20000
			cat ${order#* }
		} >log
		rm -f a.db b.db
		ptool ingest -q -o a.db log
		[ "$(ask a.db 'SELECT format, dialect, count(*) FROM profile GROUP BY 1, 2' | tr '\n' ' ')" = \
			'memory_profiler|text|1 pstats|importtime|1 pstats|text|1 ' ]
		ptool ingest -q -o b.db "$APP.txt"
		[ "$(ask a.db "SELECT count(*), sum(self_ns) FROM v_function JOIN profile p ON p.id = profile_id WHERE dialect = 'text' AND
			format = 'pstats'")" = "$(ask b.db 'SELECT count(*), sum(self_ns) FROM v_function')" ]
	done
	# within each other
	sed -n 21p "$imports" >late
	{
		head -n 20 "$imports"
		sed '7r late' "$APP.txt"
	} >log
	ptool ingest -q -o c.db log
	[ "$(ask c.db "SELECT count(*) FROM v_function JOIN profile p ON p.id = profile_id WHERE dialect = 'importtime'")" = 20 ]
	ptool doctor -q c.db | grep -q ' row_syntax  *1 '
}

@test "a report with totals alone has no self times, callers or callees" {
	report=$FIXTURES/pyprof/reports/lightning_2.6.txt
	run --separate-stderr ptool top "$report"
	[[ $output == *'Total (%)'*'run_training_epoch'*'4.92'*'note: times include called functions, so'* ]]
	[[ $output != *Self* ]]
	run --separate-stderr ptool overview "$report"
	[[ $output == *'Total time, with called functions'*'95.1%'* ]]
	run --separate-stderr ptool diff "$report" "$report"
	[[ $output == *'recording 52.762 ms -> 52.762 ms'*'total time a run by function'* ]]
	run --separate-stderr ptool tree "$report"
	exits 3
	[[ $stderr == *'the report has only totals, no callers and callees'* ]]
	run --separate-stderr ptool pstats "$report"
	exits 3
	[[ $stderr == *'the report has only totals, no self times'* ]]
}

@test "torch's printed table is read from a log, and printed again" {
	{
		echo epoch 1
		cat "$FIXTURES/pyprof/reports/torch_cuda.txt"
		echo epoch 2
	} >log
	run --separate-stderr ptool top --format torch --by shape --limit 0 log
	exits 0
	says 'ptool: top: log: 22 operators read into the cache'
	diff <(printf '%s\n' "$output" | cut -c 1-110,125-) <(cut -c 1-110,125- "$FIXTURES/pyprof/reports/torch_cuda.txt")
	run --separate-stderr ptool top --by thread log
	exits 3
	[[ $stderr == *'a printed table has no single calls'* ]]
	run --separate-stderr ptool advise log
	exits 3
	[[ $stderr == *'rules need a trace, and this is a printed table'* ]]
	run --separate-stderr ptool log
	[[ $output == *'Printed table of torch.profiler'* && $output != *'slows it down'* ]]
}

@test "calls that were not counted stay unknown when profiles are added up or compared" {
	python3 -c 'import marshal, sys
for name, n in ("a", -1), ("b", -1), ("c", 5):
	marshal.dump({("w.py", 1, "f"): (n, n, 0.5, 1.0, {})}, open(name + ".prof", "wb"))'
	ptool ingest -q -o two.db a.prof b.prof
	[ "$(ptool top --format csv two.db | tail -n 1)" = '"w.py",1,"f",,,1000000000,2000000000' ]
	ptool ingest -q -o three.db a.prof b.prof c.prof
	[ "$(ptool top --format csv three.db | tail -n 1)" = '"w.py",1,"f",,,1500000000,3000000000' ]
	run --separate-stderr ptool diff -q a.prof c.prof
	[[ $output == *'0 -> 5'* && $output != *-1* ]]
}

@test "threads that took turns on cProfile's one stack are told" {
	python3 -c 'import marshal, sys
caller = ("w.py", 25, "busy")
marshal.dump({("w.py", 28, "<genexpr>"): (9, 9, 0.072, 0.055, {caller: (9, 9, 0.072, 0.055)}),
	caller: (1, 4, 0.001, 0.14, {})}, sys.stdout.buffer)' >threads.prof
	run --separate-stderr ptool top threads.prof
	exits 0
	[[ $output == *'self above total: cProfile of Python 3.12 and later'* ]]
	run --separate-stderr ptool top --match busy threads.prof
	[[ $output != *'self above total'* ]]
	for command in tree "callers genexpr" "callees busy"; do
		# shellcheck disable=SC2086 # two words
		run -0 --separate-stderr ptool $command threads.prof
		[[ $output == *'note: cProfile of Python 3.12 and later'* ]]
	done
	run -0 --separate-stderr ptool tree "$FIXTURES/pyprof/app.prof"
	[[ $output != *'3.12 and later'* ]]
	run --separate-stderr ptool doctor --format csv threads.prof
	exits 0
	[[ $output == *threads_mixed*'use py-spy or yappi'* ]]
}

@test "shares of a printed table that was cut are those that it prints" {
	local report=$FIXTURES/pyprof/reports/torch_cuda.txt
	{
		sed -n '1,8p; 11p' "$report"
		tail -n 3 "$report"
	} >log
	run --separate-stderr ptool top --wide log
	exits 0
	[[ $output == *$'\nampere_sgemm_128x64_nn '*' 80.000 '*' 12.68 '* ]]
	[[ $output == *$'\naten::copy_ '*' 1.47 '*' 3.77 '*' 28.52 '* ]]
	run --separate-stderr ptool top --format torch log
	exits 0
	diff <(tail -n 2 <<<"$output") <(tail -n 2 log)
	[ "$(grep aten::copy_ <<<"$output" | tr -s ' ' | cut -d' ' -f1-8)" = "$(grep aten::copy_ log | tr -s ' ' | cut -d' ' -f1-8)" ]
	run --separate-stderr ptool top --format torch --focus aten log
	[[ $output == *$'\nSelf CPU time total: 7.055us\n'* ]]
	# no slices, so no parts of the time
	run --separate-stderr ptool diff -q log "$report"
	exits 0
	[[ $output == *'recording 480.966 us -> 480.966 us'* && $output != *'data loading'* ]]
}

@test "files of other programs are named, and what to export instead" {
	sqlite3 nsys.sqlite 'CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start)'
	sqlite3 rocpd.db 'CREATE TABLE rocpd_string_1 (id)'
	sqlite3 other.db 'CREATE TABLE t (a)'
	printf 'PERFILE2\1\0' >perf.data
	printf '\004\042\115\030\100\100\300\265\011\0\0\361\001memray\0\r\0' >memray.bin
	printf '\n\017\100\350\007\120\001\132\010\110\003\130\005\272\001\001x' >a.pftrace
	printf '\n\034\010\001\022\011/host:CPU\032\015\010\005\022\011python345' >b
	printf '\x80\x02cyappi.YFuncStats\nq\0' >c
	printf '\3757zXZ\0\0\004' >trace.json.xz
	printf 'BZh91AY&SY' >trace.json.bz2
	printf '7z\274\257\047\034\0\4' >traces.7z
	printf 'Rar!\032\007\001\0' >traces.rar
	printf 'abc\0\1' >run.nsys-rep
	cp "$FIXTURES/samples/pyinstrument_5.text" pyinstrument
	printf 'abc\0\1' >run.ncu-rep
	printf '<!DOCTYPE html>\n<script>var pyinstrumentHTMLRenderer=0' >session
	printf '\n<!DOCTYPE html>\n<title>memray - flamegraph' >flame
	printf '<!DOCTYPE html>\n<!-- https://github.com/catapult-project/catapult -->' >viz
	printf '<!doctype html>\n<p>' >page
	printf 'allocator,num_allocations,size,tid\nMALLOC,1,2,3\n' >memray.csv
	printf 'version: 1\ncreator: yappi\n\nevents: Ticks\n' >yappi
	printf 'version: 1\n\nevents: Ir\n' >callgrind.out
	for file in session:'-r session' flame:'memray transform' viz:'viztracer -o' \
		page:'recording that it shows' memray.csv:'memray transform' \
		yappi:"type='pstat'" callgrind.out:'callgrind_annotate FILE' \
		nsys.sqlite:'nsys stats' rocpd.db:'rocpd convert' perf.data:stackcollapse-perf.pl \
		memray.bin:'memray transform speedscope' a.pftrace:'traceconv json' b:create_perfetto_trace \
		trace.json.xz:"'xz -dk FILE'" trace.json.bz2:"'bzip2 -dk FILE'" \
		traces.7z:"'7z x FILE'" traces.rar:"'unrar x FILE'" \
		c:YFuncStats pyinstrument:'-r session' run.nsys-rep:'nsys stats' run.ncu-rep:'ncu --import'; do
		run --separate-stderr ptool top "${file%%:*}"
		exits 4
		[ "${#stderr_lines[@]}" = 1 ]
		[[ $stderr == "ptool: top: ${file%%:*}: byte 0: this is "*", which ptool does not read: "*"${file#*:}"* ]]
	done
	run --separate-stderr ptool top other.db
	says 'ptool: top: other.db: not a ptool store'
	# a text with a P behind a newline is no protobuf, and a name says nothing of it
	printf '\n\nProfile' >text
	run --separate-stderr ptool top text
	[[ $stderr == *'no known format'* ]]
}

@test "names in messages are shown, not obeyed, and stay on one line" {
	printf '{)\x03z\x05a\ne\x1bfi\x01\0\0\0z\x01gN0' >hostile
	run --separate-stderr ptool ingest hostile
	exits 4
	says 'ptool: ingest: hostile: byte 18: the value of a\ne\x1bf:1(g) is None of another shape; (primitive calls, calls, self, total, callers) is expected'
}

@test "info does not tell what a call graph cannot have" {
	ptool ingest -q "$APP.prof"
	run --separate-stderr ptool info ptool.db
	exits 0
	lacks -e recorded <<<"$output $stderr"
}

@test "a listing that rounded all self times away is ordered by total time" {
	cat >short.txt <<'TXT'
         2 function calls in 0.001 seconds

   Ordered by: standard name

   ncalls  tottime  percall  cumtime  percall filename:lineno(function)
        1    0.000    0.000    0.000    0.000 a.py:1(f)
        1    0.000    0.000    0.001    0.001 w.py:1(main)


TXT
	run -0 --separate-stderr ptool top -q --format csv short.txt
	[[ ${lines[1]} == *'w.py'* ]]
	run -0 --separate-stderr ptool top -q --sort self --format csv short.txt
	[[ ${lines[1]} == *'a.py'* ]]
}

@test "profiling.sampling gives self and total times units of their own" {
	printf 'Profile Stats:\n  nsamples  sample%%  tottime (ms)  cumul%%  cumtime (s)  filename:lineno(function)\n' >t.txt
	printf '  500/1000  40.0  500.000  80.0  1.250  a.py:3(work)\n' >>t.txt
	ptool ingest -q t.txt
	[ "$(ask ptool.db 'SELECT self_s, total_s FROM function_stat')" = '0.5|1.25' ]
}

@test "of a function that a listing has twice the last row counts, as is told" {
	printf '7 function calls in 0.300 seconds\n\n   ncalls  tottime  percall  cumtime  percall filename:lineno(function)\n' >t.txt
	printf '        %s    0.%s00    0.033    0.%s00    0.033 a.py:1(f)\n' 3 1 1 4 2 2 >>t.txt
	ptool ingest -q t.txt
	[ "$(ask ptool.db 'SELECT calls, self_s, total_s FROM function_stat')" = '4|0.2|0.2' ]
	[ "$(ask ptool.db "SELECT count FROM finding WHERE code = 'duplicate_function'")" = 1 ]
}

@test "rows of importtime=2 for cached modules are no bad rows" {
	printf 'import time: self [us] | cumulative | imported package\n' >t.txt
	printf 'import time:        38 |         38 |   _codecs\nimport time: cached    | cached     | sys\n' >>t.txt
	ptool ingest -q --strict t.txt
	[ "$(ask ptool.db 'SELECT function, self_ns FROM v_function')" = '_codecs|38000' ]
}

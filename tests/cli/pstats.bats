#!/usr/bin/env bats
# ptool pstats: what a user sees beside the listings, which tests/pstats holds to those
# of Python's pstats.

load setup

export TZ=UTC
PYPROF=$FIXTURES/pyprof/pstats

# Copies of dumps of fixtures, of a known time.
dumps() { # NAME...
	for name; do
		cp "$PYPROF/$name.prof" "$(basename "$name").prof"
		touch -d '2024-01-02 03:04:05 UTC' "$(basename "$name").prof"
	done
}

listing() { # OPTION...
	"$PTOOL" pstats "$@" 2>/dev/null
}

@test "a file is called what it was called, in local time" {
	dumps special/stripmerge
	[ "$(listing stripmerge.prof | head -1)" = 'Tue Jan  2 03:04:05 2024    stripmerge.prof' ]
	[ "$(listing ./stripmerge.prof | head -1)" = 'Tue Jan  2 03:04:05 2024    ./stripmerge.prof' ]
	[ "$(TZ=Asia/Kolkata listing stripmerge.prof | head -1)" = 'Tue Jan  2 08:34:05 2024    stripmerge.prof' ]
}

@test "a store is listed as its files are, under the names that it has" {
	dumps special/stripmerge
	ptool ingest -q stripmerge.prof
	diff <(listing --sort time | tail -n +2) <(listing --sort time stripmerge.prof | tail -n +2)
	[ "$(listing | head -1)" = "Tue Jan  2 03:04:05 2024    $PWD/stripmerge.prof" ]
	diff <(listing ptool.db) <(listing)
}

@test "several files are added as Stats(a, b, c) adds them" {
	dumps special/stripmerge special/zerocalls special/bigcounts
	listing stripmerge.prof zerocalls.prof bigcounts.prof | head -3 | diff - <(
		printf 'Tue Jan  2 03:04:05 2024    %s.prof\n' stripmerge bigcounts zerocalls
	)
	# the profiles of one store likewise
	ptool ingest -q stripmerge.prof zerocalls.prof bigcounts.prof
	diff <(listing | tail -n +4) <(listing stripmerge.prof zerocalls.prof bigcounts.prof | tail -n +4)
	# and of a store and a file
	ptool ingest -q -o two.db zerocalls.prof bigcounts.prof
	diff <(listing stripmerge.prof two.db | tail -n +4) <(listing | tail -n +4)
}

@test "standard input has no time, and a member of an archive not that of the archive" {
	dumps special/stripmerge
	listing - <stripmerge.prof | head -2 | diff - <(printf -- '-\n\n')
	tar -cf a.tar stripmerge.prof
	listing a.tar | head -2 | diff - <(printf 'a.tar\n\n')
}

@test "restrictions cut in the order in which they are given" {
	dumps sys311/w_gen
	listing --limit 20 --match w_gen w_gen.prof >first
	listing --match w_gen --limit=2 w_gen.prof >other
	grep -A1 'from 28 to 20 due to restriction <20>' first | grep -q "from 20 to [0-9]* due to restriction <'w_gen'>"
	grep -A1 "from 28 to [0-9]* due to restriction <'w_gen'>" other | grep -q 'to 2 due to restriction <2>'
}

@test "an expression that is none cuts nothing, and is told as pstats tells it" {
	dumps special/stripmerge
	run --separate-stderr ptool pstats --match '(a' --match 'it'"'"'s(' stripmerge.prof
	exits 0
	grep -qxF "   <Invalid regular expression '(a'>" <<<"$output"
	grep -qxF "   <Invalid regular expression \"it's(\">" <<<"$output"
}

@test "what matches nothing leaves the totals, and exits 3" {
	dumps special/stripmerge
	ptool pstats stripmerge.prof >/dev/null 2>&1
	run --separate-stderr ptool pstats --match nothing stripmerge.prof
	exits 3
	says 'ptool: pstats: stripmerge.prof: no function matches'
	[ "${#lines[@]}" -eq 2 ]
	run --separate-stderr ptool pstats --limit 0 stripmerge.prof
	exits 0
	says ''
}

@test "callers that pstats overwrites are told, and added for machines" {
	python3 - <<'EOF'
import marshal
callers = {("/a/k.py", 1, "k"): (1, 1, 0.5, 1.0), ("/b/k.py", 1, "k"): (2, 2, 0.25, 0.5)}
marshal.dump({("f.py", 3, "f"): (3, 3, 0.75, 1.5, callers)}, open("two.prof", "wb"))
EOF
	ptool pstats two.prof >/dev/null 2>&1
	run --separate-stderr ptool pstats --strip-dirs --callers two.prof
	exits 0
	[ "${lines[3]}" = 'f.py:3(f)  <-       2    0.250    0.500  k.py:1(k)' ]
	says 'ptool: pstats: 1 callers got the name of another caller when directories were stripped, and replaced it, as pstats does; --format csv adds them up'
	run --separate-stderr ptool pstats --strip-dirs --callers --format csv two.prof
	exits 0
	says ''
	prints 'caller_file,caller_line,caller_function,file,line,function,calls,primitive_calls,self_ns,total_ns
"k.py",1,"k","f.py",3,"f",3,3,750000000,1500000000'
	run --separate-stderr ptool pstats --strip-dirs two.prof
	says ''
}

@test "machines get nanoseconds, null for what there is not, and all digits" {
	dumps special/stripmerge special/bigcounts special/purepy_intticks_313 special/nan_inf
	listing --format csv --sort time --limit 2 stripmerge.prof | diff - <(
		echo file,line,function,calls,primitive_calls,self_ns,total_ns
		echo '"/a/b.py",10,"f",2,1,500000000,1500000000'
		echo '"/c/b.py",10,"f",3,3,250000000,750000000'
	)
	listing --format csv bigcounts.prof | grep -q '^"/c/b.py",10,"f","\?1180591620717411303424"\?,4611686018427387904,'
	listing --format csv nan_inf.prof | grep -qx '"/a/b.py",10,"f",1,1,,9223372036854775807'
	listing --format csv --callees --match sum purepy_intticks_313.prof | tail -1 | grep -qx '"",0,"sum","<stdin>",8,"<genexpr>",21,,,'
	listing --format json stripmerge.prof | python3 -c 'import json, sys; assert len(json.load(sys.stdin)["rows"]) == 4'
	for format in table tsv ndjson markdown; do
		listing --format "$format" bigcounts.prof | grep -q 1180591620717411303424
	done
}

@test "the suffix of --output chooses the format" {
	dumps special/stripmerge
	listing -o listing.txt stripmerge.prof
	diff listing.txt <(listing stripmerge.prof)
	listing -o listing.prof.out --format pstats stripmerge.prof
	diff listing.prof.out listing.txt
	listing -o listing.csv stripmerge.prof
	diff listing.csv <(listing --format csv stripmerge.prof)
	run --separate-stderr ptool pstats -o listing.pdf stripmerge.prof
	exits 2
	says 'ptool: pstats: listing.pdf: no format has this suffix; name one with --format'
	run --separate-stderr ptool pstats -o listing.csv stripmerge.prof
	exits 2
	says 'ptool: pstats: listing.csv exists; -f replaces it'
}

@test "a trace is listed with its operators and frames" {
	ptool pstats --sort time "$TORCH/t2141_cnn_w0/trace.json.gz" >listing 2>/dev/null
	# what takes its own time is what ptool top says
	ptool top --sort self_cpu --limit 1 --format csv "$TORCH/t2141_cnn_w0/trace.json.gz" 2>/dev/null | tail -1 | cut -d'"' -f2 >longest
	sed -n '/ncalls/{n;p}' listing | grep -qF -f longest
	ptool pstats --callers --format csv "$TORCH/t2141_cnn_w0_stack/trace.json.gz" 2>/dev/null >calls
	grep -q '\.py",[0-9]*,"[^,]*","~",0,"aten::' calls
}

@test "a trace's own times are those of ptool top, and calls add up" {
	trace=$TORCH/t2141_cnn_w0/trace.json.gz
	ptool pstats --format json "$trace" 2>/dev/null >functions
	ptool pstats --callers --format json "$trace" 2>/dev/null >calls
	ptool top --limit 0 --format json "$trace" 2>/dev/null >top
	python3 - <<'EOF'
import collections, json
functions, calls, top = (json.load(open(name))["rows"] for name in ("functions", "calls", "top"))
wanted = collections.Counter()
count = collections.Counter()
for row in top:
    wanted[row["name"]] += row["self_cpu_ns"] or 0
    count[row["name"]] += row["calls"]
for row in functions:
    assert row["self_ns"] == wanted[row["function"]], row
    assert row["calls"] == count[row["function"]], row
    assert row["primitive_calls"] <= row["calls"]
into = collections.Counter()
for row in calls:
    into[row["function"]] += row["calls"]
assert len(functions) > 20 and len(calls) > 20
assert all(into[row["function"]] <= row["calls"] for row in functions)
EOF
}

@test "one long name pads no other row" {
	python3 - <<'EOF'
import marshal
callers = {("f.py", 1, "main"): (1, 1, 0.0, 0.0)}
marshal.dump({("f.py", i, f"f{i}" if i else 100000 * "L"): (1, 1, 0.0, 0.0, callers) for i in range(500)}, open("long.prof", "wb"))
EOF
	listing --callers long.prof >calls
	[ "$(wc -c <calls)" -lt 1000000 ]
	# 512 characters and two blanks; the long name runs over, with as many behind it
	grep -q "^f.py:7(f7) \{504\}<-       1    0.000    0.000  f.py:1(main)\$" calls
	grep -q '^f.py:0(L*)  <-       1    0.000    0.000  f.py:1(main)$' calls
}

@test "names cannot speak to the terminal" {
	python3 - <<'EOF'
import marshal
marshal.dump({("f.py", 3, "f\x1b[2J\u200bg"): (3, 3, 0.75, 1.5, {}), ("f.py", 9, "top\x9b2J"): (1, 1, 0.0, 0.0, {("jprofile", 0, "profiler"): (1, 1, 0.0, 0.0)})},
             open("esc.prof", "wb"))
EOF
	on_terminal 200 "$PTOOL" pstats --no-pager esc.prof >seen
	grep -qF 'f.py:3(f\x1b[2J\u200bg)' seen
	grep -qF ' top\u009b2J' seen
	# nor to that of a pager that a pipe leads to: but for controls the bytes are Python's
	listing esc.prof >piped
	grep -qF $'f.py:3(f\\x1b[2J\u200bg)' piped
	grep -qF ' top\u009b2J' piped
}

@test "mistakes are told, and exit 2" {
	dumps special/stripmerge
	run --separate-stderr ptool pstats --sort tie stripmerge.prof
	exits 2
	says "ptool: pstats: unknown sort key 'tie'; did you mean 'time'? (valid: calls, ncalls, cumtime, cumulative, filename, line, module, name, nfl, pcalls, stdname, time, tottime)"
	for sort in c n t cumulativ,x time, -1,0 3; do
		run --separate-stderr ptool pstats "--sort=$sort" stripmerge.prof
		exits 2
	done
	run --separate-stderr ptool pstats --fraction 2 stripmerge.prof
	exits 2
	says "ptool: pstats: --fraction wants a number from 0 to 1, not '2'"
	run --separate-stderr ptool pstats --fraction nan stripmerge.prof
	exits 2
	run --separate-stderr ptool pstats --limit many stripmerge.prof
	exits 2
	says "ptool: pstats: --limit wants a number, not 'many'"
	run --separate-stderr ptool pstats --callers --callees stripmerge.prof
	exits 2
	says 'ptool: pstats: --callers and --callees are two listings: give one'
}

@test "old keys, pprof's keys and --sort help" {
	dumps special/stripmerge
	for pair in '-1 standard name' '0 call count' '1 internal time' '2 cumulative time' 'cum cumulative time' 'flat internal time'; do
		listing "--sort=${pair%% *}" stripmerge.prof | grep -qx "   Ordered by: ${pair#* }"
	done
	listing --sort time,name -s file stripmerge.prof | grep -qx '   Ordered by: internal time, function name, file name'
	listing --sort help | grep -q '^nfl  *name/file/line'
}

@test "a missing file is named, and what has no functions" {
	dumps special/stripmerge
	ptool pstats stripmerge.prof >/dev/null 2>&1
	run --separate-stderr ptool pstats stripmerge.prof no.prof
	exits 4
	says 'ptool: pstats: no.prof: No such file or directory'
	run --separate-stderr ptool pstats
	exits 4
	printf '[{"ph": "C", "name": "n", "pid": 1, "ts": 1, "args": {"a": 1}}]' >counter.json
	ptool ingest -q counter.json
	run --separate-stderr ptool pstats
	exits 3
	says 'ptool: pstats: ptool.db: no functions were recorded'
}

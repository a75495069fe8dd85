#!/usr/bin/env bats
# ptool export, as users see it.  What it writes is held against Python's own reading
# in tests/pyprof/check_export.py.

load setup

PROF=$FIXTURES/pyprof/pstats/sys311/w_gen.prof

@test "a dump goes to a file, to - or to a pipe, the same bytes" {
	cp "$PROF" a.prof
	ptool export --to pstats a.prof -o b.prof
	ptool export --to pstats a.prof -o - | cmp b.prof -
	ptool export --to pstats a.prof | cmp b.prof -
	ptool export a.prof -o c.pstats
	cmp b.prof c.pstats
	only_files a.prof b.prof c.pstats
}

@test "what is exported is read again as the same profile" {
	ptool export --to pstats "$PROF" -o b.prof
	ptool callers . "$PROF" --format csv >want
	ptool callers . b.prof --format csv | cmp want -
	ptool export --to pstats b.prof | cmp b.prof -
}

@test "a format must be told, by --to or by the suffix" {
	run -2 --separate-stderr ptool export "$PROF"
	says 'ptool: export: --to FORMAT says what to write, pstats for one'
	run -2 --separate-stderr ptool export "$PROF" -o out.txt
	says 'ptool: export: --to FORMAT says what to write, pstats for one'
	run -2 --separate-stderr ptool export "$PROF" --to pstat
	says "ptool: export: unknown --to 'pstat'; did you mean 'pstats'? (valid: pstats)"
	[ -z "$(ls -A)" ]
}

@test "a terminal gets no binary" {
	run -2 on_terminal 80 "$PTOOL" export --to pstats "$PROF"
	[[ $output == *'pstats is binary and is not written to a terminal: -o FILE writes a file'* ]]
}

@test "a file appears whole or not at all, and is replaced only with -f" {
	cp "$PROF" a.prof
	echo mine >out.prof
	run -2 --separate-stderr ptool export --to pstats a.prof -o out.prof
	says 'ptool: export: out.prof exists; -f replaces it'
	[ "$(cat out.prof)" = mine ]
	ptool export --to pstats a.prof -f -o out.prof
	ptool export --to pstats a.prof | cmp out.prof -
	run -5 --separate-stderr ptool export --to pstats a.prof -o missing/out.prof
	[[ $stderr == *'missing/out.prof: No such file or directory' ]]
	run -5 --separate-stderr bash -c '"$PTOOL" export --to pstats a.prof >/dev/full'
	says 'ptool: export: standard output: No space left on device'
	run -0 --separate-stderr bash -c 'set -o pipefail; "$PTOOL" export --to pstats a.prof | true'
	says ''
	only_files a.prof out.prof
}

@test "what holds no function leaves no file" {
	echo '[{"ph":"C","ts":1,"pid":1,"name":"c","args":{"a":1}}]' >counter.json
	ptool ingest -q counter.json
	run -3 --separate-stderr ptool export --to pstats -o out.prof
	[[ $stderr == 'ptool: export: ptool.db: '* ]]
	[ ! -e out.prof ]
	run -4 --separate-stderr ptool export --to pstats missing.db
	says 'ptool: export: missing.db: No such file or directory'
}

#!/usr/bin/env bats
# Files that -o names: what is replaced, and with which mode.

load setup

setup_file() {
	ptool ingest -q -o "$BATS_FILE_TMPDIR/ptool.db" "$GPU/copies.json"
}

store() {
	cp "$BATS_FILE_TMPDIR/ptool.db" .
}

mode() { # FILE
	stat -c %a "$1"
}

@test "-f keeps the mode of the file, a new one has the usual one" {
	store
	umask 022
	echo mine >out.csv
	chmod 600 out.csv
	ptool top -f -o out.csv
	[ "$(mode out.csv)" = 600 ]
	ptool top -o new.csv
	[ "$(mode new.csv)" = 644 ]
	cmp out.csv new.csv
	only_files ptool.db out.csv new.csv
}

@test "a link stays, and what it points at is written, there or not" {
	store
	mkdir folder
	ln -s folder/new.csv link.csv
	ln -s link.csv chain.csv
	ptool top -o chain.csv
	[ -L link.csv ]
	[ -L chain.csv ]
	[ -s folder/new.csv ]
	run --separate-stderr ptool top -o chain.csv
	exits 2
	says 'ptool: top: chain.csv exists; -f replaces it'
	ptool top --limit 1 -f -o chain.csv
	[ -L link.csv ]
	[ -L chain.csv ]
	[ "$(wc -l <folder/new.csv)" = 2 ]
	ln -s round.csv round.csv
	run --separate-stderr ptool top -o round.csv
	exits 5
	says 'ptool: top: round.csv: Too many levels of symbolic links'
	only_files ptool.db folder link.csv chain.csv round.csv
}

@test "a pipe is written to, by whatever name it has" {
	store
	ptool top --format csv >top.csv
	ptool top -o /dev/stdout --format csv | cmp top.csv -
	ptool top -o /dev/fd/7 --format csv 7> >(cmp top.csv - >seven; echo "$?" >>seven) 2>told
	ptool top -o >(cat >eight) --format csv
	for ((i = 0; i < 100; i++)); do
		[ ! -s seven ] || [ "$(wc -l <eight)" != "$(wc -l <top.csv)" ] || break
		sleep 0.05
	done
	[ "$(cat seven)" = 0 ]
	cmp top.csv eight
	ptool export -q --to folded -o /dev/stdout "$FIXTURES/pyprof/pstats/sys311/w_gen.prof" | grep -q "w_gen.py:1"
}

@test "a name may be as long as names can be" {
	store
	for n in 226 227 249 250 251 255; do
		name=$(printf '%*s' $((n - 4)) '' | tr ' ' x)
		ptool top -o "$name.csv"
		ptool ingest -q -o "${name:0:-1}s.db" "$GPU/copies.json"
		ptool ingest -q --run another -o "${name:0:-1}s.db" "$GPU/sync.json"
		[ "$(ptool info --format csv "${name:0:-1}s.db" | wc -l)" -gt 2 ]
		[ -z "$(find . -name '*.lock' -o -name '*.tmp.*' -o -name '*~*')" ]
	done
	[ "$(find . -type f | wc -l)" = 13 ]
}

@test "4: a socket is no input, wherever it is named" {
	store
	python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("socket")'
	run --separate-stderr ptool top socket
	exits 4
	run --separate-stderr ptool sql --file socket
	exits 4
	run --separate-stderr ptool gate -f socket
	exits 4
	[[ $stderr == *'No such device or address' ]]
}

@test "what is read is not replaced, also with -f" {
	cp "$GPU/copies.json" trace.json
	ptool ingest -q trace.json
	ln -s trace.json link.json
	cp ptool.db was.db
	printf '[run]\n' >b.budget
	cp b.budget was.budget
	for line in 'top trace.json -o trace.json --format csv' 'report trace.json -o ./link.json' 'top -o ptool.db' \
		'export --to chrome -o ptool.db ptool.db' 'diff ptool.db trace.json -o trace.json' \
		'report -o ptool.db' 'pstats -o ptool.db' 'flame was.db --base trace.json -o trace.json' \
		'diff --base t*.json --new ptool.db -o trace.json' 'top - -o trace.json --format csv'; do
		set -f
		run --separate-stderr ptool $line -f <trace.json
		set +f
		exits 2
		[[ $stderr == *"' is what is read: -o writes to another file" ]] || { echo "$line: $stderr"; return 1; }
	done
	for line in '-o ptool.db --force' '--junit ptool.db' '--verdict-file ./ptool.db' '--verdict-file b.budget'; do
		run --separate-stderr ptool gate -f b.budget $line
		exits 2
		[[ $stderr == *"' is what is read: "* ]] || { echo "$line: $stderr"; return 1; }
	done
	cmp trace.json "$GPU/copies.json"
	cmp ptool.db was.db
	cmp b.budget was.budget
	: >-
	ptool top -q -o - - <trace.json >out
	[ -s out ]
}

#!/usr/bin/env bats
# ptool --version: what to put into a bug report.

load setup

@test "--version says the version, the schema and the libraries, one a line" {
	run --separate-stderr ptool --version
	exits 0
	says ''
	[[ ${lines[0]} =~ ^ptool\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
	[[ ${lines[1]} =~ ^store\ schema\ [0-9]+$ ]]
	[[ ${lines[2]} =~ ^sqlite\ 3\.[0-9]+\.[0-9]+$ ]]
	[[ ${lines[3]} =~ ^libcsv\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
	[[ ${lines[4]} =~ ^pcre2\ [0-9]+\.[0-9]+ ]]
	[[ ${lines[5]} =~ ^(isa-l|zlib)\ [0-9]+\.[0-9.]+$ ]]
	[[ ${lines[6]} =~ ^zstd\ [0-9]+\.[0-9.]+$ ]]
	[[ ${lines[7]} =~ ^libarchive\ [0-9]+\.[0-9.]+ ]]
	[ ${#lines[@]} -eq 8 ]
}

@test "-V is --version" {
	[ "$(ptool -V)" = "$(ptool --version)" ]
}

@test "the schema it names is that of the stores it writes" {
	ptool ingest -q "$GPU/copies.json"
	ptool --version | grep -qx "store schema $(ask ptool.db 'PRAGMA user_version')"
}

@test "a version that cannot be written is exit 5" {
	run --separate-stderr bash -c '"$PTOOL" --version >/dev/full'
	exits 5
	says 'ptool: standard output: No space left on device'
}

@test "a closed standard output is exit 5, not success" {
	run --separate-stderr bash -c '"$PTOOL" --version >&-'
	exits 5
}

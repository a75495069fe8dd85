#!/bin/sh
# fuzz.sh BUILD SECONDS: runs each libFuzzer program of BUILD that long.  New
# inputs and crashers stay in BUILD; a crasher, minimised, belongs into
# tests/fuzz/corpus/<name>, where make check replays it.
set -eu

build=$1
seconds=$2
failed=
for program in "$build"/fuzz/fuzz_*; do
	[ -x "$program" ] || continue
	name=${program##*/fuzz_}
	found=$build/corpus/$name
	crashes=$build/crashes/$name
	mkdir -p "$found" "$crashes"
	set -- -max_total_time="$seconds" -timeout=25 -rss_limit_mb=2048 \
		-print_final_stats=1 -verbosity=0 -artifact_prefix="$crashes/"
	[ ! -f "tests/fuzz/fuzz_$name.dict" ] || set -- "$@" -dict="tests/fuzz/fuzz_$name.dict"
	# The first folder is where libFuzzer writes.
	set -- "$@" "$found"
	[ ! -d "tests/fuzz/corpus/$name" ] || set -- "$@" "tests/fuzz/corpus/$name"
	[ ! -d tests/fixtures ] || set -- "$@" tests/fixtures
	echo "fuzz_$name: $seconds s"
	"$program" "$@" || failed="$failed $name"
done
[ -z "$failed" ] || {
	echo "fuzz: crashes of$failed: see $build/crashes" >&2
	exit 1
}

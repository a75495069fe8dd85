#!/bin/sh
# bench.sh PTOOL FOLDER: how fast ptool is on big traces, beside what else reads them.
#
# Builds its inputs in FOLDER (kept and used again), runs everything five times in turn on
# this machine, and prints one table; the same rows go to FOLDER/bench.csv.  Asserts nothing.
#
#   BENCH_BYTES  size of each input (1e9)
#   BENCH_KINDS  kinds of gen to ingest ("gpu cpu stack allx names tracks shuffled")
#   BENCH_RUNS   repetitions (5)
#   CC, CXX      compilers of the bench's own programs (cc, c++)
#
# simdjson needs libsimdjson-dev; without it its row says so.
set -eu

[ $# -eq 2 ] || { echo "usage: bench.sh PTOOL FOLDER" >&2; exit 2; }
ptool=$1 folder=$2
bytes=${BENCH_BYTES:-1e9} runs=${BENCH_RUNS:-5}
kinds=${BENCH_KINDS:-gpu cpu stack allx names tracks shuffled}
here=$(dirname "$0")
command -v "$ptool" >/dev/null || { echo "bench.sh: $ptool: not a program" >&2; exit 4; }
mkdir -p "$folder"
samples=$folder/samples.csv
: >"$samples"

build() {
	${CC:-cc} -O2 -D_XOPEN_SOURCE=700 -o "$folder/gen" "$here"/gen.c "$here"/gen_steps.c "$here"/gen_text.c
	${CC:-cc} -O2 -D_XOPEN_SOURCE=700 -o "$folder/timed" "$here/timed.c"
	# On-Demand is compiled in, so it uses what instructions we allow here.
	${CXX:-c++} -std=c++17 -O3 -march=native -DNDEBUG -o "$folder/simdjson_visit" \
		"$here/simdjson_visit.cpp" -lsimdjson 2>"$folder/simdjson.log" ||
		echo "bench.sh: no simdjson row, see $folder/simdjson.log" >&2
}

input() { # KIND: the file's name; made once for each size
	file=$folder/$1-$bytes.json
	[ -f "$file" ] || { "$folder/gen" "$1" "$bytes" >"$file.tmp" && mv "$file.tmp" "$file"; }
	echo "$file"
}

measure() { # WHAT INPUT BYTES COMMAND...: one sample: what, input, bytes, timed's five
	what=$1 file=$2 size=$3
	shift 3
	printf '%s,%s,%s,%s\n' "$what" "$(basename "$file")" "$size" \
		"$("$folder/timed" "$@" 2>>"$folder/stderr.log")" >>"$samples"
}

size() { # FILE
	wc -c <"$1" | tr -d ' '
}

round() {
	for kind in $kinds; do
		file=$(input "$kind")
		rm -f "$folder/$kind.db"
		measure "ptool ingest" "$file" "$(size "$file")" "$ptool" ingest -o "$folder/$kind.db" "$file"
		measure "ptool top" "$kind.db" - "$ptool" top "$folder/$kind.db"
	done
	rm -f "$folder/gz.db"
	measure "ptool ingest .gz" "$plain.gz" "$(size "$plain")" "$ptool" ingest -o "$folder/gz.db" "$plain.gz"
	measure "python json.load" "$plain" "$(size "$plain")" python3 -c \
		'import json, sys; json.load(open(sys.argv[1], encoding="utf-8"))' "$plain"
	[ ! -x "$folder/simdjson_visit" ] ||
		measure "simdjson every token" "$plain" "$(size "$plain")" "$folder/simdjson_visit" "$plain"
}

header() {
	echo "# $(date -u +%Y-%m-%d) $(uname -sm), $(getconf _NPROCESSORS_ONLN) cores, $(sed -n \
		's/^model name[^:]*: //p' /proc/cpuinfo 2>/dev/null | head -n 1)"
	echo "# $("$ptool" --version 2>/dev/null | head -n 1); commit $(git -C "$here" \
		describe --always --dirty 2>/dev/null || echo unknown); $(${CC:-cc} --version | head -n 1)"
	echo "# $runs runs of each, median seconds; bytes and MB/s are of the JSON text"
}

# Medians of wall and CPU, the largest peak, and the first exit status that is not 0.
summary() {
	awk -F, -v OFS=, '
	{ key = $1 OFS $2 OFS $3; if (!(key in n)) order[++rows] = key
	  i = ++n[key]; wall[key, i] = $4; cpu[key, i] = $5 + $6
	  if ($7 > peak[key]) peak[key] = $7
	  if ($8 != 0) failed[key] = $8 }
	function median(a, key, m,   i, j, t, v) {
		for (i = 1; i <= m; i++) v[i] = a[key, i]
		for (i = 2; i <= m; i++) for (j = i; j > 1 && v[j - 1] > v[j]; j--) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
		return m % 2 ? v[(m + 1) / 2] : (v[m / 2] + v[m / 2 + 1]) / 2
	}
	END {
		print "what", "input", "bytes", "wall_s", "mb_per_s", "cpu_s", "peak_rss_mb", "exit_status"
		for (r = 1; r <= rows; r++) {
			key = order[r]; split(key, part, OFS); w = median(wall, key, n[key])
			rate = part[3] == "-" ? "-" : sprintf("%.0f", part[3] / 1e6 / (w > 0 ? w : 1e-4))
			printf "%s,%.3f,%s,%.3f,%.1f,%d\n", key, w, rate, \
				median(cpu, key, n[key]), peak[key] * 1024 / 1e6, failed[key]
		}
	}' "$samples"
}

build
plain=$(input "${kinds%% *}")
[ -f "$plain.gz" ] || { gzip -6 -n <"$plain" >"$plain.gz.tmp" && mv "$plain.gz.tmp" "$plain.gz"; }
run=0
while [ "$run" -lt "$runs" ]; do
	round
	run=$((run + 1))
done
summary >"$folder/bench.csv"
header
awk -F, '{ printf "%-22s %-24s %12s %9s %9s %9s %12s %12s\n", $1, $2, $3, $4, $5, $6, $7, $8 }' "$folder/bench.csv"

#!/bin/sh
# demo.sh PTOOL: a first look: ingests a real PyTorch trace in an empty folder
# and prints the ten operators with the most CPU time.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
bin=$(cd "$(dirname "$1")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

cp "$root/tests/fixtures/torch/t2141_cnn_w0/trace.json.gz" "$folder"
cd "$folder"
# As after `make install`, and with nothing of the user's settings.
PATH=$bin:$PATH
unset PTOOL_STORE PTOOL_CACHE

show() {
	printf '\n$ %s\n' "$*"
	"$@"
}

show ptool ingest trace.json.gz
show ptool top --sort cpu_time_total --limit 10

#!/usr/bin/env bats
# ptool transfers: copies and sets, summed up and one by one.

load setup

setup_store() {
	ptool ingest -q --run gpu "$GPU/copies.json"
}

@test "copies and sets by kind and memory, as people read them" {
	setup_store
	ptool transfers | like_golden transfers.txt
	ptool transfers --by op | like_golden transfers_op.txt
	ptool transfers --list | like_golden transfers_list.txt
}

@test "machines get all columns, bare numbers, and null for what there is not" {
	setup_store
	ptool transfers --format csv | like_golden transfers.csv
	ptool transfers --list --limit 2 --format json | like_golden transfers.json
	ptool transfers --by device --format csv |
		cut -d, -f1-4 | { read -r head; [ "$head" = profile,rank,device,calls ]; }
}

@test "a table fits 80 columns" {
	ptool ingest -q --run gpu "$GPU/copies.json" "$GPU/two_devices.json"
	for by in kind op step device; do
		ptool transfers --width 80 --by "$by" >wide
		[ "$(wc -L <wide)" -le 80 ]
	done
	ptool transfers --width 80 --list >wide
	[ "$(wc -L <wide)" -le 80 ]
}

@test "devices and profiles are never added together" {
	ptool ingest -q --run gpu "$GPU/copies.json" "$GPU/two_devices.json"
	[ "$(ptool transfers --by device --format csv | tail -n +2 | cut -d, -f1,3)" = "$(printf '1,0\n2,1')" ]
}

@test "filters choose single transfers" {
	setup_store
	[ "$(ptool transfers --list --format csv --focus HtoD | tail -n +2 | wc -l)" = 3 ]
	[ "$(ptool transfers --list --format csv --min-dur 800us | tail -n +2 | wc -l)" = 2 ]
	[ "$(ptool transfers --list --format csv --ignore 'Memcpy' | tail -n +2 | wc -l)" = 2 ]
	[ "$(ptool transfers --list --format csv --time 0..1ms | tail -n +2 | wc -l)" = 1 ]
	[ "$(ptool transfers --format csv --limit 2 | tail -n +2 | wc -l)" = 2 ]
	run -3 --separate-stderr ptool transfers --step 99
	says "ptool: transfers: ptool.db: --step 99: the only one is 0"
	run -3 --separate-stderr ptool transfers --device 7
	says "ptool: transfers: ptool.db: --device 7: the only one is 0"
	run -2 --separate-stderr ptool transfers --thread 7
	says "ptool: transfers: --cat and --thread choose slices of the host: 'ptool list' and 'ptool top' show them"
}

@test "a recording without device work says what lacks" {
	ptool ingest -q "$TORCH/t2141_cnn_w0/trace.json.gz"
	run -3 --separate-stderr ptool transfers
	says "ptool: transfers: ptool.db: no device work was recorded: profile with activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]"
}

@test "mistakes in the command line name what is nearest" {
	run -2 --separate-stderr ptool transfers --by ops
	[[ $stderr == *"op"* ]]
	run -2 --separate-stderr ptool transfers --lisst
	[[ $stderr == *"--list"* ]]
}

@test "a store that somebody edited is told, not believed" {
	ptool ingest -q --summaries yes -o edited.db "$GPU/copies.json"
	sqlite3 edited.db "UPDATE transfer_part SET exposed_ns = busy_ns + 1"
	run -4 --separate-stderr ptool transfers edited.db
	says "ptool: transfers: edited.db: the rows of transfer_part do not fit together; ingest again"
	setup_store
	edit_slices "UPDATE slice_row SET launch_id = 9223372036854775807 WHERE launch_id IS NOT NULL"
	run -4 --separate-stderr ptool transfers
	says "ptool: transfers: ptool.db: the store's slices do not fit together; ingest again"
	edit_slices "UPDATE slice_row SET launch_id = NULL"
	ptool transfers >/dev/null
	sqlite3 ptool.db "UPDATE copy SET bytes = 9223372036854775807"
	ptool transfers --format csv >/dev/null
	sqlite3 ptool.db "UPDATE copy SET bytes = -5"
	ptool transfers --format csv | cut -d, -f1-7 >rows
	! grep -q -- -5 rows
	edit_slices "UPDATE slice_row SET op_id = id, launch_id = id, parent_id = id + 1"
	run -4 --separate-stderr ptool transfers
	says "ptool: transfers: ptool.db: the store is damaged: slices come before the ones around them; ingest again"
}

@test "rows are sorted by the columns that there are" {
	ptool ingest -q "$GPU/copies.json"
	ptool transfers --sort size -n 1 | grep -q "^HtoD pinned"
	ptool transfers --list --sort start -r -n 1 | grep -q memset
	run -2 --separate-stderr ptool transfers --sort stream
	says "ptool: transfers: --sort stream needs --list"
}

@test "--list and --by are refused together" {
	run --separate-stderr ptool transfers --list --by op "$GPU/sync.json"
	exits 2
	says "ptool: transfers: --list shows single transfers, --by sums them up: give one"
}

@test "of ROCm's copies the launching call tells the size" {
	cat >rocm.json <<-'JSON'
		{"traceEvents": [
		{"ph": "X", "cat": "cuda_runtime", "name": "hipMalloc", "pid": 1, "tid": 1, "ts": 5, "dur": 3,
		 "args": {"correlation": 6, "ptr": "0x1", "size": "77"}},
		{"ph": "X", "cat": "cuda_runtime", "name": "hipMemcpyWithStream", "pid": 1, "tid": 1, "ts": 10, "dur": 9,
		 "args": {"correlation": 7, "src": "0x1", "dst": "0x2", "size": "2560", "kind": "1"}},
		{"ph": "X", "cat": "cuda_runtime", "name": "hipMemcpyWithStream", "pid": 1, "tid": 1, "ts": 30, "dur": 9,
		 "args": {"correlation": 8, "size": "999", "kind": "1"}},
		{"ph": "X", "cat": "cuda_runtime", "name": "hipMemcpyWithStream", "pid": 1, "tid": 1, "ts": 50, "dur": 9,
		 "args": {"correlation": 9, "size": "4096", "kind": "1"}},
		{"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD (Host -> Device)", "pid": 2, "tid": 0, "ts": 12, "dur": 2,
		 "args": {"device": 2, "stream": 0, "correlation": 7, "kind": "HtoD"}},
		{"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD (Host -> Device)", "pid": 2, "tid": 0, "ts": 32, "dur": 2,
		 "args": {"device": 2, "stream": 0, "correlation": 8, "kind": "HtoD"}},
		{"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD (Host -> Device)", "pid": 2, "tid": 0, "ts": 36, "dur": 2,
		 "args": {"device": 2, "stream": 0, "correlation": 8, "kind": "HtoD"}},
		{"ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD (Host -> Device)", "pid": 2, "tid": 0, "ts": 52, "dur": 2,
		 "args": {"device": 2, "stream": 0, "correlation": 9, "kind": "HtoD", "bytes": 4000}}]}
	JSON
	# the first's launch; of 999 two copies share the launch; the last says itself
	[ "$(ptool transfers rocm.json --list --format csv 2>/dev/null | tail -n +2 | cut -d, -f6,10,11)" = "$(
		printf '%s\n' 2000,2560,1.28 2000,, 2000,, 2000,4000,2)" ]
}

@test "--sort time is the time that the table has" {
	ptool transfers --sort time -q "$GPU/copies.json" --format csv | cmp - <(ptool transfers --sort total_ns -q "$GPU/copies.json" --format csv)
	ptool transfers --list --sort time -q "$GPU/copies.json" --format csv >one
	ptool transfers --list --sort dur_ns -q "$GPU/copies.json" --format csv | cmp - one
}

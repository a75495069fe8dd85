#!/usr/bin/env bats
# A folder of stores, one for each rank, as the operand of the commands that read.

load setup

# Two ranks, in a store each in stores/, and one.db of both.
fleet() {
	mkdir -p in stores
	cp "$GPU/collectives_rank0.json" "$GPU/collectives_rank1.json" in
	ptool ingest -q -o one.db in
	for n in 0 1; do
		ptool ingest -q -o stores/$n.db in/collectives_rank$n.json
	done
}

# The same answer, and the same exit status, from one store as from the folder.
same() { # ARGUMENT...
	run --separate-stderr ptool "$@" one.db
	ours=$output status_of_one=$status
	run --separate-stderr ptool "$@" -q stores
	[ "$status" -eq "$status_of_one" ] || { echo "$*: $status, not $status_of_one: $stderr"; return 1; }
	diff <(echo "$ours") <(echo "$output")
}

@test "a folder of stores answers as one store of all would" {
	fleet
	for line in top 'top --by rank' 'top --by step --limit 0' 'top --rank 0..1 --format csv' 'top --by annotation' \
		steps 'steps --phases' 'steps --format json' doctor 'info --format csv'; do
		same $line
	done
	ptool sql stores 'SELECT count(*) AS n, sum(calls) FROM op_stat' >sql
	ptool sql one.db 'SELECT count(*) AS n, sum(calls) FROM op_stat' | diff - sql
	# stores whose names are in another order than those of their recordings
	mv stores/0.db stores/9.db
	for line in 'top --by rank' 'steps --format csv' 'info --format csv'; do
		same $line
	done
}

# Each command says which tables it reads (src/cli/operand_need.c); one that it forgets is refused
# when it is asked for, so that a question of each kind is enough.
@test "what a command reads of a folder is all that it needs" {
	mkdir -p in stores
	cp "$GPU/collectives_rank0.json" "$GPU/collectives_rank1.json" "$GPU/two_devices.json" "$GPU/memory.json" in
	for n in 0 1; do
		cp "$FIXTURES/torch/t260_ddp_rank$n/trace.json.gz" in/ddp$n.json.gz
	done
	ptool ingest -q -o one.db in
	for path in in/*; do
		ptool ingest -q --summaries no -o stores/${path##*/}.db $path
	done
	for line in 'ranks --rank 1' 'gaps --rank 1 --format csv' 'info --rank 0 --format csv' \
		'top --by shape' 'top --by step' 'top --by annotation' 'top --step 1 --by rank' gaps 'gaps --by op' \
		'gaps --by stream' 'steps --phases' devices streams 'ranks --by step' 'ranks --what-if' \
		'kernels --by rank --copies' 'comm --by rank' 'comm --ranks' 'comm --list' 'transfers --by op' \
		'info --format csv' doctor memory 'memory --format csv' 'memory --by size' 'memory --live --by step' \
		'memory --live --focus aten' trend 'diff --by memory one.db'; do
		same $line
	done
	# of advice what needs no slices; the others are named
	for rule in data-loading data-parallel ddp-backend low-utilization:below_pct=99.9 memory-limit:min_pct=0 \
		exposed-communication:min_pct=0 stragglers warm-up:min_pct=0 threads; do
		same advise --rule $rule --format csv
		same advise --rule $rule --evidence --format json
	done
	# which operators run beside communication slices alone tell, so that shares differ
	for rule in communication small-operators host-copies:min_pct=0 host-reads:min_pct=0; do
		for store in one.db stores; do
			ptool advise -q --rule $rule --evidence --format csv $store | cut -d, -f 1 | sort -u >$store.csv
		done
		diff one.db.csv stores.csv
	done
	run -0 --separate-stderr ptool advise -q stores
	[[ "$output" == *"Not examined, because these rules read slices"*"idle-time"* ]]
	[[ "$(tr -s '\n ' ' ' <<<"$output")" == *"made without --summary-only"* ]]
	[[ "$output" != *"no problem found"* ]]
	# the first screen but for advice, which needs slices
	ptool overview one.db --format csv | sed 's/one.db/S/' | grep -vE '^"findings"' >one
	ptool overview -q stores --format csv | sed 's/stores/S/' | diff one -
	ptool overview -q stores | grep -F 'Who waits for whom, and why'
	ptool overview -q stores | tail -1 | grep -F 'advice needs slices'
	ptool diff one.db one.db --by kernel >one
	ptool diff -q stores stores --by kernel | diff one -
}

# Why there is no row is told by tables that the command does not read else: those are brought then.
@test "what is not there is told as one store tells it" {
	mkdir -p stores
	ptool ingest -q -o stores/a.db "$TORCH/t2141_cnn_w0/trace.json.gz"
	ptool ingest -q -o stores/b.db "$TORCH/t260_ddp_rank1/trace.json.gz"
	ptool merge -q -o one.db stores
	for command in gaps devices streams kernels transfers 'top --focus nothing' 'steps --device 99' 'steps --device 0'; do
		run --separate-stderr ptool $command one.db
		wanted=${stderr//one.db/STORE} status_of_one=$status
		run --separate-stderr ptool $command -q stores
		exits $status_of_one
		[ "${stderr//stores/STORE}" = "$wanted" ] || { echo "$command: $stderr"; false; }
	done
	run --separate-stderr ptool gaps -q stores
	exits 3
}

@test "what whole recordings are asked reads the stores once" {
	fleet
	for line in top steps gaps devices streams kernels transfers comm 'comm --ranks' ranks info doctor trend advise overview; do
		rm -rf "$XDG_CACHE_HOME/ptool"
		run ptool $line -q stores
		[ "$status" -eq 0 ] || [ "$status" -eq 3 ] || { echo "$line: exit status $status"; false; }
		[ "$(find "$XDG_CACHE_HOME/ptool" -name '*.db' | wc -l)" -eq 1 ] || { echo "$line"; false; }
	done
}

@test "diff reads of a folder what its rows need, and slices where they are needed" {
	fleet
	# how many stores are made in the cache: one of sums, and one with slices
	for line in 'operator 1' 'kernel 1' 'step 1' 'kernel --total 1' 'idle 2' 'name 2'; do
		local options=${line% *} made=${line##* }
		ptool diff one.db one.db --by $options >one
		rm -rf "$XDG_CACHE_HOME/ptool"
		ptool diff -q stores one.db --by $options | diff one -
		[ "$(find "$XDG_CACHE_HOME/ptool" -name '*.db' | wc -l)" -eq "$made" ] || { echo "$line"; false; }
	done
}

@test "diff that reads a folder again, with slices, says what it has to say once" {
	fleet
	run --separate-stderr ptool diff --by name --base stores --new one.db --new one.db
	exits 0
	[ "$(grep -c 'given twice' <<<"$stderr")" -eq 1 ]
}

@test "a folder with a damaged store is read once, and each time says what is left out" {
	fleet
	head -c 20000 stores/1.db >stores/2.db
	run --separate-stderr ptool top stores
	exits 0
	local first=$stderr answer=$output
	[[ "$first" == *"2 stores, 2 profiles"*"stores/2.db: "* ]]
	run --separate-stderr ptool top stores
	exits 0
	[ "$output" = "$answer" ]
	[ "$stderr" = "$(grep -F stores/2.db <<<"$first")" ]
	# what the cache says of it is lost, cut short, or of another store: it is read again
	local note
	note=$(echo "$XDG_CACHE_HOME"/ptool/*.note)
	for spoil in 'rm "$note"' 'truncate -s -3 "$note"' 'mv "${note%.note}" old.db; cp old.db "${note%.note}"'; do
		eval "$spoil"
		run --separate-stderr ptool top stores
		[ "$stderr" = "$first" ] || { echo "$spoil: $stderr"; false; }
	done
	# and without it nothing is said
	rm stores/2.db
	run --separate-stderr ptool top stores
	run --separate-stderr ptool top stores
	says ''
	[ "$output" = "$answer" ]
}

@test "it is merged once, and again when a store has changed" {
	fleet
	echo x >stores/job.log
	run --separate-stderr ptool top stores
	exits 0
	says 'ptool: top: stores: 2 stores, 2 profiles, 82 slices read as one run, 1 other file left out'
	run --separate-stderr ptool top stores
	exits 0
	says ''
	ptool ingest -q -f -o stores/1.db in/collectives_rank1.json 2>/dev/null || ptool ingest -q -o stores/1.db in/collectives_rank1.json
	run --separate-stderr ptool top stores
	[[ "$stderr" == *"2 stores"* ]]
	# stores of the cache are none of the folder's
	mkdir stores/cache
	XDG_CACHE_HOME=$PWD/stores/cache ptool top -q stores >a
	XDG_CACHE_HOME=$PWD/stores/cache ptool top -q --by rank stores >b
	ptool top -q stores | diff a -
	ptool top -q --by rank stores | diff b -
}

@test "what needs slices reads those of all stores, or of the rank that is asked for" {
	fleet
	for line in tree list 'top --thread 100' 'top --step 1 --focus gemm' 'top --format torch' 'gaps --step 0' 'gaps --list' \
		'gaps --rank 1 --step 0' 'devices --step 0' 'streams --step 0' 'kernels --step 0 --format csv' 'transfers --step 0' \
		'memory --curve' 'comm --imbalance' 'tree --rank 1' 'gaps --phase decode' roofline; do
		same $line
	done
	ptool diff one.db one.db --by idle >one
	ptool diff -q stores stores --by idle | diff one -
	ptool sql one.db 'SELECT count(*), sum(dur) FROM slice' >one
	ptool sql -q stores 'SELECT count(*), sum(dur) FROM slice' | diff one -
	ptool report -q -o diff.html stores stores
	[ "$(ptool report -q stores | grep -c 'rank 1')" = "$(ptool report -q one.db | grep -c 'rank 1')" ]
	run --separate-stderr ptool tree --rank 7 stores
	exits 3
	[[ "$stderr" == *"--rank 7: there are ranks 0, 1"* ]]
	# it is told once what was read, however often the stores were
	rm -r "$XDG_CACHE_HOME/ptool"
	: >stores/lost.db
	run --separate-stderr ptool gaps --step 0 stores
	exits 0
	says "ptool: gaps: stores: 2 stores, 2 profiles, 82 slices read as one run
ptool: gaps: stores/lost.db: not a ptool store: it is empty"
}

@test "slices that were left out, or are too many for the cache, are not asked for" {
	fleet
	mkdir small
	for n in 0 1; do
		ptool ingest -q --summary-only -o small/$n.db in/collectives_rank$n.json
	done
	run --separate-stderr ptool tree -q small
	exits 3
	says "ptool: tree: small: reads slices, which were left out of this store: ask a store that 'ptool ingest' made without --summary-only"
	truncate -s 11G stores/1.db
	for command in tree 'gaps --step 0'; do
		run --separate-stderr ptool $command -q stores
		exits 3
		says "ptool: ${command%% *}: stores: reads slices, and its stores take more than 10 GB: --rank N asks the store of that rank, and 'ptool merge -o run.db DIR' makes one store of all"
	done
	run --separate-stderr ptool diff -q --by idle stores one.db
	exits 3
	diff <(ptool tree --rank 0 one.db) <(ptool tree --rank 0 stores)
}

@test "a store that could not be opened for want of descriptors is there for the next command" {
	[ -z "$SAN$TSAN" ] || skip 'sanitizers need descriptors'
	mkdir stores
	for n in 0 1 2 3 4 5; do
		sed "s/\"rank\": 0/\"rank\": $n/" "$GPU/collectives_rank0.json" >r.json
		ptool ingest -q -o stores/$n.db --run r r.json
	done
	ptool top -q --by rank --format csv stores >wanted
	for limit in 7 8 9 10 11 12; do
		rm -rf cache
		(ulimit -n "$limit" && PTOOL_CACHE=$PWD/cache "$PTOOL" top -q --by rank --format csv stores) >/dev/null 2>>said || :
		PTOOL_CACHE=$PWD/cache ptool top -q --by rank --format csv stores 2>&1 | diff wanted -
	done
	grep 'stores/5.db: Too many open files' said
}

@test "a store that cannot be part of it is told each time, and the others answer" {
	fleet
	cp stores/1.db stores/2.db
	head -c 20000 stores/1.db >stores/torn.db
	: >stores/lost.db
	: >stores/3.db.tmp.4711
	ln -s nowhere stores/gone.db
	echo hello >stores/notes.txt
	for _ in 1 2; do
		run --separate-stderr ptool steps --format csv stores
		exits 0
		[[ "$stderr" == *"stores/2.db: holds the same recording as 'stores/1.db'"* ]]
		[[ "$stderr" == *"stores/torn.db: "* ]]
		[[ "$stderr" == *"stores/lost.db: not a ptool store: it is empty"* ]]
		[[ "$stderr" == *"stores/gone.db: cannot be read: No such file or directory"* ]]
		[[ "$stderr" == *"stores/3.db.tmp.4711: a store that is being written, or was when ptool was killed"* ]]
		[[ "$stderr" != *notes.txt* ]]
		[ "$output" = "$(ptool steps --format csv one.db)" ]
	done
	rm stores/[012].db
	run --separate-stderr ptool top stores
	exits 4
	[[ "$stderr" == *"ptool: top: stores: "* ]]
}

@test "one store in a folder is that store; a folder without one is raw recordings" {
	fleet
	rm stores/1.db
	diff <(ptool tree stores/0.db) <(ptool tree stores)
	diff <(ptool top one.db) <(ptool top -q in)
}

@test "stores without summaries give the same rows, made from their slices" {
	mkdir -p in stores
	cp "$GPU/two_streams.json" "$GPU/everything.json" in
	ptool ingest -q -o one.db in 2>/dev/null
	for name in two_streams everything; do
		ptool ingest -q --summaries no -o stores/$name.db in/$name.json
	done
	same steps --format csv
	same top
}

@test "folders of stores of call graphs and of sampled stacks answer, too" {
	mkdir -p in stores
	cp "$FIXTURES/samples/austin.txt" "$FIXTURES/samples/perf.txt" in
	ptool ingest -q -o one.db in
	for name in austin perf; do
		ptool ingest -q -o stores/$name.db in/$name.txt
	done
	same top --profile austin.txt
	same tree --profile perf.txt
}

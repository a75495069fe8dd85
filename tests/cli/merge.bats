#!/usr/bin/env bats
# ptool merge: one store of many, as one ingest of their inputs makes it.

load setup

# A store for each FILE of in/ in stores/.
stores_of() { # FILE...
	mkdir -p in stores
	for file in "$@"; do
		cp "$file" in/
		ptool ingest -q -o "stores/${file##*/}.db" "in/${file##*/}"
	done
}

# Two ranks, each with a run that ptool named.
two_ranks() {
	stores_of "$GPU/collectives_rank0.json" "$GPU/collectives_rank1.json"
}

# All that is in a store.  What summaries alone call by a text has its number behind all
# others where one ingest made them, and behind those of its store where they were merged.
dump() { # STORE
	python3 "$TESTS/store/dump_texts.py" "$1"
}

# Is what `merge` makes of the stores of in/'s files what `ingest` makes of in/?
merges_like_ingest() {
	ptool ingest -q -o one.db in 2>/dev/null
	ptool merge -q -o merged.db stores
	diff <(dump one.db) <(dump merged.db) >&2
	[ "$(ask merged.db 'PRAGMA integrity_check')" = ok ]
}

@test "without -f a store that another process makes meanwhile is not replaced" {
	two_ranks
	meanwhile stores/collectives_rank0.json.db merged.db "$PTOOL" merge -o merged.db stores
	[ "$status" -eq 2 ]
	[ "$(cat told)" = 'ptool: merge: merged.db: exists; -f replaces it' ]
	cmp merged.db stores/collectives_rank0.json.db
}

@test "stores of single files merge to the store of one ingest: two ranks" {
	stores_of "$GPU/collectives_rank0.json" "$GPU/collectives_rank1.json"
	merges_like_ingest
}

@test "stores of single files merge to the store of one ingest: traces of all kinds" {
	stores_of "$GPU"/{annotations,copies,everything,graph,memory,python_stack,sync,two_devices}.json \
		"$FIXTURES/chrome/jax.json.gz" "$FIXTURES/chrome/xprof_tpu.json.gz"
	merges_like_ingest
}

@test "stores of single files merge to the store of one ingest: stacks, functions and lines" {
	stores_of "$FIXTURES"/samples/{austin.txt,evented.speedscope.json,go_heap.pb.gz,node.cpuprofile} \
		"$FIXTURES"/pyprof/app.prof "$FIXTURES"/lines/*.lprof
	merges_like_ingest
}

@test "what was merged may be merged again, and with slices left out" {
	two_ranks
	ptool merge -q -o whole.db stores
	mkdir again
	ptool merge -q --run "$(ask whole.db 'SELECT name FROM run')" -o again/b.db stores
	ptool merge -q -o twice.db again
	diff <(dump whole.db) <(dump twice.db)
	ptool ingest -q --summary-only -o small.db in
	for n in 0 1; do
		ptool ingest -q --summary-only -o stores/collectives_rank$n.json.db in/collectives_rank$n.json
	done
	ptool merge -q -f -o merged.db stores
	diff <(dump small.db) <(dump merged.db)
}

@test "other files are told, and the store that is made is none of its own parts" {
	two_ranks
	echo hello >stores/log.txt
	run --separate-stderr ptool merge -o stores/run.db stores
	exits 0
	prints ''
	says 'ptool: merge: stores/run.db: 2 stores, 2 profiles, 82 slices
ptool: merge: stores/log.txt: left out: not a ptool store'
	run --separate-stderr ptool merge -o stores/run.db stores
	exits 2
	says 'ptool: merge: stores/run.db exists; -f replaces it'
	echo text >text
	run --separate-stderr ptool merge -f -o text stores
	exits 2
	[ "${stderr##*$'\n'}" = 'ptool: merge: text: exists and is not a ptool store' ]
	[ "$(cat text)" = text ]
	run --separate-stderr ptool merge -q -f --run night -o stores/run.db stores
	exits 0
	says ''
	[ "$(ask stores/run.db 'SELECT name FROM run')" = night ]
	[ "$(ls stores | grep -c .)" = 4 ]
}

@test "a store that cannot be part of it is left out with a line and exit 4, or --strict with nothing made" {
	two_ranks
	cp stores/collectives_rank0.json.db stores/copy.db
	ptool ingest -q --run other -o stores/a_other.db "$GPU/collectives_rank0.json"
	ptool ingest -q --run more -o stores/a_other.db "$GPU/copies.json"
	sqlite3 stores/old.db "PRAGMA application_id = $((0x70746f6c)); PRAGMA user_version = 7; CREATE TABLE t (a)"
	head -c 30000 stores/collectives_rank1.json.db >stores/torn.db
	cp stores/collectives_rank1.json.db stores/text.db
	sqlite3 stores/text.db 'DELETE FROM string WHERE id = 1; UPDATE profile SET rank = 7'
	run --separate-stderr ptool merge -o run.db stores
	exits 4
	[ "$(sed 's/: the store is damaged at.*/: damaged/; s/database disk image is malformed/damaged/' <<<"$stderr")" = "ptool: merge: run.db: 2 stores, 2 profiles, 82 slices
ptool: merge: stores/copy.db: holds the same recording as 'stores/collectives_rank0.json.db'
ptool: merge: stores/text.db: the store's texts are out of order; ingest again
ptool: merge: stores/a_other.db: holds 2 runs: merge stores of one run each ('ptool rm' deletes a run)
ptool: merge: stores/old.db: store has schema 7, this ptool reads 8; 'ptool migrate' upgrades it
ptool: merge: stores/torn.db: damaged" ]
	ptool ingest -q -o one.db in
	diff <(dump one.db) <(dump run.db)
	rm run.db
	run --separate-stderr ptool merge --strict -o run.db stores missing.db
	exits 4
	[[ "$stderr" == *"ptool: merge: missing.db: No such file or directory"* ]]
	[ ! -e run.db ]
	run --separate-stderr ptool merge -o run.db in
	exits 4
	says "ptool: merge: in/collectives_rank0.json: left out: not a ptool store
ptool: merge: in/collectives_rank1.json: left out: not a ptool store
ptool: merge: in: holds no ptool store"
}

@test "a store whose rows refer to no row is left out, whatever row comes behind them" {
	two_ranks
	sqlite3 stores/collectives_rank1.json.db 'UPDATE slice_row SET op_id = -1 WHERE id = 2'
	run --separate-stderr ptool merge -q -o run.db stores
	exits 4
	says 'ptool: merge: stores/collectives_rank1.json.db: the store is damaged: an id refers to no row'
	[ "$(ask run.db 'SELECT count(*) FROM profile')" = 1 ]
}

@test "runs that the user named are one run by what their names share, and no rank is of two" {
	two_ranks
	rm stores/*
	ptool ingest -q --run night/0 -o stores/0.db in/collectives_rank0.json
	ptool ingest -q --run night/1 -o stores/1.db in/collectives_rank1.json
	ptool merge -q -o run.db stores
	[ "$(ask run.db 'SELECT name FROM run')" = night ]
	# the same rank, recorded by day
	ptool ingest -q --run day/1 -o stores/2.db in/collectives_rank1.json
	sqlite3 stores/2.db 'UPDATE profile SET start_ns = start_ns + 1'
	run --separate-stderr ptool merge -q -f -o run.db stores
	exits 4
	says "ptool: merge: stores/2.db: holds rank 1 of run 'day/1', and 'stores/1.db' holds that of run 'night/1': merge one run at a time"
}

@test "two runs of other names and other ranks are one run, and that is said" {
	two_ranks
	rm stores/*
	ptool ingest -q --run night -o stores/0.db in/collectives_rank0.json
	ptool ingest -q --run day -o stores/1.db in/collectives_rank1.json
	told="stores of run 'night' and of run 'day' were read as one run: if they are two, name the stores of one of them, or put them in a folder of their own"
	run --separate-stderr ptool merge -q -o run.db stores
	exits 0
	says "ptool: merge: $told"
	for _ in 1 2; do # the second time, too
		run --separate-stderr ptool top -q stores
		[[ $stderr == *"ptool: top: $told"* ]]
	done
	# who gives the run a name knows
	run --separate-stderr ptool merge -q --run both -f -o run.db stores
	says ""
}

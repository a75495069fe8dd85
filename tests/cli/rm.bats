#!/usr/bin/env bats
# ptool rm: deletes runs, all that belongs to them, and nothing else.

load setup

two_runs() {
	ptool ingest -q --run before "$GPU/two_streams.json"
	ptool ingest -q --run after "$GPU/copies.json"
}

@test "a run is gone with all its rows, the other one is as it was" {
	ptool ingest -q --run after -o alone.db "$GPU/copies.json"
	two_runs
	ptool list --run after --format csv | cut -d, -f4- >was
	run --separate-stderr ptool rm before
	exits 0
	prints ''
	says "ptool: rm: ptool.db: deleted run 'before'"
	[ "$(ask ptool.db 'SELECT group_concat(name) FROM run')" = after ]
	for table in slice_row kernel copy op_stat step flow finding track thread; do
		[ "$(ask ptool.db "SELECT count(*) FROM $table")" = "$(ask alone.db "SELECT count(*) FROM $table")" ]
	done
	ptool list --format csv | cut -d, -f4- | cmp was -
	only_files alone.db ptool.db was
}

@test "several runs at once, one named twice; -q says nothing" {
	two_runs
	run --separate-stderr ptool rm -q after before after
	exits 0
	prints ''
	says ''
	[ "$(ask ptool.db 'SELECT count(*) FROM run')" = 0 ]
}

@test "runs that lie between those that go keep all their rows" {
	for run in a b c d; do ptool ingest -q --run "$run" "$GPU/copies.json"; done
	rows() { ptool list --run c --format csv | cut -d, -f4-; }
	rows >was
	ptool rm -q b d
	[ "$(ask ptool.db 'SELECT group_concat(name) FROM run')" = a,c ]
	rows | cmp was -
	ptool ingest -q --run b "$GPU/two_streams.json"
	ptool rm -q a b
	rows | cmp was -
	ptool ingest -q -o alone.db --run c "$GPU/copies.json"
	for table in slice_row kernel copy op_stat step flow finding track thread; do
		[ "$(ask ptool.db "SELECT count(*) FROM $table")" = "$(ask alone.db "SELECT count(*) FROM $table")" ]
	done
}

@test "a run may be named by the file that it was made from" {
	cp "$GPU/copies.json" trace.json
	ptool ingest -q trace.json
	ptool rm -q trace.json
	[ "$(ask ptool.db 'SELECT count(*) FROM run')" = 0 ]
}

@test "the store is -o, else PTOOL_STORE, else ptool.db" {
	ptool ingest -q --run a -o one.db "$GPU/copies.json"
	PTOOL_STORE=one.db ptool rm -q a
	[ "$(ask one.db 'SELECT count(*) FROM run')" = 0 ]
	ptool ingest -q --run a -o one.db "$GPU/copies.json"
	ptool rm -q a --store one.db
	[ "$(ask one.db 'SELECT count(*) FROM run')" = 0 ]
}

@test "3: a misspelt run; the nearest is named, and none of the others is deleted" {
	two_runs
	cp ptool.db was
	run --separate-stderr ptool rm after befor
	exits 3
	says "ptool: rm: ptool.db: no run 'befor'; did you mean 'before'? (runs: after, before)"
	cmp ptool.db was
	only_files ptool.db was
}

@test "2: no run is named, or an option is misspelt" {
	run --separate-stderr ptool rm
	exits 2
	says 'ptool: rm: RUN is missing'
	run --separate-stderr ptool rm --stor x.db a
	exits 2
	[[ $stderr == *"did you mean '--store'?"* ]]
}

@test "4: a store that is missing, foreign or of another schema stays as it is" {
	run --separate-stderr ptool rm a
	exits 4
	says 'ptool: rm: ptool.db: No such file or directory'
	[ -z "$(ls -A)" ]
	sqlite3 foreign.db 'CREATE TABLE t (a)'
	run --separate-stderr ptool rm -o foreign.db a
	exits 4
	says 'ptool: rm: foreign.db: not a ptool store'
	two_runs
	sqlite3 ptool.db 'PRAGMA user_version = 999'
	cp ptool.db was
	run --separate-stderr ptool rm before
	exits 4
	cmp ptool.db was
	echo text >raw
	run --separate-stderr ptool rm -o raw a
	exits 4
}

@test "5: a folder that cannot be written" {
	[ "$(id -u)" -ne 0 ] || skip 'root may write everywhere'
	mkdir sealed
	ptool ingest -q --run a -o sealed/a.db "$GPU/copies.json"
	chmod a-w sealed
	run --separate-stderr ptool rm -o sealed/a.db a
	exits 5
	chmod u+w sealed
	[ "$(ask sealed/a.db 'SELECT count(*) FROM run')" = 1 ]
}

@test "5: a disk that is full leaves the store as it was" {
	ptool ingest -q --run big "$TORCH/t2141_cnn_w0/trace.json.gz"
	ptool ingest -q --run small "$GPU/copies.json"
	cp ptool.db was
	run --separate-stderr bash -c 'trap "" XFSZ; ulimit -f 100; "$PTOOL" rm small'
	exits 5
	cmp ptool.db was
	only_files ptool.db was
}

@test "4: a store with a trigger of somebody else is refused before the trigger runs" {
	ptool ingest -q --run a "$GPU/one_stream.json"
	ptool ingest -q --run b "$GPU/one_stream.json"
	sqlite3 ptool.db 'CREATE TRIGGER t AFTER DELETE ON run BEGIN
		DELETE FROM string; DELETE FROM slice_row; DELETE FROM profile; END'
	cp ptool.db was
	for command in 'rm a' "ingest -q --run c $GPU/one_stream.json" top info; do
		run --separate-stderr ptool $command
		exits 4
		says "ptool: ${command%% *}: ptool.db: not the schema of a ptool store: the trigger 't' was not made by ptool; ingest the trace again"
		cmp ptool.db was
	done
	only_files ptool.db was
}

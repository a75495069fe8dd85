#!/usr/bin/env bats
# ptool migrate: stores of every released format are lifted; and what is said of others.

load setup

SCHEMA=$("$PTOOL" --version | sed -n 's/store schema //p')
# The store of tests/fixtures/store/formatN.db.zst as old.db.
old_store() { # FORMAT
	zstd -qd -o old.db "$FIXTURES/store/format$1.db.zst"
}

# The same recordings, ingested today.
new_store() { # STORE
	mkdir -p in/ranks
	cp "$GPU"/collectives_rank[01].json in/ranks
	cp "$GPU"/everything.json "$GPU"/memory.json "$FIXTURES"/{pyprof/app.prof,samples/perf.txt} \
		"$FIXTURES"/{lines/lp503.lprof,mprof/basic.dat,timeline/small.json} \
		"$FIXTURES"/snapshot/one_device_p4.pickle in
	for file in everything.json memory.json app.prof perf.txt lp503.lprof basic.dat \
		one_device_p4.pickle small.json ranks; do
		ptool ingest -q --run "${file%.*}" -o "$1" "in/$file"
	done
}

# What commands say of the runs: RUN COMMAND.
answers() { # STORE
	while read -r run command; do
		echo "== $run: $command"
		# shellcheck disable=SC2086 # words
		ptool $command --run "$run" --format csv "$1"
	done <<-'EOF'
		everything top --by shape
		everything top --by annotation
		everything steps
		everything kernels
		everything gaps
		everything transfers
		memory memory
		app pstats
		perf tree
		lp503 lines
		basic memory
		one_device_p4 memory
		small memory
		ranks comm
		ranks steps
	EOF
}

@test "a store of format 7, which 0.2.0 wrote, says what one of today says" {
	old_store 7
	cp old.db was.db
	run --separate-stderr ptool migrate old.db -o new.db
	exits 0
	[ "$(ask new.db 'PRAGMA user_version')" = "$SCHEMA" ]
	[ "$(ask new.db 'PRAGMA integrity_check')" = ok ]
	cmp old.db was.db
	only_files old.db was.db new.db
	new_store today.db
	diff <(answers new.db) <(answers today.db)
	for rows in 'id, squares0, squares1, squares2, squares3 FROM op_stat' \
		'id, has_slices, device_type FROM profile'; do
		diff <(ask new.db "SELECT $rows") <(ask today.db "SELECT $rows")
	done
}

@test "without -o the old store is replaced, with its mode, and links are followed" {
	old_store 7
	chmod 640 old.db
	ln -s old.db ptool.db
	run --separate-stderr ptool ingest "$GPU/copies.json"
	exits 4
	says "ptool: ingest: ptool.db: store has schema 7, this ptool reads $SCHEMA; 'ptool migrate' upgrades it"
	run --separate-stderr ptool migrate
	exits 0
	[ "$(ask old.db 'PRAGMA user_version')" = "$SCHEMA" ]
	[ "$(stat -c %a old.db)" = 640 ]
	[ -L ptool.db ]
	run --separate-stderr ptool migrate -q
	exits 0
	says ''
	run --separate-stderr ptool migrate
	says "ptool: migrate: ptool.db: has schema $SCHEMA already"
}

@test "of two that upgrade one store at once, the second one finds it upgraded" {
	old_store 7
	exec 7>old.db.lock
	flock 7
	for n in 1 2; do
		"$PTOOL" migrate old.db 2>told$n &
	done
	sleep 0.3
	flock -u 7
	exec 7>&-
	wait
	[ "$(cat told1 told2 | sort)" = "ptool: migrate: old.db: has schema $SCHEMA already
ptool: migrate: old.db: upgraded from schema 7 to $SCHEMA" ]
	only_files old.db told1 told2
}

@test "NEW that another process makes meanwhile is not replaced without -f" {
	old_store 7
	meanwhile old.db new.db "$PTOOL" migrate old.db -o new.db
	[ "$status" -eq 2 ]
	[ "$(cat told)" = 'ptool: migrate: new.db: exists; -f replaces it' ]
	cmp old.db new.db
}

@test "NEW is not replaced without -f, and never when it is no store" {
	old_store 7
	cp old.db new.db
	run --separate-stderr ptool migrate old.db -o new.db
	exits 2
	says 'ptool: migrate: new.db: exists; -f replaces it'
	ptool migrate -qf old.db -o new.db
	[ "$(ask new.db 'PRAGMA user_version')" = "$SCHEMA" ]
	echo text >text
	run --separate-stderr ptool migrate -f old.db -o text
	exits 2
	says 'ptool: migrate: text: exists and is not a ptool store'
	[ "$(cat text)" = text ]
}

@test "4: newer stores, older than any released, foreign ones; each says what to do" {
	old_store 7
	sqlite3 old.db 'PRAGMA user_version = 99'
	for command in info migrate; do
		run --separate-stderr ptool "$command" old.db
		exits 4
		says "ptool: $command: old.db: store has schema 99, this ptool reads $SCHEMA; a newer ptool wrote it: use that version"
	done
	sqlite3 old.db 'PRAGMA user_version = 6'
	run --separate-stderr ptool migrate old.db
	exits 4
	says "ptool: migrate: old.db: store has schema 6, this ptool reads $SCHEMA; ingest the trace again"
	sqlite3 foreign.db 'CREATE TABLE t (x)'
	run --separate-stderr ptool migrate foreign.db
	exits 4
	says 'ptool: migrate: foreign.db: not a ptool store'
	run --separate-stderr ptool migrate none.db
	exits 4
	says 'ptool: migrate: none.db: No such file or directory'
}

@test "4: what a stranger changed in an old store is not run; nothing is left behind" {
	old_store 7
	sqlite3 old.db 'CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM run; END'
	cp old.db was.db
	run --separate-stderr ptool migrate old.db -o new.db
	exits 4
	says "ptool: migrate: old.db: not the schema of a ptool store: the trigger 't' was not made by ptool; ingest the trace again"
	cmp old.db was.db
	only_files old.db was.db
}

@test "4: the journal beside an old store is a pipe: nothing waits for its writer" {
	old_store 7
	mkfifo old.db-journal
	run --separate-stderr ptool migrate old.db -o new.db
	exits 4
	says "ptool: migrate: old.db: '$PWD/old.db-journal' is not a file, and SQLite would open it; move it away"
}

#!/usr/bin/env bats
# A raw trace as operand of a reading command: ingested once, into the cache.

load setup

READ_INTO='85 slices read into the cache'
READ_ALONE='85 slices read for this command only'

# The stores in a cache.
stores() { # FOLDER
	ls -A "$1" | grep -E '^[0-9a-f]{16}\.db$'
}

@test "a raw trace is ingested once, which stderr says, and answers like its store" {
	cp "$GPU/two_streams.json" trace.json
	run --separate-stderr ptool info trace.json --format csv
	exits 0
	says "ptool: info: trace.json: $READ_INTO"
	first=$output
	run --separate-stderr ptool info trace.json --format csv
	exits 0
	says ''
	prints "$first"
	ptool ingest -q trace.json
	run --separate-stderr ptool info --format csv
	prints "$first"
	only_files ptool.db trace.json
}

@test "every reading command reads a raw trace" {
	reads() {
		export PTOOL_CACHE=$PWD/cache-$command
		run --separate-stderr ptool "$command" "$EVERYTHING" "${extra[@]}"
		exits 0
		says "ptool: $command: $EVERYTHING: 61 slices read into the cache"
		[ "$(stores "cache-$command" | wc -l)" -eq 1 ]
	}
	each reads
}

@test "the cache is PTOOL_CACHE, else XDG_CACHE_HOME/ptool, else ~/.cache/ptool" {
	export HOME=$PWD/home
	PTOOL_CACHE=$PWD/own ptool info "$GPU/copies.json" >/dev/null
	stores own
	XDG_CACHE_HOME=$PWD/xdg ptool info "$GPU/copies.json" >/dev/null
	stores xdg/ptool
	XDG_CACHE_HOME=relative ptool info "$GPU/copies.json" >/dev/null # which the XDG's rules forbid
	stores home/.cache/ptool
	rm -r home
	PTOOL_CACHE='' XDG_CACHE_HOME='' ptool info "$GPU/copies.json" >/dev/null
	stores home/.cache/ptool
	only_files own xdg home
}

@test "a trace that changes is ingested again, its links are one trace" {
	export PTOOL_CACHE=$PWD/cache
	cp "$GPU/two_streams.json" trace.json
	ln -s trace.json link.json
	ptool info trace.json >/dev/null
	run --separate-stderr ptool info link.json
	says ''
	cp "$GPU/copies.json" trace.json
	run --separate-stderr ptool info trace.json
	exits 0
	says 'ptool: info: trace.json: 37 slices read into the cache'
	[ "$(stores cache | wc -l)" -eq 2 ]
}

@test "a damaged store in the cache is made anew" {
	export PTOOL_CACHE=$PWD/cache
	ptool info "$GPU/two_streams.json" >/dev/null
	echo rubbish >"cache/$(stores cache)"
	run --separate-stderr ptool info "$GPU/two_streams.json"
	exits 0
	[[ $stderr == *"$READ_INTO" ]]
}

# A trace that is in the cache already: $store.
cache_one() {
	export PTOOL_CACHE=$PWD/cache
	cp "$GPU/two_streams.json" trace.json
	ptool info trace.json >/dev/null 2>&1
	store=cache/$(stores cache)
}

@test "a store in the cache that was cut or zeroed behind its header is made anew" {
	cache_one
	ptool top trace.json --format csv >whole
	for damage in "truncate -s -4096" "truncate -s 4096" "truncate -s 50" \
		'dd bs=4096 seek=1 count=20 conv=notrunc status=none if=/dev/zero of=' \
		'dd bs=4096 seek=9 count=1 conv=notrunc status=none if=/dev/zero of='; do
		case $damage in *of=) $damage"$store" ;; *) $damage "$store" ;; esac
		run --separate-stderr ptool top trace.json --format csv
		exits 0
		says "ptool: top: trace.json: $READ_INTO"
		[ "$output" = "$(cat whole)" ]
	done
}

@test "a row that is damaged is told with the cache's file, which is deleted" {
	cache_one
	page=$(sqlite3 "$store" "SELECT (rootpage - 1) * 4096 FROM sqlite_schema WHERE name = 'profile'")
	cell=$(od -An -tu2 --endian=big -j $((page + 8)) -N 2 "$store") # where its first row lies
	for command in 'info trace.json' 'top trace.json' 'diff trace.json trace.json' \
		'export --to pstats -o out trace.json' 'pstats trace.json' 'top --format torch trace.json'; do
		ptool info trace.json >/dev/null 2>&1
		# its path becomes NULL; a damaged page is seen when the store is opened
		dd bs=1 seek=$((page + cell + 6)) count=2 conv=notrunc status=none if=/dev/zero of="$store"
		run --separate-stderr ptool $command
		exits 4
		[[ $stderr == "ptool: ${command%% *}: trace.json: its store in the cache was damaged \
and was deleted, run the command again: '$PWD/$store'" ]]
		[ ! -e "$store" ]
	done
	run --separate-stderr ptool info trace.json
	exits 0
	says "ptool: info: trace.json: $READ_INTO"
}

@test "what has a cached store's name and is none of ours is replaced, not followed or waited for" {
	cache_one
	for make in 'ln -s made-elsewhere' 'ln -s trace.json' mkfifo; do
		rm "$store"
		$make "$store"
		run --separate-stderr timeout 20 "$PTOOL" info trace.json
		exits 0
		says "ptool: info: trace.json: $READ_INTO"
		[ -f "$store" ] && [ ! -L "$store" ]
		[ ! -e cache/made-elsewhere ]
	done
	rm "$store"
	mkdir "$store"
	run --separate-stderr ptool info trace.json
	exits 0
	says "ptool: info: trace.json: $READ_ALONE"
	rmdir "$store"
}

@test "what lies beside a cached store is removed, or the trace is read for the call alone" {
	cache_one
	ptool info -q trace.json >expected
	for beside in -journal -wal .lock; do
		for kind in file pipe link folder; do
			for is_there in 1 0; do
				[ $is_there = 1 ] || rm -f "$store"
				case $kind in
				file) echo text >"$store$beside" ;;
				pipe) mkfifo "$store$beside" ;;
				link) ln -s "$PWD/trace.json" "$store$beside" ;;
				folder) mkdir "$store$beside" ;;
				esac
				timeout 60 "$PTOOL" info -q trace.json | diff expected -
				[ $kind != folder ] || rmdir "$store$beside"
				ptool info -q trace.json | diff expected -
				[ "$(stores cache)" = "${store#cache/}" ]
			done
		done
	done
	cmp trace.json "$GPU/two_streams.json"
	# a change that was broken off is not taken for the store, with or without its journal
	ptool kernels -q trace.json >expected
	python3 - "$store" <<-'PY'
		import sys
		data = open(sys.argv[1], "rb").read()
		assert b"sgemm" in data
		open(sys.argv[1], "wb").write(data.replace(b"sgemm", b"SGEMM"))
	PY
	echo journal >"$store-journal"
	mkdir "$store-wal"
	ptool kernels -q trace.json | diff expected -
	rmdir "$store-wal"
	ptool kernels -q trace.json | diff expected -
}

@test "a link, a pipe or a folder in the place of a folder's note is not followed or waited for" {
	export PTOOL_CACHE=$PWD/cache
	mkdir stores
	ptool ingest -q -o stores/a.db "$GPU/copies.json"
	ptool ingest -q -o stores/b.db "$GPU/sync.json"
	: >stores/lost.db
	ptool gaps -q stores >whole 2>/dev/null
	note=$(echo cache/*.note)
	cp "$note" elsewhere
	cp "$note" kept
	for make in "ln -s $PWD/elsewhere" "ln -s $PWD/made-elsewhere" mkfifo mkdir; do
		rm -rf "$note"
		$make "$note"
		run --separate-stderr timeout 20 "$PTOOL" gaps stores
		exits 0
		prints "$(cat whole)"
		[[ $stderr == *"2 stores, 2 profiles, 104 slices read as one run"*"stores/lost.db: not a ptool store: it is empty" ]]
		cmp elsewhere kept
		[ ! -e made-elsewhere ]
	done
}

@test "a cached store that others may write is made anew, for its owner alone" {
	cache_one
	[ "$(stat -c %a "$store")" = 600 ]
	chmod 620 "$store"
	run --separate-stderr ptool info trace.json
	says "ptool: info: trace.json: $READ_INTO"
	umask 002
	rm "$store"
	ptool info trace.json >/dev/null 2>&1
	[ "$(stat -c %a "$store")" = 600 ]
	[ "$(id -u)" -eq 0 ] || skip 'only root gives files away'
	chown 65534 "$store"
	run --separate-stderr ptool info trace.json
	says "ptool: info: trace.json: $READ_INTO"
	[ "$(stat -c %u "$store")" = 0 ]
}

@test "a cache that others may write is not used, which is said" {
	cache_one
	for mode in 770 757 1777; do
		chmod $mode cache
		run --separate-stderr ptool info trace.json
		exits 0
		says "ptool: info: the cache '$PWD/cache' is not used: other users may write in it
ptool: info: trace.json: $READ_ALONE"
	done
	chmod 700 cache
	[ "$(id -u)" -eq 0 ] || skip 'only root gives files away'
	chown 65534 cache
	run --separate-stderr ptool info trace.json
	exits 0
	says "ptool: info: the cache '$PWD/cache' is not used: it belongs to another user
ptool: info: trace.json: $READ_ALONE"
}

@test "what a killed ptool left in the cache is cleared" {
	export PTOOL_CACHE=$PWD/cache
	ptool info "$GPU/two_streams.json" >/dev/null
	name=$(stores cache)
	: >"cache/$name.tmp.99999999"
	: >"cache/$name.lock"
	: >cache/notes
	ptool info "$GPU/copies.json" >/dev/null
	[ "$(ls -A cache | wc -l)" -eq 3 ]
	[ -e cache/notes ]
}

@test "where the cache cannot be written the trace is read for the call alone" {
	: >file
	for cache in /proc/no/cache "$PWD/file/below" "$PWD/file"; do
		run --separate-stderr env PTOOL_CACHE="$cache" "$PTOOL" info "$GPU/two_streams.json"
		exits 0
		[[ $stderr == *"$READ_ALONE" ]]
	done
	only_files file
	[ -z "$(ls -A "$TMPDIR")" ]
}

@test "a cache without write permission is passed over" {
	[ "$(id -u)" -ne 0 ] || skip 'root may write everywhere'
	mkdir cache
	chmod 555 cache
	PTOOL_CACHE=$PWD/cache run --separate-stderr ptool info "$GPU/two_streams.json"
	exits 0
	[[ $stderr == *"$READ_ALONE" ]]
}

@test "what comes through a pipe is read for the call alone and leaves nothing" {
	export PTOOL_CACHE=$PWD/cache
	run --separate-stderr bash -c 'cat "$0" | "$PTOOL" info - --format csv' "$GPU/two_streams.json"
	exits 0
	says "ptool: info: -: $READ_ALONE"
	[ "${#lines[@]}" -eq 2 ]
	run --separate-stderr bash -c '"$PTOOL" info <(cat "$0") --format csv' "$GPU/two_streams.json"
	exits 0
	[[ $stderr == *"$READ_ALONE" ]]
	run --separate-stderr ptool info - --format csv <"$GPU/two_streams.json"
	exits 0
	[ -z "$(ls -A)" ]
	[ -z "$(ls -A "$TMPDIR")" ]
}

@test "what is no trace is one line and exit 4, and nothing stays in the cache" {
	export PTOOL_CACHE=$PWD/cache
	echo text >text
	for operand in text . missing.json; do
		run --separate-stderr ptool info $operand
		exits 4
		prints ''
		[[ $stderr == "ptool: info: $operand: "* ]]
		[ "$(wc -l <<<"$stderr")" -eq 1 ]
	done
	[ ! -e cache ] || [ -z "$(ls -A cache)" ]
}

@test "a damaged trace says so when it is read into the cache, and a cut one always" {
	head -c 20000 "$GPU/one_stream.json" >cut.json
	run --separate-stderr ptool info cut.json
	exits 0
	[[ $stderr == *"slices read into the cache, 1 warning or error; 'ptool doctor cut.json' lists it"* ]]
	run --separate-stderr ptool info cut.json
	[[ $stderr == "ptool: info: cut.json: the file is cut off, "* ]]
}

@test "many readers of one new trace all get their answer" {
	export PTOOL_CACHE=$PWD/cache
	for i in 1 2 3 4 5 6; do
		ptool info "$GPU/two_streams.json" --format csv >out.$i 2>/dev/null &
	done
	wait
	for i in 2 3 4 5 6; do
		cmp out.1 out.$i
	done
	[ -s out.1 ]
	[ "$(ls -A cache)" = "$(stores cache)" ]
}

@test "a disk that is full while the cache is filled is exit 5, and nothing stays" {
	export PTOOL_CACHE=$PWD/cache
	run --separate-stderr bash -c 'ulimit -f 8; "$PTOOL" info "$0"' "$GPU/one_stream.json"
	exits 5
	[[ $stderr == "ptool: info: $GPU/one_stream.json: cannot make '$PWD/cache/"* ]]
	[ "$(wc -l <<<"$stderr")" -eq 1 ]
	[ -z "$(ls -A cache)" ]
}

@test "a reading command never makes a store" {
	run --separate-stderr ptool info
	exits 4
	says "ptool: info: ptool.db: no store here; run 'ptool ingest FILE' first"
	PTOOL_STORE=typo.db run --separate-stderr ptool info
	exits 4
	says "ptool: info: typo.db: no store here; run 'ptool ingest FILE' first"
	run --separate-stderr ptool info typo.db
	exits 4
	says 'ptool: info: typo.db: No such file or directory'
	[ -z "$(ls -A)" ]
}

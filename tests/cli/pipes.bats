#!/usr/bin/env bats
# How every reading command ends: each exit status, its one line on stderr, and
# the same through a pipe.
# Every command in every form: not in check-fast.

load setup

# Runs the command line and wants the status and one line on stderr that contains
# the text; then, one in three times, the same with stdout in a pipe.
ends() { # STATUS TEXT COMMAND...
	local wanted=$1 text=$2
	shift 2
	run --separate-stderr ptool "$@"
	exits "$wanted" || { echo "ptool $*"; return 1; }
	[[ $stderr == "ptool: $1: "*"$text"* && $(wc -l <<<"$stderr") -eq 1 ]] ||
		{ echo "ptool $*: $stderr"; return 1; }
	runs=$((${runs:-0} + 1))
	((runs % 3 == 0)) || return 0
	set +e
	ptool "$@" 2>/dev/null | cat >/dev/null
	local piped=${PIPESTATUS[0]}
	set -e
	[ "$piped" -eq "$wanted" ] || { echo "ptool $* | cat: $piped"; return 1; }
}

@test "there are reading commands" {
	[ "$(reading_commands | wc -l)" -ge 2 ]
}

@test "4: a store or file that is missing, foreign, of another schema, or no trace" {
	sqlite3 foreign.db 'CREATE TABLE t (a)'
	ptool ingest -q -o other.db "$GPU/copies.json"
	sqlite3 other.db 'PRAGMA user_version = 999'
	ptool ingest -q -o wal.db "$GPU/copies.json"
	sqlite3 wal.db 'PRAGMA journal_mode = WAL' >/dev/null
	echo text >text
	mkdir folder
	: >empty
	head -c 4096 other.db >cut.db
	for name in pipe left stale; do ptool ingest -q -o $name.db "$GPU/copies.json"; done
	mkfifo pipe.db-journal
	echo >left.db-journal
	echo >stale.db-wal
	fails() {
		ends 4 "no store here; run 'ptool ingest FILE' first" "$command" "${extra[@]}"
		ends 4 'missing.db: No such file or directory' "$command" missing.db "${extra[@]}"
		ends 4 'foreign.db: not a ptool store' "$command" foreign.db "${extra[@]}"
		ends 4 'other.db: store has schema 999, this ptool reads ' "$command" other.db "${extra[@]}"
		ends 4 'wal.db: another program set the store to WAL mode' "$command" wal.db "${extra[@]}"
		ends 4 "pipe.db-journal' is not a file" "$command" pipe.db "${extra[@]}"
		ends 4 'left.db: another program was stopped while it wrote the store' "$command" left.db "${extra[@]}"
		ends 4 "stale.db-wal' is of another program" "$command" stale.db "${extra[@]}"
		ends 4 'text: byte 0: no known format' "$command" text "${extra[@]}"
		ends 4 'folder: ' "$command" folder "${extra[@]}"
		ends 4 'empty: byte 0: the file is empty' "$command" empty "${extra[@]}"
		ends 4 'cut.db: ' "$command" cut.db "${extra[@]}"
	}
	each fails
}

@test "3: no such run" {
	ptool ingest -q --run before "$GPU/copies.json"
	fails() {
		ptool help "$command" | grep -q -e '--run' || return 0
		ends 3 before "$command" --run befor ptool.db "${extra[@]}"
	}
	each fails
}

@test "2: a misspelt option or value, an operand too many, an output that exists" {
	ptool ingest -q "$GPU/copies.json"
	echo mine >mine.csv
	fails() {
		ends 2 "unknown option '--formt'; did you mean '--format'?" "$command" --formt csv
		ends 2 "unknown --format 'cvs'; did you mean 'csv'?" "$command" ptool.db --format cvs "${extra[@]}"
		ends 2 "unknown --color 'alway'; did you mean 'always'?" "$command" ptool.db --color alway "${extra[@]}"
		ends 2 '--output wants FILE' "$command" ptool.db "${extra[@]}" --output
		ptool help "$command" | grep -qF 'STORE|FILE...' ||
			ends 2 'unexpected operand ' "$command" ptool.db "${extra[@]:-b}" c d
		ends 2 'mine.csv exists; -f replaces it' "$command" ptool.db -o mine.csv "${extra[@]}"
		ends 2 'x.pdf: no format has this suffix; name one with --format' "$command" ptool.db -o x.pdf "${extra[@]}"
		[ "$(cat mine.csv)" = mine ]
	}
	each fails
	only_files ptool.db mine.csv
}

@test "5: an output that cannot be written" {
	ptool ingest -q "$EVERYTHING"
	fails() {
		ends 5 'missing/out.csv' "$command" ptool.db -o missing/out.csv "${extra[@]}"
		run --separate-stderr bash -c '"$PTOOL" "$@" >/dev/full' - "$command" ptool.db "${extra[@]}"
		exits 5
		[[ $stderr == "ptool: $command: "*'No space left on device' ]]
		[ "$(wc -l <<<"$stderr")" -eq 1 ]
	}
	each fails
	only_files ptool.db
}

@test "0: a reader that goes away, in every format" {
	ptool ingest -q "$EVERYTHING"
	reads=0
	leaves() {
		for format in table csv tsv json ndjson markdown; do
			reader=(true) # one that reads nothing, one that reads a byte, in turn
			((reads++ % 2)) || reader=(head -c 1)
			set +e
			ptool "$command" ptool.db --format $format "${extra[@]}" 2>stderr | "${reader[@]}" >/dev/null
			status=${PIPESTATUS[0]}
			set -e
			[ "$status" -eq 0 ]
			[ ! -s stderr ]
		done
		reads=$((reads + 1)) # the other way round for the next command
	}
	each leaves
}

@test "0: -f replaces an output, the suffix chooses its format, and stdout stays empty" {
	ptool ingest -q "$EVERYTHING"
	writes() {
		echo old >out.json
		run --separate-stderr ptool "$command" ptool.db -f -o out.json "${extra[@]}"
		exits 0
		prints ''
		python3 -c 'import json, sys; sys.exit(json.load(open("out.json"))["command"] != sys.argv[1])' "$command"
	}
	each writes
}

@test "0: no reading command changes the store or leaves anything beside it" {
	ptool ingest -q "$EVERYTHING"
	before=$(cksum <ptool.db)
	reads() {
		ptool "$command" ptool.db "${extra[@]}" >/dev/null
	}
	each reads
	chmod 444 ptool.db
	each reads
	[ "$(cksum <ptool.db)" = "$before" ]
	only_files ptool.db
}

@test "an output that does not block is waited for" {
	python3 - <<-'E'
		import os, subprocess, sys, time
		ptool, trace = os.environ["PTOOL"], os.path.join(os.environ["FIXTURES"], "gpu", "one_stream.json")
		argv = [ptool, "list", "--limit", "0", "--format", "json", trace]
		whole = subprocess.run(argv, check=True, capture_output=True).stdout
		assert len(whole) > 65536, len(whole)
		reader, writer = os.pipe()
		os.set_blocking(writer, False)
		slow = subprocess.Popen(argv, stdout=writer)
		os.close(writer)
		time.sleep(0.5)
		with os.fdopen(reader, "rb") as pipe:
		    got = pipe.read()
		assert slow.wait() == 0 and got == whole, (slow.returncode, len(got), len(whole))
	E
}

@test "a named pipe is read, once it has a writer" {
	mkfifo pipe
	for command in info 'sql -q --format csv'; do
		cat "$GPU/copies.json" >pipe &
		[[ $command == info ]] || set -- 'SELECT count(*) AS n FROM profile'
		run timeout 60 "$PTOOL" $command pipe "$@"
		wait
		[ "$status" = 0 ]
		[[ $output == *1* ]]
	done
}

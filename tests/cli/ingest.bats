#!/usr/bin/env bats
# ptool ingest: what it takes, where it puts it, what it says, how it ends.

load setup

@test "a trace goes into ./ptool.db and says how many slices it has" {
	cp "$GPU/two_streams.json" trace.json
	run --separate-stderr ptool ingest trace.json
	exits 0
	prints ''
	says 'ptool: ingest: trace.json: 85 slices'
	[ "$(ask ptool.db 'SELECT name FROM run')" = "$PWD/trace.json" ]
	[ "$(ask ptool.db 'SELECT path, format FROM profile')" = "$PWD/trace.json|pytorch" ]
	only_files ptool.db trace.json
}

@test "the store is -o, else PTOOL_STORE, else ptool.db; an empty variable is none" {
	ptool ingest -q "$GPU/copies.json"
	PTOOL_STORE='' ptool ingest -q "$GPU/copies.json"
	only_files ptool.db
	PTOOL_STORE=env.db ptool ingest -q "$GPU/copies.json"
	only_files ptool.db env.db
	PTOOL_STORE=env.db ptool ingest -q --output=option.db "$GPU/copies.json"
	only_files ptool.db env.db option.db
}

@test "-q says nothing of files that went well, and still of those that did not" {
	run --separate-stderr ptool ingest -q "$GPU/copies.json" missing.json
	exits 4
	says 'ptool: ingest: missing.json: cannot open: No such file or directory'
}

@test "gzip is found by content, whatever the name" {
	gzip -c "$GPU/copies.json" >copies
	ptool ingest -q -o packed.db copies
	ptool ingest -q -o plain.db "$GPU/copies.json"
	what='SELECT bytes, slices FROM profile'
	[ "$(ask packed.db "$what")" = "$(ask plain.db "$what")" ]
	cat copies copies | gzip -dc >twice # several members are one stream
	run ! cmp -s twice "$GPU/copies.json"
}

@test "standard input, a pipe, a named pipe and a process substitution are read" {
	what='SELECT slices FROM profile'
	ptool ingest -q -o a.db - <"$GPU/copies.json"
	cat "$GPU/copies.json" | ptool ingest -q -o b.db -
	ptool ingest -q -o c.db <(cat "$GPU/copies.json")
	ptool ingest -q -o d.db /dev/stdin <"$GPU/copies.json"
	gzip -c "$GPU/copies.json" | ptool ingest -q -o e.db -
	mkfifo fifo
	cat "$GPU/copies.json" >fifo &
	ptool ingest -q -o f.db fifo
	for store in ?.db; do
		[ "$(ask $store "$what")" = 37 ]
	done
	[ "$(ask a.db 'SELECT name FROM run')" = - ]
	[ "$(ask a.db 'SELECT path FROM profile')" = - ]
}

@test "a file called - is ./-" {
	cp "$GPU/copies.json" -- -
	ptool ingest -q ./- </dev/null
	[ "$(ask ptool.db 'SELECT name FROM run')" = "$PWD/-" ]
}

@test "what is no trace gets one line that says why, and exit 4" {
	mkdir folder
	: >empty
	printf '\177ELF\002\001\001' >binary
	echo 'step 1 took 3 ms' >text
	echo '[1, 2, 3]' >numbers.json
	echo '{"rows": []}' >object.json
	echo '{"traceEvents": 3}' >no_list.json
	printf '\037\213' >cut.gz
	printf 'SQLite format 3' >database
	for file in folder empty binary text numbers.json object.json no_list.json cut.gz database \
		missing.json text/below; do
		run --separate-stderr ptool ingest $file
		exits 4
		prints ''
		[ "$(printf '%s\n' "$stderr" | wc -l)" -eq 1 ]
		printf '%s\n' "$stderr"
	done | like_golden ingest_refused.err
	[ ! -e ptool.db ]
}

@test "of several files some refused, the rest is stored and the exit status is 4" {
	echo text >text
	: >empty
	cp "$GPU/copies.json" a.json
	cp "$GPU/graph.json" b.json
	run --separate-stderr ptool ingest text a.json empty b.json
	exits 4
	says "ptool: ingest: a.json: 37 slices
ptool: ingest: b.json: 69 slices
ptool: ingest: text: byte 0: no known format (expected a trace, a Python profile or a memory snapshot: ptool-formats(5))
ptool: ingest: empty: byte 0: the file is empty"
	[ "$(ask ptool.db 'SELECT path FROM profile ORDER BY id')" = "$PWD/a.json"$'\n'"$PWD/b.json" ]
}

@test "with --strict none is stored when one is refused" {
	echo text >text
	run --separate-stderr ptool ingest --strict "$GPU/copies.json" text
	exits 4
	[[ $stderr == *'text: byte 0: no known format'* ]]
	only_files text
	ptool ingest -q "$GPU/graph.json"
	before=$(cksum <ptool.db)
	run ptool ingest --strict "$GPU/copies.json" text
	exits 4
	[ "$(cksum <ptool.db)" = "$before" ]
}

@test "a file that is given twice counts once" {
	cp "$GPU/copies.json" a.json
	ln -s a.json link.json
	run --separate-stderr ptool ingest -q a.json link.json
	exits 4
	says 'ptool: ingest: link.json: given twice; it is read only once'
	[ "$(ask ptool.db 'SELECT count(*) FROM profile')" = 1 ]
}

@test "a truncated trace is stored up to the cut, with a finding and exit 0" {
	head -c 20000 "$GPU/one_stream.json" >cut.json
	run --separate-stderr ptool ingest cut.json
	exits 0
	[[ $stderr == *"slices, 1 warning or error; 'ptool doctor' lists it" ]]
	[ "$(ask ptool.db "SELECT code, severity, count FROM finding WHERE severity <> 'info'")" = 'truncated|error|1' ]
	# the last X of those 20,000 bytes is the one that was cut
	[ "$(ask ptool.db 'SELECT count(*) + 1 FROM slice')" = "$(grep -c '"ph": "X"' cut.json)" ]
}

@test "--strict refuses a truncated trace and says where" {
	head -c 20000 "$GPU/one_stream.json" >cut.json
	run --separate-stderr ptool ingest --strict cut.json
	exits 4
	[[ $stderr == 'ptool: ingest: cut.json: byte '*': '* ]]
	[ ! -e ptool.db ]
}

@test "a gzip file that is cut off is stored up to the cut" {
	gzip -dc "$TORCH/t2141_cnn_w0/trace.json.gz" | gzip -1 | head -c 60000 >cut.json.gz
	run --separate-stderr ptool ingest cut.json.gz
	exits 0
	[[ $stderr == *'warnings or errors; '* ]]
	ask ptool.db 'SELECT code FROM finding' | grep -qx truncated
	ask ptool.db 'SELECT code FROM finding' | grep -qx compression
}

@test "--run names the run; the same name replaces it whole" {
	ptool ingest -q --run first "$GPU/copies.json"
	ptool ingest -q --run second "$GPU/graph.json"
	[ "$(ask ptool.db 'SELECT name FROM run ORDER BY id')" = first$'\n'second ]
	ptool ingest -q --run first "$GPU/memory.json" "$GPU/sync.json"
	[ "$(ask ptool.db 'SELECT name FROM run ORDER BY id')" = second$'\n'first ]
	what="SELECT r.name, count(*) FROM run r JOIN profile p ON p.run_id = r.id GROUP BY 1 ORDER BY 1"
	[ "$(ask ptool.db "$what")" = 'first|2'$'\n''second|1' ]
	[ -z "$(ask ptool.db 'PRAGMA foreign_key_check')" ]
	[ "$(ask ptool.db 'PRAGMA integrity_check')" = ok ]
	# what replacing leaves is what a new store has
	ptool ingest -q -o new.db --run second "$GPU/graph.json"
	ptool ingest -q -o new.db --run first "$GPU/memory.json" "$GPU/sync.json"
	for table in profile slice op_stat track finding flow allocation kernel copy step counter; do
		rows="SELECT count(*) FROM $table"
		[ "$(ask ptool.db "$rows")" = "$(ask new.db "$rows")" ]
	done
}

@test "a run's default name is the path of its file, or the folder that its files share" {
	mkdir -p job/a job/ab
	cp "$GPU/copies.json" job/a/0.json
	cp "$GPU/copies.json" job/a/1.json
	cp "$GPU/copies.json" job/ab/2.json
	name='SELECT name FROM run ORDER BY id DESC LIMIT 1'
	(cd job && ptool ingest -q -o ../ptool.db a/0.json)
	[ "$(ask ptool.db "$name")" = "$PWD/job/a/0.json" ]
	ptool ingest -q job/a/0.json ./job/a/../a/1.json
	[ "$(ask ptool.db "$name")" = "$PWD/job/a" ]
	ptool ingest -q job/a/0.json job/ab/2.json
	[ "$(ask ptool.db "$name")" = "$PWD/job" ]
	ptool ingest -q - job/a/1.json <job/ab/2.json
	[ "$(ask ptool.db "$name")" = "$PWD/job/a/1.json" ]
	run ptool ingest -q missing.json job/ab/2.json
	exits 4
	[ "$(ask ptool.db "$name")" = "$PWD/job/ab/2.json" ]
}

@test "hostile names are stored as they are and shown without their controls" {
	name=$'a\e[31m\n\'"; DROP TABLE run; --\xff.json'
	cp "$GPU/copies.json" "$name"
	run --separate-stderr ptool ingest --run $'run\e]0;title\a' "$name"
	exits 0
	says 'ptool: ingest: a\x1b[31m\n'\''"; DROP TABLE run; --\xff.json: 37 slices'
	[ "$(ask ptool.db "SELECT hex(name) FROM run")" = "$(printf 'run\e]0;title\a' | od -An -tx1 | tr -d ' \n' | tr a-f A-F)" ]
	[ "$(ask ptool.db "SELECT count(*) FROM run")" = 1 ]
}

@test "--keep args keeps each event's args" {
	ptool ingest -q -o without.db "$GPU/copies.json"
	ptool ingest -q -o with.db --keep args "$GPU/copies.json"
	[ "$(ask without.db 'SELECT count(*) FROM slice_args')" = 0 ]
	[ "$(ask with.db 'SELECT count(*) > 0 FROM slice_args WHERE json_valid(args)')" = 1 ]
}

@test "--input-format reads whatever the content looks like" {
	echo 'no trace at all' >text
	run --separate-stderr ptool ingest --input-format chrome text
	exits 4
	says 'ptool: ingest: text: byte 0: not a JSON trace'
}

@test "a file that is no store is refused with exit 2 and not touched" {
	echo 'my notes' >notes
	mkdir folder
	: >empty
	sqlite3 other.db 'CREATE TABLE t (a)'
	for store in notes folder empty other.db; do
		before=$(ls -ld --time-style=full-iso $store)
		run --separate-stderr ptool ingest -o $store "$GPU/copies.json"
		exits 2
		says "ptool: ingest: $store: exists and is not a ptool store"
		[ "$(ls -ld --time-style=full-iso $store)" = "$before" ]
	done
	only_files notes folder empty other.db
}

@test "a store of another schema is refused with exit 4 and not touched" {
	ptool ingest -q "$GPU/copies.json"
	sqlite3 ptool.db 'PRAGMA user_version = 999'
	before=$(cksum <ptool.db)
	run --separate-stderr ptool ingest "$GPU/copies.json"
	exits 4
	[[ $stderr == 'ptool: ingest: ptool.db: store has schema 999, this ptool writes '* ]]
	[ "$(cksum <ptool.db)" = "$before" ]
}

@test "a damaged store is exit 4 or replaced, never half written" {
	ptool ingest -q --run one "$GPU/copies.json"
	printf 'rubbish' | dd of=ptool.db bs=1 seek=4200 conv=notrunc status=none
	printf '%5000s' '' | dd of=ptool.db bs=1 seek=8192 conv=notrunc status=none
	before=$(cksum <ptool.db)
	run --separate-stderr ptool ingest --run two "$GPU/copies.json"
	exits 4
	[[ $stderr == 'ptool: ingest: ptool.db: '* ]]
	[ "$(cksum <ptool.db)" = "$before" ]
	only_files ptool.db
}

@test "where nothing can be written the exit status is 5" {
	for store in missing/ptool.db /proc/ptool.db; do
		run --separate-stderr ptool ingest -o $store "$GPU/copies.json"
		exits 5
		[[ $stderr == "ptool: ingest: $store: cannot create '$store.lock': "* ]]
	done
}

@test "a folder without write permission is exit 5" {
	[ "$(id -u)" -ne 0 ] || skip 'root may write everywhere'
	mkdir readonly
	chmod 555 readonly
	run --separate-stderr ptool ingest -o readonly/ptool.db "$GPU/copies.json"
	exits 5
	[[ $stderr == *'Permission denied' ]]
}

@test "usage mistakes are exit 2, name what was meant, and touch nothing" {
	while IFS='|' read -r arguments message; do
		# shellcheck disable=SC2086 # words
		eval "run --separate-stderr ptool ingest $arguments"
		exits 2
		[[ $stderr == "ptool: ingest: $message"* ]] || { echo "$stderr"; false; }
	done <<'EOF'
|FILE is missing
--output|--output wants STORE
-o '' a.json|--output wants STORE
-o - a.json|a store is a file, not standard output
--run '' a.json|--run wants a name
--keep arg a.json|unknown --keep 'arg'; did you mean 'args'? (valid: args)
--input-format chrom a.json|unknown --input-format 'chrom'; did you mean 'chrome'? (valid: lprof, mprof, pstats, snapshot, timeline, speedscope, pyinstrument, scalene, chrometrace, gecko, chrome, pstats-text
--strcit a.json|unknown option '--strcit'; did you mean '--strict'? (valid: --output, --run, --input-format, --torch-version, --step-name, --names-from, --keep, --summary-only, --summaries, --jobs, --memory-limit, --max-expand, --strict, --if-missing, --format, --quiet, --help)
--torch-version 1.99 a.json|--torch-version '1.99' is none of 1.8 to 1.13, 2.0 to 2.15
--strict=yes a.json|--strict takes no value
-x a.json|unknown option '-x'
EOF
	run --separate-stderr ptool ingest -o folder/ "$GPU/copies.json"
	exits 2
	says "ptool: ingest: folder/: 'folder/' is not the name of a file"
	[ -z "$(ls -A)" ]
}

@test "a symbolic link to a store is followed, and stays a link" {
	mkdir elsewhere
	ln -s elsewhere/real.db ptool.db
	ptool ingest -q "$GPU/copies.json"
	[ -L ptool.db ]
	[ "$(ask elsewhere/real.db 'SELECT count(*) FROM run')" = 1 ]
	[ "$(ls elsewhere)" = real.db ]
}

@test "a store keeps the mode it has" {
	ptool ingest -q "$GPU/copies.json"
	chmod 640 ptool.db
	ptool ingest -q "$GPU/graph.json"
	[ "$(stat -c %a ptool.db)" = 640 ]
}

@test "the exit status is the same through a pipe, whoever reads it" {
	echo text >text
	for expected in 0:"$GPU/copies.json" 4:text 4:missing; do
		set +e
		ptool ingest "${expected#*:}" 2>&1 | cat >/dev/null
		first=${PIPESTATUS[0]}
		ptool ingest "${expected#*:}" 2>&1 | true
		second=${PIPESTATUS[0]}
		set -e
		[ "$first" -eq "${expected%%:*}" ]
		[ "$second" -eq "${expected%%:*}" ]
	done
}

@test "the same input gives the same store, byte for byte" {
	ptool ingest -q -o a.db "$GPU/memory.json"
	ptool ingest -q -o b.db "$GPU/memory.json"
	cmp a.db b.db
}

@test "--torch-version counts as that torch did, and takes what the table has" {
	ptool ingest -q -o content.db "$TORCH/t2141_cnn_w0_stack/trace.json.gz"
	ptool ingest -q -o named.db --torch-version 2.6 "$TORCH/t2141_cnn_w0_stack/trace.json.gz"
	what='SELECT dialect, python_in_tree, float_memory_window FROM profile'
	[ "$(ask content.db "$what")" = 'F|1|0' ]
	[ "$(ask named.db "$what")" = 'D|0|1' ]
	[ "$(ptool info --format csv named.db | grep -o '"pytorch","D"')" ]
	for version in 9.9 1.14 2.6.0 2 x ''; do
		run --separate-stderr ptool ingest -o no.db --torch-version "$version" "$GPU/copies.json"
		exits 2
		says "ptool: ingest: --torch-version '$version' is none of 1.8 to 1.13, 2.0 to 2.15"
	done
	only_files content.db named.db
}

@test "--memory-limit takes a size; the store is the same whatever it is" {
	ptool ingest -q -o much.db "$GPU/one_stream.json"
	ptool ingest -q -o little.db --memory-limit 1 "$GPU/one_stream.json"
	ptool ingest -q -o middle.db --memory-limit=64K "$GPU/one_stream.json"
	cmp much.db little.db
	cmp much.db middle.db
	for size in 0 0M x 1.5G 16m -1 8388608T ''; do
		run --separate-stderr ptool ingest -o no.db --memory-limit "$size" "$GPU/copies.json"
		exits 2
		says "ptool: ingest: --memory-limit wants a size like 512M or 16G, not '$size'"
	done
	only_files little.db middle.db much.db
}

@test "a list of torch without Kineto: its arrows join device work and operators" {
	cat >list.json <<-'END'
		[{"name": "ProfilerStep#7", "ph": "X", "ts": 1, "dur": 90, "tid": 1, "pid": "CPU functions", "args": {}},
		{"name": "mm", "ph": "X", "ts": 5.5, "dur": 9.000000000000002, "tid": 1, "pid": "CPU functions", "args": {}},
		{"name": "mm", "ph": "s", "ts": 5.5, "tid": 1, "pid": "CPU functions", "id": 0, "cat": "cpu_to_cuda", "args": {}},
		{"name": "gemm", "ph": "f", "ts": 100, "tid": 0, "pid": "CUDA functions", "id": 0, "cat": "cpu_to_cuda", "args": {}},
		{"name": "gemm", "ph": "X", "ts": 100, "dur": 3.25, "tid": 0, "pid": "CUDA functions", "args": {}},
		{"name": "mm", "ph": "s", "ts": 5.5, "tid": 1, "pid": "CPU functions", "id": 1, "cat": "cpu_to_cuda", "args": {}},
		{"name": "split", "ph": "X", "ts": 104, "dur": 1, "tid": 0, "pid": "CUDA functions", "args": {}}]
	END
	ptool ingest -q list.json
	[ "$(ask ptool.db 'SELECT format, dialect FROM profile')" = 'pytorch|L' ]
	what="SELECT k.name, k.class, k.step, o.name FROM slice k JOIN slice o ON o.id = k.op_id ORDER BY k.ts"
	[ "$(ask ptool.db "$what")" = 'gemm|kernel|7|mm
split|kernel|7|mm' ]
	[ "$(ptool top --focus '^mm$' --format csv list.json | tail -1 | grep -o '4250' | head -1)" = 4250 ]
	[ "$(ask ptool.db "SELECT count(*) FROM finding WHERE code = 'launch_unknown'")" = 0 ]
}

@test "--strict refuses what only the whole recording shows" {
	echo '[{"ph":"E","ts":3},{"ph":"X","name":"a","ts":1,"dur":1}]' >end.json
	echo '[{"ph":"X","name":"a","ts":1700000000000000,"dur":1},{"ph":"i","name":"lost","ts":0}]' >far.json
	run --separate-stderr ptool ingest --strict end.json
	exits 4
	says 'ptool: ingest: end.json: byte 1: an E has no B before it'
	run --separate-stderr ptool ingest --strict far.json
	exits 4
	says 'ptool: ingest: far.json: byte 53: an event lies more than 7 days from the others'
	[ ! -e ptool.db ]
}

@test "the columns that C code names are the schema's, in its order" {
	schema="$(dirname "$TESTS")/src/store/schema.sql"
	python3 - "$schema" >wanted <<-'PY'
		import sqlite3, sys
		db = sqlite3.connect(":memory:")
		db.executescript(open(sys.argv[1]).read())
		for table, in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid"):
		    names = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
		    enum = [f"COL_{table}_{name}".upper() for name in names + ["N"]]
		    print("\nenum {\n\t" + ",\n\t".join(enum) + "\n};")
		    print(f'#define {table.upper()}_COLUMNS \\\n\t"{", ".join(names)}"')
	PY
	"$(dirname "$TESTS")/scripts/columns.sh" "$schema" | sed '1,3d; /^#define .*_\(TEXTS\|BLOBS\) /d' | head -n -2 |
		diff -u wanted -
	sed 's/    dur         INTEGER NOT NULL,          -- 0 for instants/CHECK (ts > 0)/' "$schema" >odd.sql
	run ! "$(dirname "$TESTS")/scripts/columns.sh" odd.sql
}

@test "one of several ranks has summaries, the only rank has none unless asked" {
	sed -E 's/"world_size": *[0-9]+/"world_size": 1/' "$GPU/collectives_rank0.json" >alone.json
	ptool ingest -q -o ranks.db "$GPU/collectives_rank0.json"
	ptool ingest -q -o alone.db alone.json
	ptool ingest -q --summaries yes -o asked.db alone.json
	[ "$(ask ranks.db 'SELECT count(*) > 0 FROM device_part')" = 1 ]
	[ "$(ask alone.db 'SELECT count(*) FROM device_part')" = 0 ]
	[ "$(ask asked.db 'SELECT count(*) > 0 FROM device_part')" = 1 ]
}

@test "--summary-only leaves the slices out, and what needs them says so" {
	ptool ingest -q -o full.db "$GPU/collectives_rank0.json"
	ptool ingest -q --run kept -o small.db "$GPU/copies.json"
	ptool ingest -q --summary-only -o small.db "$GPU/collectives_rank0.json"
	[ "$(ask small.db 'SELECT has_slices, slices > 0 FROM profile ORDER BY id')" = $'1|1\n0|1' ]
	diff <(ptool top --format json full.db) <(ptool top --format json small.db)
	diff <(ptool top --by step full.db) <(ptool top --by step small.db)
	for command in tree 'top --thread 1' list; do
		run --separate-stderr ptool $command small.db
		exits 3
		[[ "$stderr" == *"small.db: reads slices, which were left out"*"without --summary-only"* ]]
	done
	ptool list --run kept small.db >/dev/null
	ptool rm -q kept -o small.db
	run --separate-stderr ptool sql small.db 'SELECT count(*) FROM slice'
	exits 3
	[[ "$stderr" == *"reads slices"* ]]
}

@test "--if-missing does nothing where the store is of these files as they are now" {
	mkdir in
	cp "$GPU/collectives_rank0.json" "$GPU/copies.json" in
	echo note >in/notes.txt
	for input in in/copies.json in; do
		rm -f it.db
		ptool ingest -q --if-missing -o it.db "$input"
		cp it.db was.db
		run --separate-stderr ptool ingest --if-missing -o it.db "$input"
		exits 0
		says 'ptool: ingest: it.db: was made from these files already: nothing to do'
		cmp it.db was.db
		# slices left out, another name, a file that changed: made again
		ptool ingest -q --if-missing --summary-only -o it.db "$input"
		[ "$(ask it.db 'SELECT max(has_slices) FROM profile')" = 0 ]
		ptool ingest -q --if-missing --run named -o it.db "$input"
		[ "$(ask it.db 'SELECT count(*) FROM run')" = 2 ]
	done
	# of links, and of what is named again
	mkdir links
	ln -s ../in/copies.json ../in/notes.txt links
	ptool ingest -q -o links.db links
	run --separate-stderr ptool ingest --if-missing -o links.db links
	says 'ptool: ingest: links.db: was made from these files already: nothing to do'
	run --separate-stderr ptool ingest --if-missing -o links.db links links/copies.json in/copies.json
	[[ "$stderr" == *"given twice"* ]]
	run --separate-stderr ptool ingest --if-missing -o links.db links links/copies.json in/copies.json
	says 'ptool: ingest: links.db: was made from these files already: nothing to do'
	ptool ingest -q -o it.db in
	touch in/copies.json
	run --separate-stderr ptool ingest --if-missing -o it.db in
	[[ "$stderr" == *"copies.json: "*slice* ]]
	rm in/copies.json
	run --separate-stderr ptool ingest --if-missing -o it.db in
	[[ "$stderr" == *"rank0.json: 41 slices"* ]]
	run --separate-stderr ptool ingest --if-missing -o it.db missing.json
	exits 4
}

@test "--if-missing sees that an archive or a file that was being read has changed" {
	two() { # NAME OUT
		cp "$GPU/$1" one.json
		cp "$GPU/two_devices.json" other.json
		tar -cf "$2" one.json other.json
	}
	two copies.json a.tar
	ptool ingest -q -o a.db a.tar
	run --separate-stderr ptool ingest --if-missing -o a.db a.tar
	says 'ptool: ingest: a.db: was made from these files already: nothing to do'
	two collectives_rank0.json a.tar
	touch -d '+1 minute' a.tar
	run --separate-stderr ptool ingest --if-missing -o a.db a.tar
	[[ "$stderr" == *slices* ]]
	# files are listed before the pipe is opened, and read by then or later
	mkfifo pipe
	cp "$GPU/copies.json" a.json
	cp "$GPU/copies.json" b.json
	touch -d '-1 minute' a.json b.json
	ptool ingest -q --jobs 2 --run r -o race.db pipe a.json b.json &
	exec 7>pipe
	cp b.json new.json
	mv new.json a.json
	echo no >&7
	exec 7>&-
	wait $! || [ $? = 4 ]
	[ "$(ask race.db 'SELECT count(*), count(mtime_ns) FROM profile')" = '2|1' ]
	run --separate-stderr ptool ingest --if-missing --run r -o race.db a.json b.json
	[[ "$stderr" == *slices* ]]
	run --separate-stderr ptool ingest --if-missing --run r -o race.db a.json b.json
	says 'ptool: ingest: race.db: was made from these files already: nothing to do'
}

@test "--format json tells what became of each file, an object a line" {
	cp "$GPU/collectives_rank1.json" rank1.json
	echo no >no.json
	run --separate-stderr ptool ingest -q --format json --run r -o it.db rank1.json no.json
	exits 4
	python3 - "$output" <<-'PY'
		import json, sys
		good, bad = (json.loads(line) for line in sys.argv[1].splitlines())
		seconds = good.pop("seconds")
		assert 0 < seconds < 600, seconds
		assert good == {"path": "rank1.json", "run": "r", "rank": 1, "slices": 41, "findings": good["findings"],
		                "bytes": good["bytes"], "error": None} and good["bytes"] > 1000, good
		assert bad["path"] == "no.json" and "known format" in bad["error"] and bad["slices"] is None, bad
	PY
}

@test "while a store is written nobody may read it who may not read the old one" {
	umask 022
	ptool ingest -q -o private.db "$EVERYTHING"
	chmod 600 private.db
	mkfifo slow
	"$PTOOL" ingest -q -o private.db --run new - <slow &
	exec 7>slow
	until compgen -G 'private.db.tmp.*' >/dev/null; do sleep 0.01; done
	[ "$(stat -c %a private.db.tmp.*)" = 600 ]
	cat "$EVERYTHING" >&7
	exec 7>&-
	wait
	[ "$(stat -c %a private.db)" = 600 ]
	[ "$(ptool info private.db --format csv | wc -l)" = 3 ]
}

#!/usr/bin/env bats
# ptool sql: the user's own query on a store.

load setup

here() {
	ptool ingest -q --run gpu "$GPU/two_devices.json"
}

@test "rows in every format, columns as the query names them" {
	here
	query='SELECT name, count(*) AS n, sum(dur) AS total_ns, NULL AS "a ""b""" FROM slice GROUP BY 1 ORDER BY 1 LIMIT 3'
	for format in table csv tsv json ndjson markdown; do
		ptool sql "$query" --format $format | like_golden "sql.$format"
	done
}

@test "the answers are SQLite's own" {
	here
	ask_both() { # SQL
		[ "$(ptool sql "$1" --format tsv | tail -n +2)" = "$(sqlite3 -readonly -separator $'\t' ptool.db "$1")" ]
	}
	ask_both 'SELECT * FROM v_step'
	ask_both 'SELECT * FROM v_kernel'
	ask_both 'SELECT id, ts, dur, name FROM slice ORDER BY dur DESC, id'
	ask_both "SELECT 9223372036854775807, -1, 0.1, 'x'"
}

@test "a view of a summary does not look through it once for each row" {
	here
	for view in v_op v_kernel v_step; do
		run sqlite3 -readonly ptool.db "EXPLAIN QUERY PLAN SELECT * FROM $view"
		exits 0
		[[ $output == *op_stat* ]]
		[[ $output != *CORRELATED* ]]
	done
}

@test "a query comes from a file, or from standard input" {
	here
	printf -- '-- a comment\nSELECT count(*) AS n\nFROM run;\n' >query.sql
	run --separate-stderr ptool sql --file query.sql --format csv
	exits 0
	prints $'n\n1'
	run --separate-stderr bash -c '"$PTOOL" sql ptool.db --file - --format csv <query.sql'
	exits 0
	prints $'n\n1'
}

@test "--param gives values: numbers as numbers, all else as text" {
	here
	types='SELECT typeof(:a) AS a, typeof(@b) AS b, typeof($c) AS c, typeof(:d) AS d, typeof(:e) AS e'
	run --separate-stderr ptool sql --format csv -p a=12 -p b=-1.5e3 -p c=x -p d= -p e=12x "$types"
	exits 0
	prints $'a,b,c,d,e\n"integer","real","text","text","text"'
	run --separate-stderr ptool sql --format csv -p 1=9223372036854775808 'SELECT typeof(?1) AS beyond_int64'
	prints $'beyond_int64\n"real"'
}

@test "a value cannot become part of the query" {
	here
	run --separate-stderr ptool sql --format csv --param "name='; DROP TABLE run; --" \
		'SELECT count(*) AS n FROM slice WHERE name = :name'
	exits 0
	prints $'n\n0'
}

@test "a query that selects nothing is an answer: exit 0" {
	here
	run --separate-stderr ptool sql 'SELECT name FROM slice WHERE 0' --format csv
	exits 0
	says ''
	prints name
	run --separate-stderr ptool sql 'PRAGMA case_sensitive_like = 1'
	exits 0
	prints ''
}

@test "several statements: their results one after the other, for people only" {
	here
	run --separate-stderr ptool sql 'SELECT 1 AS a; -- then
		PRAGMA case_sensitive_like = 1; SELECT 2 AS b;'
	exits 0
	prints $'a\n1\n\n1 row\n\nb\n2\n\n1 row'
	run --separate-stderr ptool sql 'SELECT 1 AS a; SELECT 2 AS b' --format csv
	exits 2
	says 'ptool: sql: 2 statements return rows; only --format table and markdown can show more than one result'
	run --separate-stderr ptool sql 'SELECT 1 AS a; PRAGMA case_sensitive_like = 1' --format csv
	exits 0
	prints $'a\n1'
}

@test "without UTF-8 several results are in ASCII, as one is" {
	here
	for query in 'SELECT :a AS a' 'SELECT :a AS a; SELECT 1 AS b'; do
		LC_ALL=C ptool sql -p a="$(printf 'x%.0s' {1..150})" "$query" >rows
		grep -q 'xx\.\.\.xx\|xx~xx' rows
		run ! env LC_ALL=C grep -q '[^ -~]' rows
	done
}

@test "columns named _ns, _bytes and _pct carry their unit in JSON; people get the bare numbers" {
	here
	query='SELECT 5000000 AS dur_ns, 2048 AS b_bytes, 12.5 AS busy_pct, 7 AS n, 1 AS _ns'
	run --separate-stderr ptool sql "$query" --format json
	[[ $output == *'{"name":"dur_ns","unit":"ns"},{"name":"b_bytes","unit":"bytes"},{"name":"busy_pct","unit":"percent"},{"name":"n","unit":"any"},{"name":"_ns","unit":"any"}'* ]]
	[[ $output == *'{"dur_ns":5000000,"b_bytes":2048,"busy_pct":12.5,"n":7,"_ns":1}'* ]]
	ptool sql "$query" | sed -n 2p | grep -x '5000000     2048      12.5  7    1'
}

@test "blobs are hexadecimal, an empty one is no null" {
	here
	run --separate-stderr ptool sql "SELECT x'00ff10' AS a, x'' AS b" --format ndjson
	exits 0
	prints '{"a":"00ff10","b":""}'
}

@test "2: a mistake says where in the query, in one line" {
	here
	run --separate-stderr ptool sql 'SELECT * FRM slice'
	exits 2
	says 'ptool: sql: byte 9: near "FRM": syntax error'
	run --separate-stderr ptool sql 'SELECT 1; SELECT nme FROM slice'
	exits 2
	says 'ptool: sql: byte 17: no such column: nme'
	printf 'SELECT 1;\nSELECT nme FROM slice' >query.sql
	run --separate-stderr ptool sql --file query.sql
	exits 2
	says 'ptool: sql: query.sql: byte 17: no such column: nme'
	run --separate-stderr ptool sql 'SELECT * FROM "no
such"'
	exits 2
	says 'ptool: sql: no such table: no\nsuch'
	run --separate-stderr ptool sql 'SELECT abs(-9223372036854775808)'
	exits 2
	says 'ptool: sql: integer overflow'
}

@test "2: nothing in a query can write: the store stays the same, and no file comes to be" {
	here
	cp ptool.db was
	for query in 'DELETE FROM run' 'DROP TABLE run' 'UPDATE run SET name = 1' \
		"INSERT INTO run VALUES (9, 'x')" 'CREATE TABLE x (a)' 'CREATE TEMP TABLE x (a)' \
		"VACUUM INTO 'copy.db'" 'VACUUM' "ATTACH 'other.db' AS other" 'PRAGMA user_version = 9' \
		'PRAGMA query_only = OFF; DELETE FROM run' 'BEGIN IMMEDIATE; DELETE FROM run' \
		'PRAGMA writable_schema = 1; DELETE FROM sqlite_schema' 'REINDEX' 'ANALYZE'; do
		run --separate-stderr ptool sql "$query"
		[ "$status" -eq 2 ] || { echo "$query: $status"; return 1; }
		[ "$(wc -l <<<"$stderr")" -eq 1 ]
	done
	for query in 'PRAGMA journal_mode = WAL' 'PRAGMA journal_mode = TRUNCATE' 'BEGIN EXCLUSIVE' \
		"SELECT load_extension('x')" "SELECT writefile('x', 1)"; do
		run --separate-stderr ptool sql "$query"
	done
	cmp ptool.db was
	only_files ptool.db was
}

@test "2: functions, pragmas and virtual tables that are not in the lists" {
	here
	for query in "SELECT fts3_tokenizer('simple', x'4141414141414141')" \
		"SELECT hex(fts3_tokenizer('simple'))" "SELECT load_extension('x')"; do
		run --separate-stderr ptool sql "$query"
		exits 2
		[[ $stderr =~ ^'ptool: sql: byte '[0-9]+': '('no such function: fts3_tokenizer'|'function load_extension is not allowed in a query')$ ]] ||
			{ echo "$stderr"; return 1; }
	done
	for pragma in journal_mode mmap_size query_only 'user_version = 9' 'trusted_schema = 1' hard_heap_limit; do
		run --separate-stderr ptool sql "PRAGMA $pragma"
		exits 2
		says "ptool: sql: PRAGMA ${pragma% = *} is not allowed in a query"
	done
	run --separate-stderr ptool sql 'SELECT * FROM pragma_journal_mode'
	exits 2
	says 'ptool: sql: PRAGMA journal_mode is not allowed in a query'
	for table in fts3tokenize dbstat sqlite_stmt sqlite_dbpage; do
		run --separate-stderr ptool sql "SELECT * FROM $table"
		exits 2
		says "ptool: sql: no such table: $table"
	done
	# an open address: SQLite used it here
	run --separate-stderr ptool sql "SELECT fts3_tokenizer('simple', x'4141414141414141');
		SELECT * FROM pragma_table_info('fts3tokenize')"
	exits 2
}

@test "what only tells or computes is allowed" {
	here
	[ "$(ptool sql --format csv "SELECT count(*) AS n FROM pragma_table_info('run')")" = $'n\n2' ]
	[ "$(ptool sql --format csv "SELECT value FROM json_each('[1,2]')")" = $'value\n1\n2' ]
	[ "$(ptool sql --format csv 'PRAGMA user_version')" = $'user_version\n8' ]
	[ "$(ptool sql --format csv 'PRAGMA integrity_check')" = $'integrity_check\n"ok"' ]
	[ "$(ptool sql --format csv "SELECT upper(printf('%d-%s', 7, trim(' x '))) AS a")" = $'a\n"7-X"' ]
	# every view of the store, whatever it computes
	for view in $(sqlite3 -readonly ptool.db "SELECT name FROM sqlite_schema WHERE type = 'view'"); do
		run --separate-stderr ptool sql "SELECT * FROM $view"
		exits 0
	done
}

# A short query of which SQLite makes one that is 2^N times as long.
doubled() { # N
	printf 'WITH c0 AS (SELECT 1 AS x)'
	for ((i = 1; i <= $1; i++)); do
		printf ', c%d AS (SELECT a.x FROM c%d a, c%d b)' "$i" $((i - 1)) $((i - 1))
	done
	printf ' SELECT count(*) FROM c%d' "$1"
}

@test "2: --timeout ends a query that takes longer, and no other" {
	[ -z "${VALGRIND:-}" ] || skip "it lists what an ended query leaves behind"
	here
	endless='WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n'
	run --separate-stderr ptool sql --timeout 1 "$endless"
	exits 2
	says 'ptool: sql: the query took longer than --timeout 1'
	run --separate-stderr ptool sql --timeout 1 'SELECT 1; '"$endless"
	exits 2
	# within one call of a function SQLite looks at no clock
	run --separate-stderr ptool sql --timeout 1 -o out.csv "SELECT instr(zeroblob(9000000), CAST(zeroblob(4000000) || 'x' AS BLOB))"
	exits 2
	says 'ptool: sql: the query took longer than --timeout 1'
	[ "$(ls -A)" = ptool.db ]
	# nor while it reads a statement
	run --separate-stderr ptool sql --timeout 1 "$(doubled 40)"
	exits 2
	says 'ptool: sql: the query took longer than --timeout 1'
	run --separate-stderr ptool sql --timeout 60 --format csv 'SELECT 1 AS a'
	exits 0
	prints $'a\n1'
	run --separate-stderr ptool sql --timeout -1 'SELECT 1'
	exits 2
}

@test "4: pages in circles end a query that would not, in one step of SQLite's, too" {
	here
	mv ptool.db looped.db
	# Larger than what is checked when it is opened.  14 pages with 300 times the next one: 300^14 rows.
	python3 - <<-'END'
		import sqlite3, struct
		db = sqlite3.connect("looped.db")
		((root,),) = db.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'slice_row'")
		db.close()
		with open("looped.db", "r+b") as file:
		    def write(page, data):
		        file.seek((page - 1) * 4096)
		        file.write(data)
		    file.seek((root - 1) * 4096)
		    leaf = file.read(4096)
		    n = (17 << 20) // 4096
		    pages = [root, *range(n - 15, n)]
		    for page, child in zip(pages, pages[1:]):
		        cells = [4096 - 5 * (i + 1) for i in range(300)]
		        write(page, (struct.pack(">BHHHBI", 5, 0, 300, cells[-1], 0, child) + struct.pack(">300H", *cells)).ljust(4096 - 1500, b"\0")
		              + struct.pack(">IB", child, 1) * 300)
		    assert leaf[0] == 13, leaf[0]
		    write(pages[-1], leaf)
		    file.truncate(17 << 20)
		    file.seek(28)
		    file.write(struct.pack(">I", n))
	END
	run --separate-stderr timeout 60 "$PTOOL" sql --format csv looped.db 'SELECT count(*) FROM slice_row'
	exits 4
	[[ $stderr =~ ^'ptool: sql: looped.db: the store is damaged at its page '[0-9]+'; ingest its traces into a new one'$ ]]
}

@test "5: --memory-limit ends a query that takes more, in SQLite or in the table" {
	here
	many='WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 200000) SELECT'
	for query in "SELECT zeroblob(1000000000)" "$many i FROM n ORDER BY -i" "$many group_concat(i) FROM n" \
		"SELECT zeroblob(99) UNION ALL SELECT hex(zeroblob(100000))" "$(doubled 40)"; do
		run --separate-stderr ptool sql --memory-limit 1M --format csv "$query"
		exits 5
		says 'ptool: sql: the query needs more memory than 1.00 MiB, or than 128.00 KiB for one value; --memory-limit SIZE allows more'
	done
	run --separate-stderr ptool sql --memory-limit 1M "$many i FROM n"
	exits 5
	says 'ptool: sql: the rows need more memory than 1.00 MiB; --format csv keeps no rows, --memory-limit SIZE allows more'
	ptool sql --memory-limit 1M --format csv "$many i FROM n" | tail -1 | grep -qx 200000
	run --separate-stderr ptool sql --memory-limit much 'SELECT 1'
	exits 2
	says "ptool: sql: --memory-limit wants a size like 512M or 16G, not 'much'"
}

@test "2: parameters that do not fit the query" {
	here
	run --separate-stderr ptool sql 'SELECT :a'
	exits 2
	says 'ptool: sql: :a has no value; give it --param a=VALUE'
	run --separate-stderr ptool sql 'SELECT :a' -p b=1
	exits 2
	says 'ptool: sql: --param b: the query has no :b'
	run --separate-stderr ptool sql 'SELECT :a' -p a
	exits 2
	says "ptool: sql: --param wants NAME=VALUE, not 'a'"
	run --separate-stderr ptool sql 'SELECT ?' -p 1=1
	exits 2
	says 'ptool: sql: a bare ? cannot be given a value; use :name'
}

@test "2: no query, two of them, or an empty one" {
	here
	for arguments in '' 'ptool.db'; do
		run --separate-stderr ptool sql $arguments
		exits 2
		says 'ptool: sql: QUERY is missing'
	done
	for query in '' ' ; ' $'\n-- only a comment'; do
		run --separate-stderr ptool sql "$query"
		exits 2
		says 'ptool: sql: the query is empty'
	done
	run --separate-stderr ptool sql ptool.db 'SELECT 1' --file x.sql
	exits 2
	printf 'SELECT 1\0' >nul.sql
	run --separate-stderr ptool sql --file nul.sql
	exits 2
	says 'ptool: sql: nul.sql: not SQL: it contains a NUL byte'
}

@test "4: a query file or a store that is missing, a store that is damaged" {
	run --separate-stderr ptool sql 'SELECT 1'
	exits 4
	says "ptool: sql: ptool.db: no store here; run 'ptool ingest FILE' first"
	here
	run --separate-stderr ptool sql --file missing.sql
	exits 4
	[[ $stderr == *'missing.sql: '*'No such file or directory' ]]
	ptool ingest -q -o big.db "$TORCH/t2141_cnn_w0/trace.json.gz"
	size=$(stat -c %s big.db)
	head -c 8192 big.db >cut.db
	head -c $((size - 8192)) /dev/zero | tr '\0' '\377' >>cut.db
	run --separate-stderr ptool sql cut.db 'SELECT sum(dur) FROM slice_row'
	exits 4
	says 'ptool: sql: cut.db: database disk image is malformed'
}

@test "5: an output that cannot be written, after one result and after two" {
	here
	for query in 'SELECT 1' 'SELECT 1; SELECT 2'; do
		run --separate-stderr bash -c '"$PTOOL" sql "$0" >/dev/full' "$query"
		exits 5
		[[ $stderr == *'No space left on device' ]]
	done
}

@test "130: Ctrl-C ends a query that does not" {
	here
	run --separate-stderr timeout --preserve-status -s INT 1 "$PTOOL" sql \
		'WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n'
	exits 130
}

@test "a reader that goes away ends a long answer quietly" {
	here
	run --separate-stderr bash -c '"$PTOOL" sql --format csv "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n" | head -1; exit "${PIPESTATUS[0]}"'
	exits 0
	says ''
	prints i
}

@test "several results go to one file" {
	here
	ptool sql 'SELECT 1 AS a; SELECT 2 AS b' -o out.txt
	[ "$(grep -c '1 row' out.txt)" -eq 2 ]
	run --separate-stderr ptool sql 'SELECT 1 AS a; SELECT 2 AS b' -o out.txt
	exits 2
	says 'ptool: sql: out.txt exists; -f replaces it'
}

#!/usr/bin/env bats
# --budget: answers that fit a number of tokens, and what machines are told where there is
# no answer.

load setup

bytes_of() { # ARGS...
	ptool "$@" | wc -c
}

@test "every reading command fits into its budget, in every format with rows" {
	ptool ingest -q -o s.db "$GPU/copies.json"
	for command in top steps devices streams kernels transfers list info doctor advise; do
		for format in table csv json markdown; do
			ptool "$command" --format $format s.db >all
			least=$(bytes_of "$command" --budget 1 --format $format s.db 2>/dev/null)
			budget=$(($(wc -c <all) / 4))
			most=$((budget * 7 / 2 > least + 8 ? budget * 7 / 2 : least + 8)) # of a longer number
			[ "$(bytes_of "$command" --budget $budget --format $format s.db 2>/dev/null)" -le $most ] ||
				{ echo "$command $format"; return 1; }
		done
	done
}

@test "rows are left out whole, the last first, and that is told" {
	ptool ingest -q -o s.db "$GPU/copies.json"
	ptool list --format csv s.db >all
	run --separate-stderr ptool list --budget 200 --format csv s.db
	exits 0
	[ "$(wc -l <<<"$output")" -lt "$(wc -l <all)" ]
	head -n "$(wc -l <<<"$output")" all | diff - <(echo "$output")
	[[ $stderr == "ptool: list: cut to "*" rows, for --budget 200: --budget 0 writes all" ]]

	ptool list --format json --budget 400 s.db >cut.json
	json_is 'j["total_rows"] > len(j["rows"]) and j["notes"][-1].startswith("cut to ")' <cut.json
	run ptool list --budget 200 --limit 0 s.db
	[[ ${lines[-1]} == "note: cut to "* ]]
	# a share is of the rows that were to be shown
	run ptool top --budget 120 s.db
	[[ $output != *"% of"* ]]
}

@test "the note is of what lost rows, and names options that the command has" {
	ptool ingest -q -o s.db "$GPU/copies.json"
	many='SELECT 1 AS a; WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 9999) SELECT i FROM n'
	ptool sql --budget 100 s.db "$many" >cut
	tail -1 cut | grep -xE 'note: cut to [0-9]{2} of 9,999 rows, for --budget 100: all by --budget 0'
	run -0 --separate-stderr ptool sql --budget 100 --format csv s.db "${many#*;}"
	[[ $stderr == "ptool: sql: cut to "?*" of 9,999 rows, for --budget 100: --budget 0 writes all" ]]
	ptool top --limit 0 --budget 60 s.db | grep -E 'for --budget 60: other rows by --sort, --focus, --limit; all by --budget 0$'
	ptool top --limit 3 --budget 60 s.db | grep -E '; all by --limit 0 --budget 0$'
	run -0 --separate-stderr ptool list --limit 9 --budget 90 --format csv s.db
	[[ $stderr == *": --limit 0 --budget 0 writes all" ]]
	ptool diff --headline --budget 10 s.db s.db | grep -x 'note: some notes are left out, for --budget 10: all by --budget 0'
}

@test "the formats of torch and pstats are not cut, and say so" {
	run -2 --separate-stderr ptool top --format torch --budget 20 "$GPU/copies.json"
	says 'ptool: top: --budget does not cut the format torch: give --format csv or json'
	run -2 --separate-stderr ptool pstats --budget 5 "$FIXTURES/pyprof/app.prof"
	says 'ptool: pstats: --budget does not cut the format pstats: give --format csv or json'
	ptool top --format torch --budget 0 -q "$GPU/copies.json" | grep -q 'Self CPU'
	[ "$(bytes_of pstats --format csv --budget 200 -q "$FIXTURES/pyprof/app.prof" 2>/dev/null)" -le 700 ]
}

@test "an answer that fits is as it is without a budget" {
	ptool ingest -q -o s.db "$GPU/copies.json"
	for command in top steps advise overview; do
		ptool "$command" s.db >without
		ptool "$command" --budget 100000 s.db | diff without -
	done
}

@test "one row stands however small the budget is; prose is cut between its lines" {
	ptool ingest -q -o s.db "$GPU/copies.json"
	[ "$(ptool list --format csv --budget 1 s.db 2>/dev/null | wc -l)" -eq 2 ]
	ptool advise s.db >all
	ptool advise --budget 1 s.db >cut
	[ "$(wc -l <cut)" -lt "$(wc -l <all)" ]
	grep -qF '... cut to 1 tokens' cut
}

@test "of one row that is too long its texts are cut, in every format" {
	ptool ingest -q -o s.db "$GPU/copies.json"
	long="SELECT 1 AS a, replace(printf('%.*c', 99999, 'x'), 'x', 'é') AS b, 'z' AS c"
	for format in table csv tsv json ndjson markdown; do
		ptool sql --names full --budget 200 --format $format s.db "$long" >cut
		[ "$(wc -c <cut)" -le 700 ] || { echo $format; return 1; }
		grep -q '1.*éééé \[cut\].*z' cut
		iconv -f UTF-8 cut >/dev/null
	done
	ptool sql --budget 200 --format json s.db "$long" | json_is 'j["rows"][0]["c"] == "z" and j["total_rows"] == 1'
}

@test "rows that the answer cannot have are not kept" {
	ptool ingest -q -o s.db "$GPU/copies.json"
	limit=200000
	[ -z "${SAN-}${TSAN-}${VALGRIND-}" ] || limit=unlimited
	long="WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 60) SELECT printf('%.*c', 4000000, 'x') || i AS t FROM n"
	(ulimit -v "$limit"; ptool sql --budget 2000 --format json s.db "$long") >cut.json
	json_is 'j["total_rows"] == 60 and len(j["rows"]) == 1 and j["notes"][0].startswith("cut to 1 of 60 rows")' <cut.json
	# people see the start of each
	(ulimit -v "$limit"; ptool sql --budget 2000 s.db "$long; SELECT 1") >cut
	[ "$(grep -c 'xxx.*xxx \[cut\]$' cut)" -eq 60 ]
}

@test "rows that are packed count with what they take" {
	ptool ingest -q -o s.db "$GPU/copies.json"
	same="WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 300) SELECT 'a rather long name, again and again' AS t FROM n"
	ptool sql --format parquet s.db "$same" >all
	run --separate-stderr ptool sql --budget 500 --format parquet s.db "$same"
	[ "$(wc -c <all)" -le 1750 ] && [ -z "$stderr" ]
	ptool sql --budget 500 --format parquet s.db "$same" | cmp - all
}

@test "several results have one budget" {
	ptool ingest -q -o s.db "$GPU/copies.json"
	many='WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 9999) SELECT i FROM n'
	for format in table markdown; do
		ptool sql --budget 100 --format $format s.db "$many; SELECT 'two' AS b" >cut
		[ "$(wc -c <cut)" -le 350 ] || { echo $format; return 1; }
		grep -q two cut
		ptool sql --budget 100 --format $format s.db "$(printf 'SELECT 1;%.0s' {1..999})" >cut
		[ "$(wc -c <cut)" -le 350 ] || { echo $format; return 1; }
		[[ $(tail -1 cut) == *"cut to "*" of 999 tables, for --budget 100: all by --budget 0" ]]
	done
}

@test "JSON says what is not recorded apart from what no filter matches" {
	ptool ingest -q -o s.db "$GPU/copies.json"
	run --separate-stderr ptool comm --format json s.db
	exits 3
	json_is 'j["status"] == "not_recorded" and j["total_rows"] == 0 and j["rows"] == []' <<<"$output"
	json_is 'j["notes"][0].startswith("no collective was recorded: ")' <<<"$output"
	run --separate-stderr ptool list --focus zzz --format json s.db
	exits 3
	json_is 'j["status"] == "nothing_matched" and j["rows"] == []' <<<"$output"
	run --separate-stderr ptool steps --rank 7 --format json s.db
	exits 3
	json_is 'j["status"] == "nothing_matched"' <<<"$output"
	# what there is has no status
	ptool list --format json s.db | json_is '"status" not in j'
}

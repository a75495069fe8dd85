#!/usr/bin/env bats
# The manual pages of the formats name everything that the code has, and nothing
# else; the SQL in them runs.  (scripts/check-docs.sh holds the commands' pages to
# the option tables.)

load setup

ROOT=$(dirname "$TESTS")

# The items of a list: ".It Va x" and the like, "a , b" as two.
items() { # MACRO, mdoc on stdin
	sed -n "s/^\.It $1 //p" | sed 's/ , /\n/g; s/\\&//g'
}

section() { # ".Sh NAME" or ".Ss NAME", up to the next one; page on stdin
	awk -v want="$1" '/^\.S[hs] / { on = $0 == want; next } on'
}

# What follows .Cm on a line of a section, "a , b" as two, without what ends it.
commands_in() {
	sed -n 's/^\.\(It .*\)\{0,1\}Cm //p' | sed 's/\\&//g; s/ [,:;.]*$//; s/ , /\n/g'
}

@test "ptool-store(5) explains every table and view, column by column" {
	page=$ROOT/man/ptool-store.5
	ptool ingest -q "$GPU/copies.json"
	ask ptool.db "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite%'" >tables
	[ "$(wc -l <tables)" -gt 20 ]
	while read -r table; do
		ask ptool.db "SELECT name FROM pragma_table_info('$table')" >columns
		section ".Ss $table" <"$page" | items Va | diff -u --label "schema.sql: $table" --label "$page" columns -
	done <tables
	# and nothing that is not there
	sed -n '/^\.Sh TABLES/,/^\.Sh HISTOGRAMS/s/^\.Ss //p' "$page" | sort | diff -u <(sort tables) -
}

@test "ptool-store(5) names every class of slices and the format's numbers" {
	page=$ROOT/man/ptool-store.5
	ptool ingest -q "$GPU/copies.json"
	for class in $(ask ptool.db 'SELECT name FROM slice_class'); do
		section '.Ss slice_class' <"$page" | grep -qx "\.Sq $class\( ,\| \.\)\{0,1\}"
	done
	grep -q "$(printf '0x%x' "$(ask ptool.db 'PRAGMA application_id')")" "$page"
	grep -q "the number of the schema, $(ask ptool.db 'PRAGMA user_version')\." "$page"
}

@test "ptool-store(5) tells buckets of histograms as the code makes them" {
	ptool ingest -q "$GPU/memory.json"
	ask ptool.db "SELECT hex(histogram), calls, min_ns, max_ns FROM op_stat WHERE grain = 1" >rows
	[ -s rows ]
	python3 - rows <<'EOF'
import sys

def numbers(blob):
    value = shift = 0
    for byte in blob:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            yield value
            value = shift = 0

def bucket_of(d):
    p = d.bit_length() - 1
    return d if d < 64 else 64 * (p - 5) + (d >> (p - 6)) % 64

for line in open(sys.argv[1]):
    blob, calls, shortest, longest = line.strip().split("|")
    pairs = list(numbers(bytes.fromhex(blob)))
    distances, counts = pairs[0::2], pairs[1::2]
    assert sum(counts) == int(calls), line
    assert distances[0] == bucket_of(int(shortest)), line
    assert sum(distances) == bucket_of(int(longest)), line
EOF
}

@test "the SQL in the pages runs on every fixture" {
	for page in store.5 formats.5 findings.7; do
		sed -n '/^\.Bd -literal/,/^\.Ed/{/^\.Bd/d;/^\.Ed/d;/^ptool /d;p}' "$ROOT/man/ptool-$page" >>queries.sql
	done
	[ "$(grep -c '^SELECT' queries.sql)" -ge 6 ]
	for trace in "$GPU"/*.json "$TORCH"/*/trace.json.gz; do
		[[ $trace == *.truth.json ]] || ptool ingest -q --run "$trace" "$trace"
	done
	sqlite3 -readonly -bail ptool.db <queries.sql >answers
	[ -s answers ]
}

# Every finding there is: what it tells, and its code.
findings() {
	"${PTOOL%/*}/tools/findings"
}

@test "ptool-findings(7) explains every finding, by its severity, and what the recording lacks apart" {
	page=$ROOT/man/ptool-findings.7
	of() { # the codes that tell this
		findings | sed -n "s/^$1 //p" | sort
	}
	[ "$(of lacks | wc -l)" -ge 14 ]
	section '.Ss Errors: something was lost' <"$page" | items Cm | sort |
		diff -u <(of error) -
	section '.Ss Warnings: something was repaired or ignored' <"$page" | items Cm | sort |
		diff -u <(of warning) -
	section '.Ss Information: how to read the numbers' <"$page" | items Cm | sort |
		diff -u <(of info) -
	section '.Ss What was not recorded' <"$page" | items Cm | sort | diff -u <(of lacks) -
}

@test "ptool-findings(7) tells what a share is of, for every code that has one" {
	page=$ROOT/man/ptool-findings.7
	ptool ingest -q "$GPU/copies.json"
	sqlite3 ptool.db "DELETE FROM finding"
	findings | while read -r _ code; do
		sqlite3 ptool.db "INSERT INTO finding VALUES (NULL, 1, '$code', '', 'info', 1, 0, '', 1, 1.0)"
	done
	ptool doctor --format ndjson | grep -v '"share_of":null' | sed 's/.*"code":"\([^"]*\)".*/\1/' | sort >shares
	[ "$(wc -l <shares)" -ge 10 ]
	# an item lasts until the next one
	awk '/^\.It Cm / { code = $3 } /^\.El/ { code = "" } code { text[code] = text[code] " " $0 }
		END { for (c in text) if (text[c] ~ /[Ss]hare (is )?of/) print c }' "$page" | sort | diff -u shares -
}

@test "ptool-formats(5) says what is done with every ph" {
	page=$ROOT/man/ptool-formats.5
	python3 -c 'import json
print(json.dumps([{"ph": chr(c), "name": "n", "ts": 1} for c in range(33, 127)]))' >letters.json
	ptool ingest -q letters.json
	ask ptool.db "WITH RECURSIVE code(c) AS (VALUES(33) UNION ALL SELECT c + 1 FROM code WHERE c < 126)
		SELECT char(c) FROM code
		WHERE char(c) NOT IN ('\"', '\\')
			AND char(c) NOT IN (SELECT detail FROM finding WHERE code = 'unknown_phase')" | sort >phases
	[ "$(wc -l <phases)" -gt 20 ]
	section '.Sh PHASES' <"$page" | items Cm | sort | diff -u phases -
}

@test "ptool-formats(5) names every category, arg and entry that is read" {
	page=$ROOT/man/ptool-formats.5
	words() { # KIND LEAST
		"${PTOOL%/*}/tools/words" | sed -n "s/^$1 //p" | sort -u >"$1"
		[ "$(wc -l <"$1")" -ge "$2" ]
	}
	words category 30
	section '.Sh CATEGORIES' <"$page" | commands_in | sort -u | diff -u category -
	words arg 50
	section '.Sh ARGS' <"$page" | commands_in | grep -vx args | sort -u | diff -u arg -
	words xprof_arg 14
	for arg in $(cat xprof_arg); do
		section '.Sh XPROF' <"$page" | grep -qE "^\.(Pq )?Li (.* )?$arg( |\$)"
	done
	words entry 9
	for entry in $(cat entry); do
		grep -qE "^\.Li $entry( |\$)" "$page"
	done
	words dialect 9
	section '.Sh DIALECTS' <"$page" | items Sy | sort | diff -u dialect -
}

@test "no page has anything that mandoc warns of" {
	mandoc -T lint -W warning "$ROOT"/man/*.[1-8]
}

@test "each quoted word has quotes of its own" { # ".Pq Sq a , Sq b" is (‘a, ‘b’’)
	for page in "$ROOT"/man/*.[1-8]; do
		mandoc -T utf8 -O width=200 "$page" | sed 's/.\x08//g' | lacks ’’
	done
}

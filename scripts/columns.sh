#!/bin/sh
# columns.sh SCHEMA: the columns of its tables as a C header.  For each table an enum
# COL_TABLE_COLUMN, in the order of the table, which ends in COL_TABLE_N, the names as the
# text TABLE_COLUMNS, and of tables called *_part, which have at most 64 columns, those that
# are ids of texts and those that are blobs as bits: TABLE_TEXTS, TABLE_BLOBS.  C code names
# columns by these alone, so that a column that moves in the schema moves everywhere, and one
# that leaves it does not compile.
set -eu
awk -v q='"' '
function bits(what, is_set,    i) {
	printf "#define %s_%s (UINT64_C(0)", table, what
	for (i = 1; i <= n; i++)
		if (is_set[i])
			printf " | UINT64_C(1) << COL_%s_%s", table, toupper(column[i])
	print ")"
}
{ sub(/--.*/, "") }
/^CREATE TABLE / { table = toupper($3); n = 0; next }
/^\)/ && table {
	print "\nenum {"
	for (i = 1; i <= n; i++)
		print "\tCOL_" table "_" toupper(column[i]) ","
	print "\tCOL_" table "_N\n};"
	printf "#define %s_COLUMNS \\\n\t%s", table, q
	for (i = 1; i <= n; i++)
		printf "%s%s", (i > 1 ? ", " : ""), column[i]
	print q
	if (table ~ /_PART$/) {
		bits("TEXTS", is_text)
		bits("BLOBS", is_blob)
	}
	table = ""
}
table {
	parts = split($0, part, ",")
	for (i = 1; i <= parts; i++) {
		if (split(part[i], word, " ") == 0)
			continue
		if (word[1] !~ /^[a-z_0-9]+$/ || part[i] ~ /[()].*,/) {
			print "columns.sh: no column: " part[i] >"/dev/stderr"
			exit 1
		}
		column[++n] = word[1]
		is_text[n] = part[i] ~ /REFERENCES string /
		is_blob[n] = part[i] ~ / BLOB/
	}
}
BEGIN { print "/* Made from the schema by scripts/columns.sh. */\n#ifndef PTOOL_STORE_COLUMNS_H\n#define PTOOL_STORE_COLUMNS_H" }
END { print "\n#endif" }
' "$1"

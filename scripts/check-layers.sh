#!/bin/sh
# check-layers.sh FLAG...: do the includes keep ARCHITECTURE.md's layers, and
# does each header compile alone (with $CC and FLAGs)?
set -eu
cc=${CC:-cc}
dir=$(mktemp -d)
trap 'rm -r "$dir"' EXIT
bad=$dir/bad
: >"$bad"
mkdir "$dir/store"
scripts/columns.sh src/store/schema.sql >"$dir/store/columns.h"

# Tells each include in the files of a layer that is not one of its own.
layer() { # LAYER ALLOWED|ALLOWED...
	grep -nE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' "src/$1"/*.[ch] "src/$1"/*/*.[ch] 2>/dev/null |
		grep -vE "\"($2)/([a-z0-9_]+/)?[a-z0-9_]+\.h\"" |
		sed "s/\$/   <- $1 may include only $2/" >>"$bad" || true
}

# Tells each use of a library's header outside the files that may use it.
only() { # HEADER FILES|FILES...
	grep -rnE "#[[:space:]]*include[[:space:]]*[<\"]$1[>\"]" src --include='*.[ch]' |
		grep -vE "^src/($2)" |
		sed "s,\$,   <- only $2 may include $1," >>"$bad" || true
}

layer base 'base'
layer trace 'base|trace'
layer ingest 'base|trace|ingest'
layer store 'base|trace|ingest|store'
layer query 'base|trace|store|query'
layer remote 'base|trace|store|remote'
layer report 'base|report'
layer screen 'base|report|screen'
layer cli 'base|trace|ingest|store|remote|query|report|screen|cli'
# Of the store the views have its readers alone, what a stranger's query may take of it, and
# the names of its columns.
grep -rnE '#include "store/' src/query | grep -vE '"store/(store|store_limits|sql|columns)\.h"' |
	sed 's/$/   <- query may include of store only store.h, store_limits.h, sql.h and columns.h/' >>"$bad" || true
only sqlite3.h 'store/|query/|remote/'
only 'curl/.*\.h' 'remote/curl_lib\.h:'
only '(curses|term)\.h' 'screen/tty\.c:'
only csv.h 'report/csv\.c:'
only pcre2.h '(base/regex|query/calls/python_re)\.c:'
only 'libiberty/.*\.h' 'base/demangle\.c:'
only 'isa-l.*\.h' 'base/|cli/version\.c:'
only zlib.h 'base/|cli/version\.c:'
only 'zstd.*\.h' 'base/|cli/version\.c:'
only 'archive(_entry)?\.h' 'base/archive_lib\.h:|cli/version\.c:'

for header in src/*/*.h src/*/*/*.h; do
	printf '#include "%s"\n' "${header#src/}" |
		$cc "$@" -Isrc -I"$dir" -Wall -Wextra -Werror -fsyntax-only -x c - 2>>"$bad" ||
		echo "$header   <- does not compile alone" >>"$bad"
done

# A header that reaches itself through the others.
for header in src/*/*.h src/*/*/*.h; do
	grep -hoE '^#include "[^"]+"' "$header" | sed 's,#include "\(.*\)",src/\1,' |
		sed "s,^,$header ,"
done | tsort >/dev/null 2>>"$bad" || true

if [ -s "$bad" ]; then
	cat "$bad" >&2
	exit 1
fi

#!/bin/sh
# check-docs.sh PTOOL: is what the man pages and the README say true?  The
# pages' SYNOPSIS, OPTIONS, COLUMNS and EXIT STATUS are those of the program's tables, every command has
# a page, every option stands in it, every file that is named exists, and every
# example ("$ ptool ...") runs and prints the lines shown below it.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
bin=$(cd "$(dirname "$1")" && pwd)
cd "$root"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PATH=$bin:$PATH
unset PTOOL_STORE
PTOOL_CACHE=$work/cache LC_ALL=C.UTF-8
export PTOOL_CACHE LC_ALL

bad() {
	echo "check-docs: $*" >&2
	echo "$*" >>"$work/bad"
}

# The lines of one section of an mdoc page, without comments.
section() { # NAME, page on stdin
	awk -v want=".Sh $1" '/^\.\\"/ { next } /^\.Sh / { on = $0 == want; next } on'
}

# A page as plain text, wide enough that no example is folded.
rendered() { # PAGE
	mandoc -T ascii -O width=200 "$1" | awk '{ while (sub(/.\010/, "")); print }'
}

check_page() { # COMMAND
	page=man/ptool-$1.1
	[ -f "$page" ] || {
		bad "$1 has no $page"
		return 0
	}
	ptool help --mdoc "$1" >"$work/mdoc" || bad "ptool help --mdoc $1 fails"
	for name in SYNOPSIS OPTIONS COLUMNS "EXIT STATUS"; do
		section "$name" <"$page" >"$work/page"
		section "$name" <"$work/mdoc" >"$work/table"
		diff -u --label "$page" --label "ptool help --mdoc $1" "$work/page" "$work/table" >&2 ||
			bad "$page: $name is not that of the option table"
	done
	ptool "$1" --help >"$work/help" || bad "ptool $1 --help fails"
	rendered "$page" >"$work/page"
	grep -oE '^ +(-., *)?--[a-z][a-z0-9-]*' "$work/help" | sed 's/.*--/--/' | sort -u |
		while read -r option; do
			grep -qE -e "(^|[^a-z-])$option([^a-z-]|\$)" "$work/page" ||
				bad "$page: nothing about $option"
		done
	grep -qE "ptool-$1|Cm $1( |\$)" man/ptool.1 || bad "man/ptool.1: nothing about $1"
}

check_rules() {
	ptool help --mdoc rules | section RULES >"$work/table"
	section RULES <man/ptool-rules.7 | diff -u - "$work/table" >&2 ||
		bad "man/ptool-rules.7: RULES is not that of the table of rules"
}

# Paths in `backquotes` and links of a Markdown file; those with <a part> left
# open and globs that match something are fine.
check_paths() { # FILE
	# shellcheck disable=SC2016 # the backquotes are Markdown's
	grep -oE '`[^` ]+`|\]\([^)]+\)' "$1" | sed -E 's/^(`|\]\()//; s/[`)]$//; s/#.*//' | sort -u |
		while read -r path; do
			case $path in
			*'<'* | *://*) continue ;;
			src/* | tests/* | scripts/* | man/* | .ci/* | *.md) ;;
			*) continue ;;
			esac
			# shellcheck disable=SC2086 # a glob
			ls -d $path >/dev/null 2>&1 || bad "$1: there is no $path"
		done
}

# What examples find in their folder.
prepare() { # FOLDER
	mkdir "$1"
	cp tests/fixtures/torch/t2141_cnn_w0/trace.json.gz "$1"
	cp tests/fixtures/gpu/sync.json "$1/gpu.json"
	cp tests/fixtures/torch/t2141_cnn_w0_stack/trace.json.gz "$1/stack.json.gz"
	cp tests/fixtures/lines/lp503.txt "$1/lines.txt"
	cp tests/fixtures/compile/compile_broken.json.gz "$1/compiled.json.gz"
	cp tests/fixtures/compile/compile_trained.json.gz "$1/compiled_kernels.json.gz"
	cp -r tests/fixtures/compile/provenance "$1"
	cp tests/fixtures/pyprof/pstats/sys311/w_gen.prof "$1/program.prof"
	gzip -dc "$1/trace.json.gz" >"$1/trace.json"
	python3 tests/gen/training.py "$1"
	cp tests/fixtures/gpu/copies.json tests/fixtures/gpu/collectives_rank[01].json "$1"
	(
		cd "$1"
		for store in ptool before after; do
			ptool ingest -o $store.db trace.json >/dev/null
		done
	)
}

# "C command" for each example of a text, and "E line" for each line shown below it.
examples() {
	awk '
		{ text = $0; sub(/^ */, "", text); indent = length($0) - length(text) }
		text ~ /^\$ ptool / {
			on = 1; from = indent; sub(/^\$ /, "", text)
			while (text ~ /\\$/ && (getline more) > 0) {
				sub(/\\$/, "", text); sub(/^ *>? */, "", more); text = text more
			}
			print "C " text; next
		}
		text ~ /^```/ || (text != "" && indent < from) { on = 0 }
		on && text != "" && text != "..." { print "E " substr($0, from + 1) }'
}

check_examples() { # WHERE, text on stdin
	rm -rf "$work/folder"
	cp -r "$work/prepared" "$work/folder"
	examples >"$work/examples"
	while IFS= read -r line; do
		case $line in
		'C '*)
			command=${line#C }
			(cd "$work/folder" && sh -c "$command") </dev/null >"$work/out" 2>&1 || {
				bad "$1: exit $?: $command"
				cat "$work/out" >&2
			}
			;;
		'E '*)
			grep -qxF -e "${line#E }" "$work/out" || bad "$1: $command does not print: ${line#E }"
			;;
		esac
	done <"$work/examples"
}

prepare "$work/prepared"
for command in $(ptool help --list); do
	check_page "$command"
done
check_rules
for page in man/*.[1-8]; do
	rendered "$page" | check_examples "$page"
done
# shellcheck disable=SC2094 # the name is for messages
check_examples README.md <README.md
# shellcheck disable=SC2094
check_examples docs/agents.md <docs/agents.md
for file in README.md ARCHITECTURE.md CONTRIBUTING.md docs/*.md; do
	check_paths "$file"
done
[ ! -s "$work/bad" ]

#!/bin/sh
# check-assets.sh: what the page of ptool report is made of.  Its scripts pass
# TypeScript's checker (names that do not exist, that nobody uses, calls with too
# few arguments), are short, and hold nothing that could turn text into markup or
# code; its styles fetch nothing.
set -eu
cd "$(dirname "$0")/../src/report/assets"
status=0

complain() {
	echo "check-assets: $*" >&2
	status=1
}

# What no script of the page may say, even in a comment.
banned='innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|Function\(|\.cssText|javascript:'
found=$(grep -nE "$banned" ./*.js ./*.html) && complain "may make code of text:
$found"
found=$(grep -nE '\bon[a-z]+=|\bstyle=' ./*.html) && complain "the policy refuses it:
$found"
found=$(grep -nE '@import|url\(' ./*.css) && complain "fetches something:
$found"
found=$(grep -nE '^ +[^ *]|[[:space:]]$' ./*.js ./*.css) && complain "tabs indent, nothing ends in blanks:
$found"
for file in ./*.js ./*.css; do
	lines=$(wc -l <"$file")
	[ "$lines" -le 400 ] || complain "$file: $lines lines, 400 at most"
	awk -v file="$file" 'length > 140 { print file ":" NR ": " length " columns, 140 at most"; bad = 1 }
		END { exit bad }' "$file" >&2 || status=1
done
for file in ./*.js; do
	grep -q '^[[:space:]]*"use strict";$' "$file" || complain "$file: is not strict"
done

# Not what depends on types, which scripts do not declare: members (2339, 2551), arguments
# (2345) and operands (2362, 2363).
found=$(tsc --allowJs --checkJs --noEmit --target es2022 --lib es2022,dom,dom.iterable \
	--noUnusedLocals --noUnusedParameters --noFallthroughCasesInSwitch --allowUnreachableCode false \
	../../../scripts/check-assets.d.ts ./*.js | grep -v '^ \|error TS2\(339\|551\|345\|362\|363\):') && complain "tsc:
$found"
exit $status

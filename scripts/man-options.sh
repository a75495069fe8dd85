#!/bin/sh
# man-options.sh PTOOL: rewrites SYNOPSIS, OPTIONS, COLUMNS and EXIT STATUS of every page
# man/ptool-<command>.1 as the option tables say; what check-docs.sh holds them to.
set -eu

bin=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
cd "$(dirname "$0")/.."
work=$(mktemp)
trap 'rm -f "$work" "$work.page"' EXIT

for page in man/ptool-*.1; do
	name=${page#man/ptool-}
	"$bin" help --mdoc "${name%.1}" >"$work" || continue
	# a section's lines from the tables where these have it, else from the page
	awk 'NR == FNR { if (/^\.Sh /) s = $0; else if (!/^\.\\"/) new[s] = new[s] $0 "\n"; has[s] = 1; next }
		/^\.Sh / { s = $0; print; fresh = s ~ /^\.Sh (SYNOPSIS|OPTIONS|COLUMNS|EXIT STATUS)$/
			if (fresh && has[s]) printf "%s", new[s]; next }
		!(fresh && has[s])' "$work" "$page" >"$work.page"
	cmp -s "$work.page" "$page" || cp "$work.page" "$page"
done

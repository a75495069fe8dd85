#!/bin/sh
# deps.sh [GROUP...]: installs what is missing of Debian's packages for the
# groups named (build test clickhouse fleet lint bench fuzz coverage; default: build).  Says
# which and why, and nothing when all are there.  DEPS=no: only says it, and fails.
set -eu

# group, package (or package:arch,arch where only some architectures have it), reason
packages() {
	cat <<'TABLE'
build gcc the C compiler
build libc6-dev headers of the C library
build make runs the Makefile
build pkgconf finds most of the libraries
build libsqlite3-dev the store is an SQLite file
build zlib1g-dev reads gzip
build libcsv-dev reads and writes CSV
build libzstd-dev reads zstd
build libarchive-dev reads zip and tar
build libpcre2-dev regular expressions of --focus and --ignore
build libncurses-dev ptool view fills the terminal with it
build libiberty-dev demangles the names of C++ kernels
build libcurl4-openssl-dev asks a ClickHouse database (ptool push)
build libisal-dev:amd64,arm64 reads gzip several times faster than zlib
test libcmocka-dev the unit tests are cmocka programs
test bats the command-line tests are bats files
test python3 compares ptool's answers with Python's and torch's
test sqlite3 the tests look into stores with it
test zstd packs traces for the tests
test python3-pyte reads the screens of ptool view
test mandoc shows the man pages that the tests read
clickhouse clickhouse-server the tests of ptool push start two of them
clickhouse openssl makes the certificates of the tests
fleet parallel runs a recipe of docs/fleet.md
fleet slurmctld the same with the controller of a cluster
fleet slurmd its node
fleet munge lets both trust each other
valgrind valgrind runs the tests under memcheck
valgrind libc6-dbg memcheck needs the C library's symbols
lint clang the second compiler
lint clang-format-14 checks the layout of the code
lint clang-tidy-14 checks the code for likely mistakes and sizes
lint cppcheck a second opinion on the code
lint shellcheck checks the shell scripts
lint mandoc checks the man pages
lint node-typescript checks the scripts of the page
browser chromium shows the page
browser chromium-driver lets a test press its keys
browser python3-selenium speaks to the driver
browser tidy checks the page's HTML
bench g++ compiles the comparison with simdjson
bench python3 its json.load is measured too
bench sqlite3 its json_each is measured too
bench gzip packs the traces
bench zstd packs them as well
bench libsimdjson-dev the floor that the JSON parser is measured against
fuzz clang compiles for libFuzzer
fuzz libclang-rt-14-dev libFuzzer itself, and the sanitizers
fuzz llvm-14 names the places of what a sanitizer found
deb build-essential what the building of every package may use
deb debhelper builds the package
deb lintian looks for mistakes in it
deb lld-16:arm64 links it with packed relocations
static nettle-dev libarchive's, for members that are encrypted
static libbz2-dev the same, for members that bzip2 packed
static liblzma-dev the same, for those that xz packed
coverage gcovr prints which lines the tests reach
TABLE
}

installed() {
	dpkg-query -W -f '${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed
}

# Does this machine's architecture have the package?
wanted_here() {
	case ",$1," in
	,,) true ;;
	*",$(dpkg --print-architecture),"*) true ;;
	*) false ;;
	esac
}

known() {
	apt-cache show --no-all-versions "$1" >/dev/null 2>&1
}

# apt-get, whose many lines are shown only when it fails.
apt() {
	log=$(mktemp)
	# shellcheck disable=SC2086 # empty for root
	$sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 "$@" \
		>"$log" 2>&1 && failed='' || failed=yes
	[ -z "$failed" ] || cat "$log" >&2
	rm -f "$log"
	[ -z "$failed" ]
}

install_missing() { # PACKAGE...
	for package; do
		known "$package" || {
			apt update
			break
		}
	done
	apt install -y --no-install-recommends "$@" && return
	# The lists may name versions that the mirror has replaced since.
	apt update && apt install -y --no-install-recommends "$@"
}

# "PACKAGE REASON" for each package of the groups that is not there, once.
missing_of() { # GROUP...
	packages | while read -r group package reason; do
		case " $* " in *" $group "*) ;; *) continue ;; esac
		arches=
		case $package in *:*) arches=${package#*:} package=${package%%:*} ;; esac
		wanted_here "$arches" || continue
		installed "$package" || printf '%s %s\n' "$package" "$reason"
	done | awk '!seen[$1]++'
}

# The same as indented lines for people.
listed() {
	awk '{ name = $1; sub(/^[^ ]+ /, ""); printf "  %-20s %s\n", name, $0 }'
}

[ $# -gt 0 ] || set -- build
for group; do
	packages | cut -d ' ' -f 1 | grep -qx "$group" || {
		echo "deps.sh: no group '$group'; there are: $(packages | cut -d ' ' -f 1 | uniq | xargs)" >&2
		exit 2
	}
done
if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
	echo "deps.sh: not a Debian system; what these packages hold must be there:" >&2
	packages | while read -r group package reason; do
		case " $* " in *" $group "*) echo "${package%%:*} $reason" ;; esac
	done | listed >&2
	exit 0
fi

missing=$(missing_of "$@")
[ -n "$missing" ] || exit 0
if [ "${DEPS:-}" = no ]; then
	echo "deps.sh: missing:" >&2
	printf '%s\n' "$missing" | listed >&2
	exit 1
fi
names=$(printf '%s\n' "$missing" | cut -d ' ' -f 1 | xargs)
sudo=
if [ "$(id -u)" -ne 0 ]; then
	sudo=sudo
	command -v sudo >/dev/null || {
		echo "deps.sh: neither root nor sudo here: have these packages installed: $names" >&2
		exit 1
	}
fi
echo "Missing, to be installed with ${sudo:+$sudo }apt-get:"
printf '%s\n' "$missing" | listed
# shellcheck disable=SC2086 # a list of package names
install_missing $names || {
	echo "deps.sh: apt-get could not install: $names" >&2
	exit 1
}

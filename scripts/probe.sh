#!/bin/sh
# probe.sh PACKAGE...: what this machine's compiler ($CC) and libraries offer,
# as make variables on stdout.  Fails with one line when a library is missing.
# With $STATIC for a program that has all of them in it, and loads none.
set -eu
cc=${CC:-cc}
pkg_config=${PKG_CONFIG:-pkg-config}
static=${STATIC:+-static-pie}

die() {
	echo "ptool: $1 (on Debian: scripts/deps.sh build)" >&2
	exit 1
}

# Does a program that includes HEADER compile and link with FLAGS?
compiles() { # HEADER FLAGS...
	header=$1
	shift
	printf '%s\n' '#include <stdio.h>' "#include <$header>" 'int main(void) { return 0; }' |
		$cc ${static:+"$static"} -x c -o "$scratch/a.out" - "$@" 2>/dev/null
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

compiles stdlib.h || die "$cc makes no programs"
command -v "$pkg_config" >/dev/null || die "$pkg_config is missing"
for package; do
	"$pkg_config" --exists "$package" || die "the library $package is missing"
done
# These come without a .pc file.
compiles csv.h -lcsv || die "the library libcsv (csv.h, -lcsv) is missing"
compiles libiberty/demangle.h -liberty || die "the library libiberty (-liberty) is missing"

# The name by which libarchive is loaded when it is needed, as a program that needs it has it.
archive=
# shellcheck disable=SC2046 # a list of flags
if [ -z "$static" ] && printf '%s\n' '#include <archive.h>' 'int main(void) { return archive_version_number() == 0; }' |
	$cc -x c -o "$scratch/archive" - $("$pkg_config" --libs libarchive) 2>/dev/null; then
	archive=$(readelf -d "$scratch/archive" 2>/dev/null | sed -n 's/.*NEEDED.*\[\(libarchive[^]]*\)\].*/\1/p')
fi

# The same of libcurl, which a build can do without.
curl=
# shellcheck disable=SC2046 # a list of flags
if [ -z "$static" ] && "$pkg_config" --exists libcurl &&
	printf '%s\n' '#include <curl/curl.h>' 'int main(void) { return !curl_version(); }' |
	$cc -x c -o "$scratch/curl" - $("$pkg_config" --cflags --libs libcurl) 2>/dev/null; then
	curl=$(readelf -d "$scratch/curl" 2>/dev/null | sed -n 's/.*NEEDED.*\[\(libcurl[^]]*\)\].*/\1/p')
fi

echo "PKG_CFLAGS = $("$pkg_config" --cflags "$@")"
if [ "$curl" ]; then
	echo "PKG_CFLAGS += -DPTOOL_CURL_SONAME='\"$curl\"' $("$pkg_config" --cflags libcurl)"
fi
if [ "$archive" ]; then
	echo "PKG_CFLAGS += -DPTOOL_ARCHIVE_SONAME='\"$archive\"'"
	# All others, in their order; none has a blank in its name.
	linked=$(printf '%s\n' "$@" | grep -vx libarchive)
	# shellcheck disable=SC2086 # a list of packages
	set -- $linked
fi
libs="$("$pkg_config" --libs "$@") -lcsv -liberty"
# What libarchive may need of others for the formats that are read, in any order.
if [ "$static" ]; then
	for name in nettle lzma bz2; do
		! compiles stdio.h "-l$name" || libs="$libs -l$name"
	done
	libs="-Wl,--start-group $libs -Wl,--end-group"
fi
echo "PKG_LIBS = $libs"
if compiles isa-l/igzip_lib.h -lisal; then
	echo "PKG_LIBS += -lisal"
else
	echo "PKG_CFLAGS += -DPTOOL_USE_ZLIB"
fi
# gcc on x86 clears structs of 100 to 250 bytes by an instruction that takes long to begin:
# 7 % of an ingest.
stores=-mmemset-strategy=unrolled_loop:256:noalign,libcall:-1:noalign
if compiles stdlib.h -Werror "$stores"; then
	echo "TUNE = $stores"
fi
# Warnings that gcc has and clang refuses.
gcc_warnings="-Wduplicated-cond -Wduplicated-branches -Wlogical-op"
# shellcheck disable=SC2086 # a list of flags
if compiles stdlib.h -Werror $gcc_warnings; then
	echo "WARN += $gcc_warnings"
fi

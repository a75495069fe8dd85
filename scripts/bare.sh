#!/bin/sh
# bare.sh [COMMAND]: runs COMMAND (default: make demo && make check) in a fresh
# clone of HEAD on a bare Debian 12, made by debootstrap in a folder of its own:
# nothing is installed there but what the project's own files install.  What
# lies in ../shared is there too, read-only.  Needs root, debootstrap (installed
# when missing) and a mirror of Debian's packages.  The exit status is
# COMMAND's, or 77 where such a root cannot be made.
set -eu
cd "$(dirname "$0")/.."
me=bare.sh
# shellcheck source=scripts/bare-root.sh disable=SC1091
. scripts/bare-root.sh

why=$(bare_root_why_not)
[ -z "$why" ] || no "$why"
bare_root_begin
root=$scratch/root
# git and make are what a clone needs.
echo "bare.sh: Debian 12 from $mirror"
bare_root_make "$root" git,make
bare_root_attach "$root"
if [ -d ../shared ]; then
	attach --bind -o ro "$(cd ../shared && pwd)" "$root/src/shared"
fi

git clone -q --no-hardlinks . "$root/src/ptool"
bare_root_run "$root" "cd /src/ptool && ${1:-make demo && make check}"

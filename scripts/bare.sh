#!/bin/sh
# bare.sh [COMMAND]: runs COMMAND (default: make demo && make check) in a fresh
# clone of HEAD on a bare Debian 12, made by debootstrap in a folder of its own:
# nothing is installed there but what the project's own files install.  What
# lies in ../shared is there too, read-only.  Needs root, debootstrap (installed
# when missing) and a mirror of Debian's packages.  The exit status is
# COMMAND's, or 77 where such a root cannot be made.
set -eu
cd "$(dirname "$0")/.."

no() {
	echo "bare.sh: $*" >&2
	exit 77
}

[ "$(id -u)" -eq 0 ] || no "needs root, for chroot and mount"
command -v debootstrap >/dev/null || {
	apt-get -qq update && apt-get -qq install -y --no-install-recommends debootstrap
} >/dev/null 2>&1 || no "no debootstrap here, and apt-get cannot install it"

root=$(mktemp -d)
mounts=
# Mounts one thing in the new root, and remembers it, the last first.
attach() { # MOUNT-OPTIONS... FOLDER
	for at; do :; done
	mkdir -p "$at"
	mount "$@" 2>"$root.log" || no "cannot mount: $(cat "$root.log")"
	mounts="$at $mounts"
}
leave() {
	for at in $mounts; do umount "$at" || umount -l "$at"; done
	rm -rf --one-file-system "$root" "$root.log"
}
trap leave EXIT
trap 'exit 130' INT TERM

# git and make are what a clone needs; the lists and keys of packages come with them.
mirror=$(sed -n 's/^URIs: *//p; s/^deb \([^ ]*\) .*/\1/p' /etc/apt/sources.list \
	/etc/apt/sources.list.d/* 2>/dev/null | head -n 1)
echo "bare.sh: Debian 12 from ${mirror:=http://deb.debian.org/debian}"
debootstrap --variant=minbase --include=ca-certificates,git,make bookworm \
	"$root" "$mirror" >"$root.log" 2>&1 || no "debootstrap: $(tail -n 1 "$root.log")"
attach -t proc proc "$root/proc"
attach --bind /dev "$root/dev"
attach -t devpts -o newinstance,ptmxmode=0666,mode=0620 devpts "$root/dev/pts"
attach -t tmpfs tmpfs "$root/dev/shm"
if [ -d ../shared ]; then
	attach --bind -o ro "$(cd ../shared && pwd)" "$root/src/shared"
fi
[ ! -e /etc/resolv.conf ] || cp -L /etc/resolv.conf "$root/etc/resolv.conf"
[ ! -e /etc/hosts ] || cp -L /etc/hosts "$root/etc/hosts"

git clone -q --no-hardlinks . "$root/src/ptool"
env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin ${TERM:+"TERM=$TERM"} \
	chroot "$root" sh -c "cd /src/ptool && ${1:-make demo && make check}"

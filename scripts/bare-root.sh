#!/bin/sh
# bare-root.sh, sourced: a bare Debian 12 in a folder of its own, to chroot into.
# Whoever sources it sets `me`, its name; where no such root can be made, it ends
# with 77 and says why, but for bare_root_why_not().

no() {
	echo "${me-bare-root.sh}: $*" >&2
	exit 77
}

# Mounts one thing in the root, and remembers it, the last first.
attach() { # MOUNT-OPTIONS... FOLDER
	for at; do :; done
	mkdir -p "$at"
	mount "$@" 2>"$scratch/log" || no "cannot mount: $(cat "$scratch/log")"
	mounts="$at ${mounts-}"
}

# Takes the mounts back, and removes what lies in $scratch, all roots with it.
leave() {
	for at in ${mounts-}; do umount "$at" || umount -l "$at"; done
	rm -rf --one-file-system "$scratch"
}

# Why no root can be made here; nothing where one can.  Installs debootstrap.
bare_root_why_not() {
	[ "$(id -u)" -eq 0 ] || {
		echo "needs root, for chroot and mount"
		return
	}
	command -v debootstrap >/dev/null || {
		apt-get -qq update && apt-get -qq install -y --no-install-recommends debootstrap
	} >/dev/null 2>&1 || echo "no debootstrap here, and apt-get cannot install it"
}

# Everything lies in $scratch, which goes at the end.
bare_root_begin() {
	scratch=$(mktemp -d)
	trap leave EXIT
	trap 'exit 130' INT TERM
	mirror=$(sed -n 's/^URIs: *//p; s/^deb \([^ ]*\) .*/\1/p' /etc/apt/sources.list \
		/etc/apt/sources.list.d/* 2>/dev/null | head -n 1)
	: "${mirror:=http://deb.debian.org/debian}"
}

# Packages beside the base: names with commas between; keys and lists come with it.
bare_root_make() { # FOLDER PACKAGES
	debootstrap --variant=minbase --include="ca-certificates,$2" bookworm \
		"$1" "$mirror" >"$scratch/log" 2>&1 ||
		no "debootstrap: $(tail -n 1 "$scratch/log")"
	[ ! -e /etc/resolv.conf ] || cp -L /etc/resolv.conf "$1/etc/resolv.conf"
	[ ! -e /etc/hosts ] || cp -L /etc/hosts "$1/etc/hosts"
}

# What programs expect of a system; not to be copied with the root.
bare_root_attach() { # FOLDER
	attach -t proc proc "$1/proc"
	attach --bind /dev "$1/dev"
	attach -t devpts -o newinstance,ptmxmode=0666,mode=0620 devpts "$1/dev/pts"
	attach -t tmpfs tmpfs "$1/dev/shm"
}

bare_root_run() { # FOLDER COMMAND
	env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive \
		${TERM:+"TERM=$TERM"} chroot "$1" sh -c "$2"
}

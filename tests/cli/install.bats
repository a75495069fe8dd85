#!/usr/bin/env bats
# make install: every file at its usual place, and uninstall takes all of them away.

load setup

ROOT=$(dirname "$TESTS")

# Nothing is compiled: the program that is tested is the one to be installed.
make_here() { # GOAL VARIABLE...
	build=$(dirname "$PTOOL")
	[ -f "$build/probe.mk" ] || skip 'the program is not where make has built it'
	old=("$build/ptool" "$build/probe.mk" "$build"/completions/ptool.{bash,zsh,fish})
	make -s -C "$ROOT" BUILD="$build" "${old[@]/#/-o}" DESTDIR="$PWD/root" PREFIX=/usr "$@"
}

@test "make install puts the program, the pages and the completions where they belong" {
	make_here install
	{
		echo usr/bin/ptool
		for page in "$ROOT"/man/*.[1-8]; do
			echo "usr/share/man/man${page##*.}/$(basename "$page")"
		done
		echo usr/share/bash-completion/completions/ptool
		echo usr/share/fish/vendor_completions.d/ptool.fish
		echo usr/share/zsh/site-functions/_ptool
	} | sort >wanted
	(cd root && find . -type f | sed 's|^\./||' | sort) | diff -u wanted -
	cmp root/usr/share/bash-completion/completions/ptool <(ptool help --bash)
	cmp root/usr/share/zsh/site-functions/_ptool <(ptool help --zsh)
	cmp root/usr/share/fish/vendor_completions.d/ptool.fish <(ptool help --fish)
	[ "$(head -1 root/usr/share/zsh/site-functions/_ptool)" = '#compdef ptool' ]
	[ "$(root/usr/bin/ptool --version)" = "$(ptool --version)" ]
}

@test "make install runs nothing, takes completions that are given, readable for all" {
	mkdir given
	for shell in bash zsh fish; do echo "# $shell" >given/ptool.$shell; done
	umask 077
	make_here install COMPLETIONS="$PWD/given" RUN_PTOOL=false
	[ "$(cat root/usr/share/zsh/site-functions/_ptool)" = '# zsh' ]
	[ -z "$(find root/usr/share -type f ! -perm 644)" ]
}

@test "DEPS=no names what is missing and installs nothing" {
	command -v dpkg-query >/dev/null || skip 'not Debian'
	mkdir bin
	printf '#!/bin/sh\necho "$*" >>asked; exit 1\n' >bin/apt-get
	printf '#!/bin/sh\nexit 1\n' >bin/dpkg-query
	chmod +x bin/*
	PATH=$PWD/bin:$PATH DEPS=no run "$ROOT/scripts/deps.sh" build
	[ "$status" -eq 1 ]
	[[ $output == *'libsqlite3-dev'*'the store is an SQLite file'* ]]
	[ ! -e asked ]
}

@test "make uninstall leaves no file" {
	make_here install
	make_here uninstall
	[ -z "$(find root -type f)" ]
}

#!/usr/bin/env bats
# make install: every file at its usual place, and uninstall takes all of them away.

load setup

ROOT=$(dirname "$TESTS")

# Nothing is compiled: the program that is tested is the one to be installed.
make_here() { # GOAL
	build=$(dirname "$PTOOL")
	[ -f "$build/probe.mk" ] || skip 'the program is not where make has built it'
	make -s -C "$ROOT" BUILD="$build" -o "$build/ptool" -o "$build/probe.mk" \
		DESTDIR="$PWD/root" PREFIX=/usr "$1"
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

@test "make uninstall leaves no file" {
	make_here install
	make_here uninstall
	[ -z "$(find root -type f)" ]
}

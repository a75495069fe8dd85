#!/usr/bin/env bats
# ptool help, -h and what is told to somebody who mistypes; the completions.
# Every command in every form: not in check-fast.

load setup

# Every --option of a command, from its help.
options_of() { # COMMAND
	ptool help "$1" | grep -oE '^ +(-., *)?--[a-z][a-z0-9-]*' | sed 's/.*--/--/'
}

@test "without arguments usage goes to stderr, exit 2" {
	run --separate-stderr ptool
	exits 2
	prints ''
	[[ $stderr == usage:* ]]
}

@test "help, --help and -h give the same overview on stdout, with every command" {
	run --separate-stderr ptool help
	exits 0
	says ''
	overview=$output
	for command in $(ptool help --list); do
		grep -qE "^  $command +[A-Z]" <<<"$overview"
	done
	for spelling in --help -h; do
		run --separate-stderr ptool $spelling
		exits 0
		says ''
		prints "$overview"
	done
	# each command once, under the heading of its part
	grep -qx 'Start here:' <<<"$overview"
	[ "$(grep -cE '^  [a-z]+ +[A-Z]' <<<"$overview")" = "$(ptool help --list | wc -l)" ]
	[ "$(grep -cE '^[A-Z].*:$' <<<"$overview")" = "$(grep -E '^[A-Z].*:$' <<<"$overview" | sort -u | wc -l)" ]
}

@test "each command's help is the same by all three roads, fits 80 columns, and exits 0" {
	for command in $(ptool help --list); do
		run --separate-stderr ptool help "$command"
		exits 0
		says ''
		help=$output
		[[ $help == "usage: ptool $command"* ]]
		run ptool "$command" --help
		exits 0
		prints "$help"
		run ptool "$command" no-such-file -h
		exits 0
		prints "$help"
		[ "$(wc -L <<<"$help")" -le 80 ]
	done
}

@test "a misspelt command is exit 2, names the nearest, and lists all" {
	run --separate-stderr ptool ingets trace.json
	exits 2
	prints ''
	says "ptool: unknown command 'ingets'; did you mean 'ingest'? (valid: $(ptool help --list | paste -sd, | sed 's/,/, /g'))"
	run --separate-stderr ptool help ingets
	exits 2
	[[ $stderr == "ptool: help: unknown command 'ingets'; did you mean 'ingest'?"* ]]
	run --separate-stderr ptool --verison
	exits 2
	says "ptool: unknown option '--verison'; did you mean '--version'? (valid: --help, --version)"
}

@test "a misspelt option of any command is exit 2 and names the nearest" {
	for command in $(ptool help --list); do
		run --separate-stderr ptool "$command" --hepl
		exits 2
		prints ''
		[[ $stderr == "ptool: $command: unknown option '--hepl'; did you mean '--help'? (valid: --"* ]]
		[ "$(wc -l <<<"$stderr")" -eq 1 ]
	done
}

# An option that several commands explain alike is tried with one of them.
@test "a misspelt value of any option that has choices is exit 2 and lists them" {
	tried=0
	declare -A known
	for command in $(ptool help --list); do
		while read -r line; do
			[ -z "${known[$line]-}" ] || continue
			known[$line]=yes
			option=$(grep -oE -m 1 -e '--[a-z][a-z0-9-]*' <<<"$line" | head -n 1)
			run --separate-stderr ptool "$command" "$option" '#' no-such-file
			[[ $stderr == "ptool: $command: unknown $option '#'"* ]] || continue
			exits 2
			[[ $stderr == *'(valid: '* ]]
			tried=$((tried + 1))
		done < <(ptool help "$command" | grep -E '^ +(-., *)?--[a-z]')
	done
	[ $tried -ge 2 ]
}

@test "a value that is missing is exit 2 and says what the option wants" {
	run --separate-stderr ptool ingest trace.json --run
	exits 2
	says 'ptool: ingest: --run wants NAME'
}

@test "the switches of help exclude each other, and --mdoc wants a command" {
	run --separate-stderr ptool help --bash --zsh
	exits 2
	says 'ptool: help: --list, --bash, --zsh, --fish, --mdoc exclude each other'
	run --separate-stderr ptool help --mdoc
	exits 2
	says 'ptool: help: --mdoc wants a COMMAND'
	run --separate-stderr ptool help ingest top
	exits 2
	says "ptool: help: unexpected operand 'top'"
}

@test "every command and every long option stands in each shell's completions" {
	ptool help --bash >bash
	ptool help --zsh >zsh
	ptool help --fish >fish
	for command in $(ptool help --list); do
		for shell in bash zsh fish; do
			grep -qE "(^|[^a-z-])$command([^a-z-]|\$)" $shell
		done
		options_of "$command"
	done | sort -u >options
	[ -s options ]
	for shell in bash zsh; do
		grep -oE -e '--[a-z][a-z0-9-]*' $shell | sort -u | comm -23 options - >missing
		[ ! -s missing ]
	done
	grep -oE -e "-l '?[a-z][a-z0-9-]*" fish | sed -E "s/-l '?/--/" | sort -u | comm -23 options - >missing
	[ ! -s missing ]
}

@test "bash completes commands, options and values" {
	complete_words() { # WORD...: the candidates for the last one
		bash -c 'source <("$0" help --bash); COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
			_ptool; printf "%s\n" "${COMPREPLY[@]}"' "$PTOOL" "$@"
	}
	[ "$(complete_words ptool ing)" = ingest ]
	[ "$(complete_words ptool ingest --str)" = --strict ]
	[ "$(complete_words ptool ingest --keep '')" = args ]
	[ "$(complete_words ptool help in | head -1)" = in* ] ||
		complete_words ptool help in | grep -qx ingest
	[ "$(complete_words ptool top --by sh)" = shape ]
	[ "$(complete_words ptool top --by shape,th)" = shape,thread ]
	[ "$(complete_words ptool kernels -s occ)" = occupancy_pct ]
	[ "$(complete_words ptool pstats --sort tott)" = tottime ]
	[ "$(complete_words ptool list --cat op,cpu_o)" = op,cpu_op ]
	complete_words ptool advise --rule da | grep -qx data-loading
}

@test "every key of --sort help is completed by every shell" {
	for shell in bash zsh fish; do
		ptool help --$shell >$shell
	done
	for command in top kernels callers callees pstats; do
		ptool $command --sort help --format csv | tail -n +2 | cut -d, -f1 | tr -d '"' >keys
		[ -s keys ]
		while read -r key; do
			for shell in bash zsh fish; do
				grep -qE "(^|[^a-z_])$key([^a-z_]|\$)" $shell
			done
		done <keys
	done
}

@test "bash reads its completion without a complaint, and so do the other shells that are here" {
	for shell in bash zsh fish; do
		command -v $shell >/dev/null || continue
		ptool help --$shell >script
		$shell -n script
	done
}

@test "help goes through pipes: a reader that leaves is no failure, a full disk is" {
	set +e
	ptool help | true
	[ "${PIPESTATUS[0]}" -eq 0 ] || return 1
	ptool help --bash | head -c 1 >/dev/null
	[ "${PIPESTATUS[0]}" -eq 0 ] || return 1
	set -e
	run --separate-stderr bash -c '"$PTOOL" help >/dev/full'
	exits 5
	[[ $stderr == *'No space left on device' ]]
	[ "$(wc -l <<<"$stderr")" -eq 1 ]
}

@test "a file in the place of a command is no misspelt command" {
	echo '{"traceEvents": []}' >trace.json
	run --separate-stderr ptool -q trace.json # options stand behind it
	exits 2
	ptool trace.json -q | grep -F 'ptool info trace.json'
	run --separate-stderr ptool help foo
	[[ $stderr != *"did you mean"* ]]
}

# Under SAN the program ends itself when it returns what its help does not list.
@test "help lists the exit statuses that a command returns" {
	for command in $(ptool help --list); do
		ptool "$command" --help | sed -n '/^Exit status:/,$s/^  \([0-9][0-9]*\) .*/\1/p' >listed
		sort -nuc listed
		for operand in --nope missing.json "$EVERYTHING"; do
			run ptool "$command" $operand
			grep -qx "$status" listed
		done
	done
	ptool diff --help | grep -qE '^  1    .*--exit-code'
	ptool top --help | lacks -E '^  1    '
}

@test "every command line that a hint names runs as it is written" {
	ln -s "$GPU"/{everything,annotations,memory,phases_of_chrome,copies}.json "$FIXTURES/pyprof/app.prof" .
	for file in *; do
		for command in overview info doctor advise gaps tree 'top --by module' 'callers aten'; do
			ptool ${command%% *} -q --wide $(cut -s -d' ' -f2- <<<"$command") "$file" >>said 2>&1 || {
				status=$? # nothing to show; or, of a call graph, options of traces
				[ "$status" = 3 ] || [ "$status $file $command" = "2 app.prof top --by module" ]
			}
		done
	done
	# capitals stand for what only the reader knows: 'ptool ingest FILE'
	grep -o "'ptool [^']*'" said | tr -d "'" | sort -u | grep -vE ' [A-Z]+$' >hints
	[ "$(wc -l <hints)" -ge 5 ]
	while read -r hint; do
		eval "$hint" >/dev/null 2>failed || { echo "$hint: $(cat failed)"; return 1; }
	done <hints
}

@test "an option whose member has another type does not compile" {
	for kind in FLAG STRING; do
		printf '%s\n' '#include "cli/opt.h"' 'struct o { bool f; };' \
			"const struct opt a[] = { { .name = \"f\", OPT_INTO($kind, struct o, f) }, OPT_END };" >$kind.c
	done
	${CC:-cc} -std=c11 -I"$(dirname "$TESTS")/src" -fsyntax-only FLAG.c
	run ! ${CC:-cc} -std=c11 -I"$(dirname "$TESTS")/src" -fsyntax-only STRING.c
}

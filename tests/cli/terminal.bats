#!/usr/bin/env bats
# On a terminal: width, colour, pager, progress.
# Every command in every form: not in check-fast.

load setup

# Without colours and the like.
plain() {
	sed 's/\x1b\[[0-9;]*[A-Za-z]//g'
}

# The widest line of a table is at most so wide; sentences above and below it may
# be longer.
fits() { # COLUMNS
	local widest
	widest=$(plain | sed '1d; /^note: /d' | wc -L)
	[ "$widest" -le "$1" ] || { echo "$widest columns, not $1"; return 1; }
}

has_escapes() {
	grep -q $'\x1b\['
}

@test "tables fit a terminal of 80 columns, whatever tells its width" {
	ptool ingest -q "$TORCH/t2141_cnn_w0_stack/trace.json.gz"
	ptool ingest -q -o gpu.db "$EVERYTHING"
	draws() {
		store=ptool.db # unless the command is about what a CPU does not record
		ptool "$command" ptool.db "${extra[@]}" >/dev/null 2>&1 || store=gpu.db
		# whose own form is that of Python's, long names and all
		[ "$command" != pstats ] || extra=(--format table)
		on_terminal 80 "$PTOOL" "$command" --no-pager "$store" "${extra[@]}" >out
		fits 80 <out
		COLUMNS=80 on_terminal 0 "$PTOOL" "$command" --no-pager "$store" "${extra[@]}" >again
		cmp out again
	}
	each draws
}

@test "a narrower terminal shortens names, and no number" {
	ptool ingest -q "$TORCH/t2141_cnn_w0/trace.json.gz"
	on_terminal 200 "$PTOOL" info --no-pager ptool.db | plain >wide
	on_terminal 40 "$PTOOL" info --no-pager ptool.db | plain >narrow
	[ "$(wc -L <narrow)" -lt "$(wc -L <wide)" ]
	diff <(grep -oE '\b[0-9][0-9,.]*\b' wide | sort -u | head -1000) \
		<(grep -oE '\b[0-9][0-9,.]*\b' narrow | sort -u) | grep '^>' && return 1
	grep -q '4,684' narrow
}

@test "in a pipe and in a file tables are laid out for 120 columns, or for COLUMNS" {
	ptool ingest -q "$EVERYTHING"
	export LINES=40 # which timeline has in a pipe
	draws() {
		ptool "$command" ptool.db "${extra[@]}" >piped
		[ "$command" = sql ] || # names of 100 at most are the other half of it
			COLUMNS=120 on_terminal 0 "$PTOOL" "$command" ptool.db \
				--no-pager --color never | tr -d '\r' | cmp - piped
		ptool "$command" ptool.db "${extra[@]}" -o file -f
		cmp file piped
		COLUMNS=80 ptool "$command" ptool.db "${extra[@]}" | cmp - <(
			ptool "$command" ptool.db "${extra[@]}" --width 80)
	}
	each draws
}

@test "--wide, --names full and machine formats have whole names" {
	name="void ns::a_kernel<$(printf 'ns::T%d<float>, ' {1..40})int>(float*)"
	printf '[{"ph":"X","cat":"kernel","name":"%s","pid":0,"tid":7,"ts":1,"dur":5,"args":{"stream":7}}]' \
		"$name" >long.json
	ptool ingest -q long.json
	ptool kernels | grep -q '^a_kernel<T1, .*…'
	ptool kernels --format markdown | lacks -F 'T40'
	for whole in --wide '--names full' '--format csv' '--format json' '--format ndjson'; do
		ptool kernels $whole | grep -qF "$name"
	done
}

@test "colour: on a terminal, unless NO_COLOR or a dumb terminal says no" {
	ptool ingest -q "$EVERYTHING"
	export TERM=xterm
	draws() {
		show() { # [SETTING...] PTOOL [OPTION...]
			on_terminal 100 env "$@"
		}
		set -- "$PTOOL" "$command" ptool.db "${extra[@]}" --no-pager
		show "$@" >auto
		show NO_COLOR=1 "$@" >no
		! has_escapes <no
		plain <auto | cmp - no
		show TERM=dumb "$@" | cmp - no
		show "$@" --color never | cmp - no
		show NO_COLOR=1 "$@" --color always | cmp - auto
		# no terminal: none, unless it is asked for
		"$@" >piped
		! has_escapes <piped
		for format in csv json ndjson tsv markdown; do
			"$@" --color always --format $format >machine
			! has_escapes <machine
		done
	}
	each draws
	# and it is used at all
	on_terminal 100 "$PTOOL" info --no-pager | has_escapes
}

@test "a pager on a terminal only: PTOOL_PAGER before PAGER, cat and nothing are none" {
	ptool ingest -q "$TORCH/t2141_cnn_w0/trace.json.gz"
	export PAGER='sed s/^/pager:/'
	on_terminal 80 "$PTOOL" info | grep -q '^pager:'
	PTOOL_PAGER='sed s/^/own:/' on_terminal 80 "$PTOOL" info | grep -q '^own:'
	for none in cat ''; do
		! PTOOL_PAGER=$none on_terminal 80 "$PTOOL" info | grep -q '^pager:'
	done
	on_terminal 80 "$PTOOL" info --no-pager | lacks '^pager:'
	ptool info | lacks '^pager:'
	PTOOL_PAGER=false run on_terminal 80 "$PTOOL" info # it quits at once
	exits 0
}

# A trace of two megabytes, with a pause of so many seconds in its middle.
slowly() { # SECONDS
	python3 - "$1" <<'EOF'
import sys, time
out = sys.stdout
out.write("[\n")
for half in range(2):
    for i in range(20000):
        out.write('{"ph": "X", "cat": "cpu_op", "name": "op", "pid": 1, "tid": 1, "ts": %d, "dur": 1},\n'
                  % (half * 20000 + i))
    out.flush()
    time.sleep(float(sys.argv[1]) * (1 - half))
out.write('{"ph": "X", "cat": "cpu_op", "name": "op", "pid": 1, "tid": 1, "ts": 99999, "dur": 1}]\n')
EOF
}

@test "progress comes after half a second, on a terminal, and is wiped" {
	slowly 0.8 | on_terminal 80 "$PTOOL" ingest -o slow.db - >slow
	grep -q 'MB/s' slow
	tail -c 60 slow | grep -q $'\r\x1b\[K''ptool: ingest: -: 40,001 slices' # the line is gone
	cp "$GPU/copies.json" fast.json # it takes milliseconds, whatever else runs
	on_terminal 80 "$PTOOL" ingest -o fast.db fast.json >fast
	[ "$(cat fast)" = 'ptool: ingest: fast.json: 37 slices' ]
	slowly 0.8 | ptool ingest -o piped.db - 2>piped
	[ "$(cat piped)" = 'ptool: ingest: -: 40,001 slices' ]
}

@test "-q keeps the line of a file to itself on a terminal, too" {
	[ -z "$(on_terminal 80 "$PTOOL" ingest -q "$GPU/copies.json")" ]
}

@test "help is the same on a terminal of any width" {
	ptool help ingest >wide
	on_terminal 40 "$PTOOL" help ingest | plain | cmp - wide
}

@test "a hostile name cannot drive the terminal" {
	name=$'\e]0;owned\a\e[2Jtrace.json'
	cp "$GPU/copies.json" "$name"
	on_terminal 80 "$PTOOL" ingest "$name" >out
	on_terminal 80 "$PTOOL" info --no-pager --color never >>out
	on_terminal 80 "$PTOOL" info --no-pager --color never --run "$name" >>out
	lacks $'[\x07\x1b]' <out
}

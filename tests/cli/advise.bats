#!/usr/bin/env bats
# ptool advise: what it says and how.  What rules find is held by tests/advise/check_rules.py.

load setup

ROOT=$BATS_TEST_DIRNAME/../..

# "finds RULE" ...: the rules that found something, sorted.
found() { # OPTION...
	ptool advise "$GPU/sync.json" --format csv "$@" 2>/dev/null | python3 -c '
import csv, sys
print(*sorted({r["rule"] for r in csv.DictReader(sys.stdin) if r["severity"] != "not_run"}))'
}

@test "advise shows a block for each finding, and what could not run" {
	cp "$GPU/sync.json" .
	COLUMNS=80 ptool advise -q sync.json | like_golden advise.txt
}

@test "advise in machine formats has a row for each finding and each rule that could not run" {
	ptool advise "$GPU/sync.json" --format csv 2>/dev/null | like_golden advise.csv
	ptool advise "$GPU/sync.json" --format json 2>/dev/null | python3 -c '
import json, sys
table = json.load(sys.stdin)
units = {c["name"]: c["unit"] for c in table["columns"]}
assert units["saving_ns"] == "ns" and units["finding"] == "text", units
assert all((r["saving_ns"] is None) == (r["saving_formula"] is None) for r in table["rows"])
assert {"not_run", "medium"} <= {r["severity"] for r in table["rows"]}'
}

@test "advise --evidence gives the numbers behind the findings" {
	ptool advise "$GPU/sync.json" --evidence --format csv 2>/dev/null | like_golden advise_evidence.csv
	run --separate-stderr ptool advise "$GPU/sync.json" --evidence --rule data-loading
	exits 0
	prints "no problem found"
}

@test "advise says so when there is no problem" {
	run --separate-stderr ptool advise "$GPU/sync.json" --rule data-loading --rule communication
	exits 0
	[[ ${lines[0]} == "no problem found by the rules that ran; GPU 0 is busy "* ]]
	run --separate-stderr ptool advise "$GPU/sync.json" --rule data-loading --format csv
	exits 0
	[ "${#lines[@]}" -eq 1 ]
}

@test "advise does not say that there is no problem when no rule could run" {
	run --separate-stderr ptool advise "$GPU/sync.json" --rule memory-limit --rule stragglers
	exits 0
	[[ ${lines[0]} == "no rule could run; "* ]]
	run --separate-stderr ptool advise "$GPU/sync.json" --rule memory-limit --rule data-loading
	exits 0
	[[ ${lines[0]} == "no problem found by the rules that ran; "* ]]
	[ "${lines[1]}" = "1 rule needs what this recording lacks; --verbose lists it." ]
	run --separate-stderr ptool advise "$GPU/sync.json" --rule memory-limit --rule data-loading --verbose
	[ "${lines[1]}" = "1 rule needs what this recording lacks:" ]
	[[ ${lines[2]} == "memory-limit: no memory events were recorded. To change that: "* ]]
}

@test "advise --rule chooses rules and moves thresholds" {
	[ "$(found --rule synchronization)" = synchronization ]
	[ "$(found --rule synchronization:min_pct=20)" = "" ]
	[ "$(found --rule low-utilization:below_pct=90 --rule mixed-precision)" = "low-utilization mixed-precision" ]
	[ "$(found --rule low-utilization --rule low-utilization:below_pct=90)" = low-utilization ]
	ptool ingest -q "$GPU/one_stream.json"
	ptool advise --rule launch-bound:min_pct=0,max_gap_us=1000 --format csv | grep -q '^"launch-bound",'
	ptool advise --rule launch-bound:min_pct=0,max_gap_us=0 --format csv | lacks '^"launch-bound",'
}

@test "advise names the nearest of a misspelt rule or parameter" {
	run --separate-stderr ptool advise --rule data-loadin "$GPU/sync.json"
	exits 2
	[[ $stderr == "ptool: advise: unknown rule 'data-loadin'; did you mean 'data-loading'? (valid: "* ]]
	run --separate-stderr ptool advise --rule data-loading:min_pc=3 "$GPU/sync.json"
	exits 2
	says "ptool: advise: unknown parameter of the rule 'data-loading' 'min_pc'; did you mean 'min_pct'? (valid: min_pct)"
	run --separate-stderr ptool advise --rule data-parallel:min_pct=3 "$GPU/sync.json"
	exits 2
	says "ptool: advise: the rule 'data-parallel' has no parameters, and 'min_pct' is given"
}

@test "advise refuses values that are no numbers" {
	for value in min_pct= min_pct min_pct=. min_pct=0x10 'min_pct= 5' min_pct=x min_pct=5% min_pct=-1 min_pct=nan min_pct=inf; do
		run --separate-stderr ptool advise --rule "data-loading:$value" "$GPU/sync.json"
		exits 2
		[[ $stderr == "ptool: advise: --rule data-loading wants min_pct=NUMBER, 0 or more, not '"* ]]
	done
	for value in min_pct=5, ,min_pct=5 min_pct=5,,min_pct=6; do
		run --separate-stderr ptool advise --rule "data-loading:$value" "$GPU/sync.json"
		exits 2
		says "ptool: advise: unknown parameter of the rule 'data-loading' '' (valid: min_pct)"
	done
	ptool advise --rule data-loading:min_pct=+.5e1 "$GPU/sync.json"
	run --separate-stderr ptool advise --rule data-loading: "$GPU/sync.json"
	exits 2
	says "ptool: advise: --rule data-loading: wants KEY=NUMBER after ':'"
}

@test "advise has no rules for call graphs" {
	run --separate-stderr ptool advise "$FIXTURES/pyprof/pstats/sys311/w_gen.prof"
	exits 3
	[[ ${stderr##*$'\n'} == *": rules need a trace, and this is a call graph: record with torch.profiler" ]]
}

@test "advise of a store that is missing" {
	run --separate-stderr ptool advise nowhere.db
	exits 4
	[[ $stderr == "ptool: advise: nowhere.db: "* ]]
}

@test "advise fits 80 columns of a terminal, and has no note in front of its sentences" {
	for trace in "$GPU"/{sync,copies,memory,two_devices}.json; do
		on_terminal 80 "$PTOOL" advise --no-pager --color never "$trace" | grep -v '^ptool: ' >shown
		[ -s shown ]
		lacks -E '^.{81,}' <shown
		lacks '^note: ' <shown
	done
}

@test "ranks are told apart, and findings of the run have none" {
	ptool ingest -q "$GPU"/collectives_rank[01].json
	ptool advise --rule stragglers --format csv | grep -q '^"stragglers","high",2,1,,"rank 1 comes last'
	ptool advise --rank 0 --rule stragglers --format csv |
		grep -q '^"stragglers","not_run",,,,"there is only one rank",'
	ptool advise --rule exposed-communication | grep -q 'rank 1, GPU 0'
}

@test "ptool help rules and ptool-rules(7) say the same" {
	ptool help rules >rules
	[ "$(grep -c '^[a-z]' rules)" -ge 18 ]
	mandoc -T ascii -O width=200 "$ROOT/man/ptool-rules.7" | awk '{ while (sub(/.\010/, "")); print }' >page
	python3 - rules page <<'EOF'
import re, sys
help_text, page = (open(name, encoding="utf-8").read() for name in sys.argv[1:])
page_words = " ".join(page.split())
rules = re.split(r"\n\n", help_text)[1:]
for rule in rules:
    name, *lines = rule.rstrip().split("\n")
    text = " ".join(" ".join(lines).split())
    looks, rest = text.split(" Threshold: ", 1)
    source, *parameters = re.split(r" (?=[a-z_]+=[0-9.]+: )", rest)
    wanted = [f"{name} {looks}", f"Threshold: {source}"]
    for parameter in parameters:
        key, meaning = parameter.split(": ", 1)
        wanted.append(f"{key} {meaning[0].upper()}{meaning[1:]}.")
    for words in wanted:
        assert words in page_words, words
assert len(rules) == len({rule.split("\n")[0] for rule in rules})
EOF
	items_of_page=$(grep -oE '^\.It Cm [a-z-]+$' "$ROOT/man/ptool-rules.7" | sed 's/.* //')
	[ "$items_of_page" = "$(grep '^[a-z]' rules)" ]
}

@test "help knows the topic rules beside the commands" {
	run --separate-stderr ptool help ruls
	exits 2
	[[ $stderr == *"did you mean 'rules'"* ]]
	ptool help --mdoc rules | grep -c '^\.It Cm [a-z-]*$' >items
	ptool help rules | grep -c '^[a-z]' | diff - items
}

@test "advise in Markdown has no tables without rows" {
	ptool advise "$GPU/sync.json" --format markdown 2>/dev/null >shown
	grep -q '^\* HIGH' shown
	grep -q '^  Try: ' shown
	lacks -E '^0 rows$|^[0-9]+ rows?$' <shown
	[[ $(ptool advise "$GPU/sync.json" --rule data-loading --format markdown 2>/dev/null) == "no problem found by the rules"* ]]
}

@test "findings of one rule on several ranks are one block" {
	files=()
	for rank in 0 1 2 3 4 5; do
		sed "s/\"rank\": 0, \"world_size\": 2/\"rank\": $rank, \"world_size\": 6/" "$GPU/collectives_rank0.json" >"rank$rank.json"
		files+=("rank$rank.json")
	done
	ptool ingest -q "${files[@]}"
	[ "$(ptool advise --rule exposed-communication --format csv | grep -c '^"exposed-communication"')" -eq 6 ]
	ptool advise --rule exposed-communication >shown
	[ "$(grep -c 'Exposed communication (' shown)" -eq 1 ]
	[ "$(grep -c '^        Also rank [0-9], GPU 0: ' shown)" -eq 3 ]
	grep -q '^        Also 2 more; ' shown
}

@test "without steps a saving is of the recording" {
	sed 's/ProfilerStep#[0-9]*/part/' "$GPU/collectives_rank0.json" >nosteps.json
	ptool advise --wide --rule exposed-communication nosteps.json 2>/dev/null >shown
	grep -qE 'of the recording .*; could save up to [0-9.]+ [mu]s[.]$' shown
}

@test "time that was not recorded is no saving" {
	ptool advise --rule idle-time "$GPU/collectives_rank0.json" 2>/dev/null >shown
	grep -q 'CPU, not recorded; 194.459 us a step[.]$' shown
	lacks 'could save' <shown
	ptool advise --rule idle-time "$GPU/collectives_rank0.json" --format csv | grep 'CPU, not recorded",,,"record again'
	# nor on its page
	ptool report -q "$GPU/collectives_rank0.json" >page
	grep 'CPU, not recorded' page
	lacks 'ould save up to 194.459 us' <page
}

@test "advise says above its findings how busy each device is" {
	ptool advise "$GPU/two_devices.json" 2>/dev/null >shown
	[[ $(sed -n 1p shown) == "GPU 0 is busy 75.1% of each step (2 steps of "* ]]
	[[ $(sed -n 2p shown) == "GPU 1 is busy 75.7% of each step (2 steps of "* ]]
	[ -z "$(sed -n 3p shown)" ]
	[[ $(sed -n 4p shown) == "HIGH    "* ]]
	ptool advise "$GPU/two_devices.json" --format json 2>/dev/null | grep -q '"notes":\["GPU 0 is busy 75.1% of each step '
	COLUMNS=80 ptool advise --verbose "$GPU/sync.json" 2>/dev/null | grep -q '^        synchronization: steps 2, mean step '
}

@test "advise tells calls whose times cannot be" {
	ptool ingest -q "$TORCH/t260_cnn_w0/trace.json.gz"
	cp ptool.db good.db
	for edit in 'dur = 9223372036854775807' 'self_ns = 9223372036854775807 WHERE id % 3 = 1'; do
		cp good.db ptool.db
		sqlite3 ptool.db "UPDATE slice_row SET $edit"
		run --separate-stderr ptool advise
		exits 4
	done
}

@test "what JAX and TensorFlow recorded is told nothing of PyTorch" {
	for name in jax tensorflow xprof_gpu xprof_tpu; do
		for command in 'advise --verbose' gaps steps 'steps --phases' kernels memory \
			modules 'top --by shape' 'top --by stack' 'top --tensor-cores' 'tree --kernels'; do
			# shellcheck disable=SC2086 # words
			run ptool $command -q "$FIXTURES/chrome/$name.json.gz"
			[ "$status" = 0 ] || [ "$status" = 3 ]
			[ -n "$output" ]
			printf '%s\n' "$output" >out
			grep -v 'CPU rules apply to' out |
				lacks -E '[Tt]orch|ProfilerActivity|record_shapes|with_stack|profile_memory|DataLoader|activity CPU|profiler.s step'
		done
	done
}

@test "what is no trace is refused with what it is, not with rules that could not run" {
	run -3 --separate-stderr ptool advise -q "$FIXTURES/mprof/basic.dat"
	says "ptool: advise: $FIXTURES/mprof/basic.dat: rules need a trace, and this is a record of memory: record with torch.profiler"
	run -3 --separate-stderr ptool advise -q "$FIXTURES/lines/lp503.lprof"
	says "ptool: advise: $FIXTURES/lines/lp503.lprof: rules need a trace, and this is a report on lines: record with torch.profiler"
	echo 'main;f 3' >stacks.txt
	run -3 --separate-stderr ptool advise -q stacks.txt
	says "ptool: advise: stacks.txt: rules need a trace, and this is a set of sampled stacks: record with torch.profiler"
	run -0 ptool overview -q "$FIXTURES/mprof/basic.dat"
	[[ $output != *'not recorded'* ]]
	run -0 ptool info -q "$FIXTURES/mprof/basic.dat"
	[[ $output != *'not recorded'* ]]
}

@test "many recordings without a device are no devices" {
	mkdir many
	for i in 1 2 3 4 5; do
		event cpu_op aten::mm "$((i * 10))" 90 | made "many/train_step_$i.json"
	done
	run -0 ptool advise -q many
	[[ $output == *'operators run for '*'% of the time in 5 profiles; no device work'* ]]
}

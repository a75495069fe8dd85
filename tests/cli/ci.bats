#!/usr/bin/env bats
# The examples of docs/ci, as far as a shell can run them: their commands, in a repository
# that records by ./record.sh.  What Actions and GitLab do around them is not run.

load setup

DOCS=$TESTS/../docs/ci

# The commands of a step: "- name: NAME" and "run: |", or "# NAME" and "- |".
commands_of() { # FILE NAME
	awk -v name="$2" '
		/^ *(- name:|#) / { sub(/^ *(- name:|#) /, ""); on = $0 == name; next }
		on && /^ *(run:|-) \|$/ { match($0, /^ */); deep = RLENGTH; inside = 1; next }
		inside { match($0, /^ */); if ($0 != "" && RLENGTH <= deep) { inside = 0; on = 0 } else print }
	' "$DOCS/$1"
}

# As a runner does: each step in a shell of its own that stops at the first failure.
step() { # FILE NAME
	commands_of "$@" >step.sh
	[ -s step.sh ] || return 99
	bash -eo pipefail step.sh
}

# A repository whose program takes so many us a step.
repository() { # US
	cat >record.sh <<-SH
		#!/bin/sh
		python3 - "\$1" $1 <<'PY'
		import json, os, sys, zlib
		out, base = sys.argv[1], float(sys.argv[2])
		noise = zlib.crc32(os.path.abspath(out).encode() + sys.argv[2].encode()) % 9 * .001
		events, at = [], 0
		for i in range(5):
		    dur = round(base * (1 + noise) + i, 3)
		    for name, cat in (("ProfilerStep#%d" % i, "user_annotation"), ("aten::mm", "cpu_op")):
		        events.append(dict(ph="X", cat=cat, name=name, pid=1, tid=1, ts=at, dur=dur, args={}))
		    at += dur + 10
		events.append(dict(ph="M", name="process_name", pid=1, args={"name": "python"}))
		json.dump(dict(schemaVersion=1, traceEvents=events), open(out, "w"))
		PY
	SH
	chmod +x record.sh
}

budget_of_page() {
	sed -n '/^    # what a step/,/^    max = /s/^    //p' "$DOCS/README.md" >ptool.budget
	grep -q '^\[step time\]' ptool.budget
}

setup_repository() {
	PATH=$(dirname "$PTOOL"):$PATH
	budget_of_page
	repository 1000
}

@test "the workflow for GitHub records, passes, saves, and fails a slower pull request" {
	setup_repository
	export GITHUB_STEP_SUMMARY=$PWD/summary.md
	step github-actions.yml Record 2>/dev/null
	run step github-actions.yml Gate
	exits 0
	prints "no baseline so far: main has to run once"
	step github-actions.yml Save 2>/dev/null
	[ "$(ptool baseline show main --format csv | wc -l)" -eq 9 ]
	step github-actions.yml Gate >out 2>/dev/null
	grep -q '^gate passed: 2 budgets' out
	repository 1100
	step github-actions.yml Record
	run --separate-stderr step github-actions.yml Gate
	exits 1
	[[ $output == *"::error file=ptool.budget,line=2,title=ptool gate%3A step time::"* ]]
	grep -q '^## gate failed: step time' summary.md
	grep -q '^| aten::mm | ' summary.md
	grep -q '<failure message=' gate.xml
	rm run[2-8].json
	run --separate-stderr step github-actions.yml Gate
	exits 0
	[[ $output == *"::warning file=ptool.budget,line=2,"* ]]
}

@test "the job for GitLab does the same, and is inconclusive by its exit status" {
	setup_repository
	export CI_COMMIT_BRANCH=main CI_DEFAULT_BRANCH=main
	for part in Record Gate Save Gate; do
		step gitlab-ci.yml $part >out 2>/dev/null
	done
	grep -q '^gate passed: 2 budgets' out
	repository 1100
	step gitlab-ci.yml Record
	run --separate-stderr step gitlab-ci.yml Gate
	exits 1
	rm run[2-8].json
	run --separate-stderr step gitlab-ci.yml Gate
	exits 3
	CI_COMMIT_BRANCH=topic step gitlab-ci.yml Save
	[ "$(ptool baseline show main --format csv | wc -l)" -eq 9 ]
}

@test "both sides recorded turn by turn, as the page has it" {
	setup_repository
	sed -i 's/^against = main/against = before\/run*.json/' ptool.budget
	sed -n '/^    mkdir -p before after/,/^    ptool gate/s/^    //p' "$DOCS/README.md" >step.sh
	run --separate-stderr bash -eo pipefail step.sh
	exits 0
	[[ $output == "gate passed: 2 budgets"* ]]
}

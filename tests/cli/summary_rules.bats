#!/usr/bin/env bats
# Summaries that another release of ptool made by other rules than this one's.

load setup

# The step table's rows are those of no rule, and say so.
age() { # STORE...
	for store; do
		python3 - "$store" <<-'EOF'
		import sqlite3, sys
		db = sqlite3.connect(sys.argv[1])
		db.execute("UPDATE step_part SET compute_ns = compute_ns + 1000000")
		db.execute("UPDATE summary SET rules = rules - 1 WHERE part = 'step_part'")
		db.commit()
		EOF
	done
}

setup_stores() { # OPTION...
	mkdir -p stores
	for n in 0 1; do
		ptool ingest -q --summaries yes "$@" -o stores/$n.db "$GPU/collectives_rank$n.json"
	done
}

@test "summaries by other rules are made anew where the slices are there" {
	setup_stores
	ptool steps --format csv stores/0.db >one
	ptool steps --format csv -q stores >both
	[ -s one ] && [ -s both ]
	age stores/*.db
	ptool steps --format csv stores/0.db 2>&1 | diff one -
	ptool steps --format csv -q stores 2>&1 | diff both -
	ptool merge -q -o run.db stores
	ptool steps --format csv run.db 2>&1 | diff both -
	# and of the store that was made, for others
	ptool merge -q -o again.db run.db
	ptool steps --format csv again.db 2>&1 | diff both -
}

@test "without slices they are read, and the answer says so" {
	setup_stores --summary-only
	ptool steps --format csv stores/0.db >one
	age stores/0.db
	run --separate-stderr ptool steps --format csv stores/0.db
	[ "$status" -eq 0 ]
	[ "$output" != "$(cat one)" ]
	[[ $stderr == "ptool: steps: stores/0.db: another release of ptool made its summaries by other rules, and its slices were left out: "* ]]
	run --separate-stderr ptool steps --format csv -q stores
	[[ $stderr == "ptool: steps: stores: another release of ptool"* ]]
	# what does not read them has nothing to say
	run --separate-stderr ptool top stores/0.db
	[ -z "$stderr" ]
}

#!/usr/bin/env bats
# Folders and archives as operands; what the names of files tell.

load setup

# A trace of that many slices.
trace() { # SLICES
	printf '{"traceEvents": ['
	for i in $(seq "$1"); do
		[ "$i" -eq 1 ] || printf ','
		printf '{"ph":"X","name":"work","cat":"cpu_op","pid":1,"tid":1,"ts":%d,"dur":5}' $((i * 10))
	done
	printf ']}\n'
}

profiles() { # [STORE]: name and slices of each, in the order they were read
	ask "${1-ptool.db}" "SELECT replace(path, '$PWD/', ''), slices FROM profile ORDER BY id"
}

# What names told: file, rank, where it comes from, worker, span.
told() {
	ask "${1-ptool.db}" "SELECT replace(path, rtrim(path, replace(path, '/', '')), ''), rank, rank_source, worker,
		span FROM profile ORDER BY id"
}

prints_lines() { # LINE...: all of stdin
	diff <(printf '%s\n' "$@") -
}

@test "a folder is one run of all traces below it, in natural order" {
	mkdir -p logs/b
	trace 1 >logs/t10.json
	trace 2 >logs/t9.json
	trace 3 | gzip -c >logs/b/packed
	run --separate-stderr ptool ingest logs
	exits 0
	prints ''
	says 'ptool: ingest: logs/b/packed: 3 slices
ptool: ingest: logs/t9.json: 2 slices
ptool: ingest: logs/t10.json: 1 slice
ptool: ingest: no rank was recorded: files are numbered 0 to 2 in the order of their names'
	profiles | prints_lines 'logs/b/packed|3' 'logs/t9.json|2' 'logs/t10.json|1'
	[ "$(ask ptool.db 'SELECT name FROM run')" = "$PWD/logs" ]
}

@test "what is no trace is passed over and named behind what went well" {
	mkdir logs
	trace 1 >logs/a.json
	echo 'step 1 took 3 ms' >logs/notes.txt
	echo '{"loss": 0.5}' >logs/scalars.json
	echo '[{"loss": 0.5}]' >logs/list.json
	: >logs/empty.json
	printf '\x80\x05\x95ab' >logs/cut.pickle
	mkfifo logs/pipe
	run --separate-stderr ptool ingest logs
	exits 0
	says 'ptool: ingest: logs/a.json: 1 slice
ptool: ingest: logs/cut.pickle: byte 5: passed over: the pickle ends early
ptool: ingest: logs/empty.json: passed over: the file is empty
ptool: ingest: logs/list.json: passed over: not a trace: no entry of the event list has a ph (keys of the first: loss)
ptool: ingest: logs/notes.txt: passed over: no known format
ptool: ingest: logs/pipe: passed over: neither a file nor a folder
ptool: ingest: logs/scalars.json: passed over: not a trace: the JSON object has no traceEvents (its keys: loss)'
	run --separate-stderr ptool ingest -q logs
	exits 0
	says ''
	profiles | prints_lines 'logs/a.json|1'
}

@test "of many that are no traces twenty are named and the rest is counted" {
	mkdir logs
	trace 1 >logs/a.json
	for i in $(seq 25); do echo text >"logs/note$i"; done
	run --separate-stderr ptool ingest logs
	exits 0
	[ "${#stderr_lines[@]}" -eq 22 ]
	[ "${stderr_lines[20]}" = 'ptool: ingest: logs/note20: passed over: no known format' ]
	[ "${stderr_lines[21]}" = 'ptool: ingest: 5 more files were ignored' ]
}

@test "a folder without a trace is exit 4 and says how many files were looked at" {
	mkdir -p none/deep some
	run --separate-stderr ptool ingest none
	exits 4
	says 'ptool: ingest: none: it has no files'
	echo text >some/a
	echo '{}' >some/b
	run --separate-stderr ptool ingest -q some
	exits 4
	says 'ptool: ingest: some: no trace in it: 2 files were looked at'
	[ ! -e ptool.db ]
	trace 1 >a.json
	run --separate-stderr ptool ingest -q a.json some
	exits 4
	profiles | prints_lines 'a.json|1'
}

@test "a trace that is surely one and cannot be read is refused, the rest is stored" {
	mkdir logs
	trace 1 >logs/a.json
	: >logs/host.1.pt.trace.json
	echo '{"traceEvents": 3}' >logs/no_list.json
	run --separate-stderr ptool ingest logs
	exits 4
	says 'ptool: ingest: logs/a.json: 1 slice
ptool: ingest: logs/host.1.pt.trace.json: byte 0: the file is empty
ptool: ingest: logs/no_list.json: byte 0: traceEvents is not an array'
	profiles | prints_lines 'logs/a.json|1'
	before=$(cksum <ptool.db)
	run --separate-stderr ptool ingest --strict logs
	exits 4
	says 'ptool: ingest: logs/host.1.pt.trace.json: byte 0: the file is empty'
	[ "$(cksum <ptool.db)" = "$before" ]
}

@test "--strict minds no file that is something else" {
	mkdir logs
	trace 1 >logs/a.json
	echo text >logs/b
	echo '{"a": nope' >logs/c
	run --separate-stderr ptool ingest -q --strict logs
	exits 0
	profiles | prints_lines 'logs/a.json|1'
}

@test "a file or folder that may not be read is refused" {
	[ "$(id -u)" -ne 0 ] || skip 'root may read everything'
	mkdir -p logs/closed
	trace 1 >logs/a.json
	trace 2 >logs/b.json
	chmod 000 logs/b.json logs/closed
	run --separate-stderr ptool ingest logs
	chmod 700 logs/closed
	exits 4
	says 'ptool: ingest: logs/a.json: 1 slice
ptool: ingest: logs/b.json: cannot open: Permission denied
ptool: ingest: logs/closed: cannot open: Permission denied'
}

@test "what is given in place of a recording and is a store is told as one" {
	ptool ingest -q -o it.db "$GPU/copies.json"
	gzip -k it.db
	run --separate-stderr ptool ingest it.db
	exits 4
	says "ptool: ingest: it.db: byte 0: this is a ptool store: commands read it as it is, and 'ptool merge' makes one store of several"
	run --separate-stderr ptool top it.db.gz
	exits 4
	says "ptool: top: it.db.gz: byte 0: this is a ptool store: unpack it, or name its file in place of a pipe"
	mkdir stores
	mv it.db stores/
	run --separate-stderr ptool ingest stores
	exits 4
	says "ptool: ingest: stores: it has ptool stores alone: commands read them as they are, and 'ptool merge' makes one store of several"
	sqlite3 other.db 'CREATE TABLE t(x)'
	run --separate-stderr ptool ingest other.db
	exits 4
	says "ptool: ingest: other.db: byte 0: this is a SQLite database other than a ptool store, which ptool does not read"
}

@test "hidden files, and stores of ptool, are no input and not told" {
	mkdir -p logs/.git
	trace 1 >logs/a.json
	trace 1 >logs/.hidden.json
	trace 1 >logs/.git/b.json
	cd logs
	ptool ingest -q a.json
	for i in 1 2; do
		run --separate-stderr ptool ingest -o ./ptool.db .
		exits 0
		says 'ptool: ingest: ./a.json: 1 slice'
	done
	ask ptool.db 'SELECT name FROM run ORDER BY id' | prints_lines "$PWD/a.json" "$PWD"
}

@test "a file that is reached twice is read once, and links make no loop" {
	mkdir -p logs/sub
	trace 1 >logs/a.json
	ln -s a.json logs/b.json
	ln -s .. logs/sub/up
	ln -s self logs/sub/self
	ln -s "$PWD" here
	run --separate-stderr ptool ingest logs
	exits 0
	says 'ptool: ingest: logs/a.json: 1 slice
ptool: ingest: logs/sub/self: passed over: cannot open: Too many levels of symbolic links
ptool: ingest: logs/sub/up: passed over: a link to a folder; name that folder to read it'
	run --separate-stderr ptool ingest -q logs/b.json here/logs
	exits 0
	[ "$(ask ptool.db 'SELECT count(*) FROM profile WHERE run_id = (SELECT max(id) FROM run)')" = 1 ]
	run --separate-stderr ptool ingest -q logs logs/a.json logs/
	exits 4
	says 'ptool: ingest: logs/a.json: given twice; it is read only once
ptool: ingest: logs/: given twice; it is read only once'
}

@test "a folder without a trace is told, also when a file is in it twice" {
	mkdir notes
	echo hi >notes/a
	ln -s a notes/b
	for command in ingest top; do
		run --separate-stderr ptool $command notes
		exits 4
		[[ ${stderr-} == *"ptool: $command: notes: "*"no trace in it: 1 file was looked at"* ]]
	done
	trace 1 >a.json
	run --separate-stderr ptool ingest -q a.json notes
	exits 4
	mkdir logs
	ln a.json logs/a.json
	run --separate-stderr ptool ingest -q a.json logs
	exits 0
}

@test "a TensorBoard log directory: workers and spans, stamps as numbers" {
	mkdir -p logdir/plugins/profile/run1 logdir/plugins/profile/run2
	cd logdir/plugins/profile
	for name in host_1.1000 host_1.999 host_1.2000 other.5; do trace 1 >run1/$name.pt.trace.json; done
	trace 1 | gzip -c >run2/host_1.7.pt.trace.json.gz
	trace 1 >run2/plain.pt.trace.json
	cd - >/dev/null
	ptool ingest -q logdir
	ask ptool.db "SELECT replace(path, '$PWD/logdir/plugins/profile/', ''), worker, stamp, span FROM profile" | sort |
		prints_lines 'run1/host_1.1000.pt.trace.json|host_1|1000|2' \
			'run1/host_1.2000.pt.trace.json|host_1|2000|3' \
			'run1/host_1.999.pt.trace.json|host_1|999|1' \
			'run1/other.5.pt.trace.json|other|5|1' \
			'run2/host_1.7.pt.trace.json.gz|host_1|7|1' \
			'run2/plain.pt.trace.json|plain||'
	# the files one by one are the same spans, but no ranks: who says that they are all?
	ptool ingest -q -o files.db logdir/plugins/profile/run1/*
	ask files.db 'SELECT stamp, span, rank FROM profile' | sort | prints_lines '1000|2|' '2000|3|' '5|1|' '999|1|'
}

@test "ranks: the recording's, else the name's, else the order of workers" {
	mkdir mixed ordered
	recorded='{"distributedInfo": {"rank": 4, "world_size": 8}, "traceEvents": ['
	trace 1 | sed "s/{\"traceEvents\": \[/$recorded/" >mixed/rank1.json
	trace 1 >mixed/rank-12.Apr_03_18_51_38.1102.pt.trace.json
	trace 1 >mixed/frank7.json
	mkdir mixed/rank3
	trace 1 >mixed/rank3/trace.json
	run --separate-stderr ptool ingest mixed
	exits 0
	[ "${stderr_lines[-1]}" = 'ptool: ingest: ranks 3 to 12 are from file names' ]
	told | prints_lines 'frank7.json||||' \
		'rank-12.Apr_03_18_51_38.1102.pt.trace.json|12|name|rank-12.Apr_03_18_51_38|1' \
		'rank1.json|4|recording||' 'trace.json|3|name||'
	ptool top --rank 12 | grep -q work

	for name in node10_1.5 node9_1.5 node9_1.4; do trace 1 >ordered/$name.pt.trace.json; done
	trace 1 >ordered/train_step_3.json
	run --separate-stderr ptool ingest -o ordered.db ordered
	[ "${stderr_lines[-1]}" = \
		'ptool: ingest: no rank was recorded: files are numbered 0 to 1 in the order of their names' ]
	told ordered.db | prints_lines 'node9_1.4.pt.trace.json|0|order|node9_1|1' \
		'node9_1.5.pt.trace.json|0|order|node9_1|2' 'node10_1.5.pt.trace.json|1|order|node10_1|1' \
		'train_step_3.json||||'
}

@test "ranks: computed from the axes that names give, not from the order of names" {
	axes='SELECT rank, rank_source, tp, dp, pp, ep, cp FROM profile ORDER BY rank, id'
	event='{"traceEvents":[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2}]'
	mkdir sglang attention sizes own replicas
	for place in TP-0-PP-0 TP-0-PP-1 TP-1-PP-0 TP-1-PP-1; do
		echo "$event}" >"sglang/17.2-$place-EXTEND.trace.json"
	done
	run --separate-stderr ptool ingest -o s.db sglang
	[ "${stderr_lines[-1]}" = 'ptool: ingest: ranks are computed from axes (tensor, data, pipeline parallel and so on) that file names or recordings give' ]
	ask s.db "$axes" | prints_lines '0|axes|0||0||' '1|axes|1||0||' '2|axes|0||1||' '3|axes|1||1||'
	# data parallel attention: parts of the tensor parallel group
	for place in TP-0-DP-0 TP-1-DP-0 TP-2-DP-1 TP-3-DP-1; do
		echo "$event}" >"attention/17.2-$place.trace.json"
	done
	ptool ingest -q -o a.db attention 2>err
	ask a.db "$axes" | prints_lines '0|axes|0|0|||' '1|axes|1|0|||' '2|axes|2|1|||' '3|axes|3|1|||'
	# the same numbers everywhere are sizes
	for rank in 0 1; do echo "$event}" >"sizes/llama_tp8_pp2_rank$rank.json"; done
	ptool ingest -q -o z.db sizes 2>err
	ask z.db "$axes" | prints_lines '0|name|||||' '1|name|||||'
	for place in tp1_pp0 tp0_pp1 tp0_pp0; do echo "$event}" >"own/trace_$place.json"; done
	ptool ingest -q -o o.db own 2>err
	ask o.db "$axes" | prints_lines '0|axes|0||0||' '1|axes|1||0||' '2|axes|0||1||'
	# replicas that are jobs of their own, each with a rank 0
	for dp in 0 1; do
		for tp in 0 1; do
			echo "$event,\"distributedInfo\":{\"rank\":$tp,\"world_size\":2}}" \
				>"replicas/17.2-TP-$tp-DP-$dp.trace.json"
		done
	done
	ptool ingest -q -o r.db replicas 2>err
	ask r.db "$axes" | prints_lines '0|axes|0|0|||' '1|axes|1|0|||' '2|axes|0|1|||' '3|axes|1|1|||'
	# a rank that was recorded stays, whatever the others lack
	echo "$event,\"distributedInfo\":{\"rank\":5,\"world_size\":8}}" >own/trace_tp0_pp0.json
	ptool ingest -q -o w.db own 2>err
	ask w.db "$axes" | prints_lines '||0||1||' '||1||0||' '5|recording|0||0||'
	# one store each, and all of them again
	mkdir stores
	for file in sglang/*; do ptool ingest -q --run s -o "stores/$(basename "$file").db" "$file"; done
	ptool merge -q -o m.db stores
	ask m.db "$axes" | prints_lines '0|axes|0||0||' '1|axes|1||0||' '2|axes|0||1||' '3|axes|1||1||'
}

@test "process groups tell axes where the recording tells its rank" {
	cat >t.json <<-'EOF'
		{"traceEvents":[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2,"args":{
		 "Collective name":"allreduce","Process Group Description":"mesh_ep","Process Group Ranks":"[1, 5]"},"cat":"cpu_op"}],
		 "distributedInfo":{"pg_config":[{"pg_name":"0","pg_desc":"default_pg","ranks":[0,1,2,3,4,5,6,7]},
		  {"pg_name":"1","pg_desc":"TENSOR_MODEL_PARALLEL_GROUP","ranks":"[4, 5]"},
		  {"pg_name":"2","pg_desc":"mesh_dp","ranks":[1,3,5,7]}],"rank":5,"world_size":8}}
	EOF
	ptool ingest -q t.json
	ask ptool.db 'SELECT rank, tp, dp, pp, ep FROM profile' | prints_lines '5|1|2||1'
	ptool info | grep -qE '^ID  Run +Rank +TP  DP  EP'
}

@test "one rank alone, from its name or from nothing" {
	trace 1 >rank5.json
	run --separate-stderr ptool ingest rank5.json
	says 'ptool: ingest: rank5.json: 1 slice
ptool: ingest: rank 5 is from a file name'
	mkdir one
	trace 1 >one/host.1.pt.trace.json
	trace 1 >one/host.2.pt.trace.json
	run --separate-stderr ptool ingest -o one.db one
	exits 0
	told one.db | prints_lines 'host.1.pt.trace.json|||host|1' 'host.2.pt.trace.json|||host|2'
}

@test "files named as steps are the steps" {
	mkdir steps
	for step in 9 10 11; do trace "$step" >steps/train_step_$step.json; done
	ptool ingest -q steps
	ask ptool.db 'SELECT number, slice_id, ts, dur FROM step ORDER BY id' |
		prints_lines '9||0|85000' '10||0|95000' '11||0|105000'
	ptool top --by step --format ndjson --sort none | grep -oE '"(calls|step)":[0-9]+' | paste - - | sort |
		prints_lines $'"calls":10\t"step":10' $'"calls":11\t"step":11' $'"calls":9\t"step":9'
	ptool top --step 10..11 --format csv | cut -d, -f1,2 | prints_lines 'name,calls' '"work",21'
	[ "$(ask ptool.db 'SELECT count(*) FROM profile WHERE rank IS NOT NULL')" = 0 ]
	run --separate-stderr ptool top --step 12
	exits 3
}

@test "info tells workers, spans and where ranks come from, in 80 columns" {
	mkdir -p logdir
	for worker in a_rather_long_host_name_1234 a_rather_long_host_name_1235; do
		for stamp in 1 2; do trace 1 >logdir/$worker.$stamp.pt.trace.json; done
	done
	ptool ingest -q logdir
	ptool info --format csv | cut -d, -f1,7,9-11 |
		prints_lines profile,rank,rank_source,worker,span \
			'1,0,"order","a_rather_long_host_name_1234",1' '2,0,"order","a_rather_long_host_name_1234",2' \
			'3,1,"order","a_rather_long_host_name_1235",1' '4,1,"order","a_rather_long_host_name_1235",2'
	ptool info | grep -x 'note: no rank was recorded in 4 profiles: they are numbered in the order of their names'
	ptool info | grep -x 'note: 2 workers, device type CPU'
	ptool info | grep -E '^ 4  a_rather_long_host_name_1235 +1 +2 '
	ptool ingest -q --run "$(printf 'name%.0s' {1..30})" logdir
	on_terminal 80 "$PTOOL" info --no-pager --color never | grep -v '^note' >table
	[ "$(wc -l <table)" -ge 10 ]
	[ "$(tr -d '\r' <table | wc -L)" -le 80 ]
}

@test "the first screen of two spans of a worker says of which its steps are" {
	mkdir logdir
	for stamp in 1 2; do
		echo '{"traceEvents":[{"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":1,"ts":1,"dur":9},
			{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":2,"dur":3}]}' >logdir/host.$stamp.pt.trace.json
	done
	ptool logdir 2>/dev/null | grep 'Steps of profile 1: 1, 9.000 us'
}

@test "a reading command takes a folder, cached until a file below it changes" {
	export PTOOL_CACHE=$PWD/cache
	mkdir -p logs/deep
	trace 2 >logs/a.json
	trace 3 >logs/deep/b.json
	echo text >logs/notes
	run --separate-stderr ptool top logs --format csv --by profile
	exits 0
	says 'ptool: top: logs: 2 files, 5 slices read into the cache, 1 other file ignored
ptool: top: no rank was recorded: files are numbered 0 to 1 in the order of their names'
	first=$output
	run --separate-stderr ptool top logs/ --format csv --by profile
	says ''
	prints "$first"
	trace 4 >logs/deep/b.json
	run --separate-stderr ptool top logs --format csv --by profile
	[[ $stderr == *'logs: 2 files, 6 slices read into the cache'* ]]
	trace 1 >logs/c.json
	run --separate-stderr ptool top logs --format csv --by profile
	[[ $stderr == *'logs: 3 files, 7 slices read into the cache'* ]]
	trace 2 >logs/c.json
	run --separate-stderr ptool top -q logs --format csv --by profile
	exits 0
	says ''
	rm logs/c.json
	ptool ingest -q -o logs/ptool.db logs # a store below it is no change
	run --separate-stderr ptool top logs --format csv --by profile
	says ''
	exits 0
}

@test "a folder that could be read only in part says so at every call" {
	export PTOOL_CACHE=$PWD/cache
	mkdir logs
	trace 2 >logs/a.json
	: >logs/b.1.pt.trace.json
	for i in 1 2; do
		run --separate-stderr ptool info logs
		exits 0
		says 'ptool: info: logs/a.json: 2 slices read into the cache
ptool: info: logs/b.1.pt.trace.json: byte 0: the file is empty'
	done
	[ -z "$(ls cache)" ]
	rm logs/a.json
	run --separate-stderr ptool info logs
	exits 4
	says 'ptool: info: logs/b.1.pt.trace.json: byte 0: the file is empty
ptool: info: logs: no trace in it can be read'
}

@test "an archive is read like a folder, its members are paths below it" {
	mkdir logs logs/.hidden
	trace 1 >logs/rank0.json
	trace 2 | gzip -c >logs/rank1.json.gz
	trace 1 >logs/.hidden/rank2.json
	echo text >logs/notes
	tar --format=ustar -cf logs.tar logs/rank0.json logs/rank1.json.gz logs/.hidden ./logs/notes
	tar --format=ustar -czf logs.tgz logs/rank0.json logs/rank1.json.gz
	run --separate-stderr ptool ingest logs.tar
	exits 0
	says 'ptool: ingest: logs.tar/logs/rank0.json: 1 slice
ptool: ingest: logs.tar/logs/rank1.json.gz: 2 slices
ptool: ingest: logs.tar/logs/notes: passed over: no known format
ptool: ingest: ranks 0 to 1 are from file names'
	profiles | prints_lines 'logs.tar/logs/rank0.json|1' 'logs.tar/logs/rank1.json.gz|2'
	[ "$(ask ptool.db 'SELECT name FROM run')" = "$PWD/logs.tar" ]
	ptool ingest -q -o tgz.db logs.tgz
	[ "$(profiles tgz.db | wc -l)" -eq 2 ]
	mkdir both
	mv logs.tar both
	trace 5 >both/rank7.json
	ptool ingest -q -o both.db both
	ask both.db 'SELECT rank FROM profile ORDER BY id' | prints_lines 0 1 7
	ptool info both/logs.tar 2>/dev/null | grep -E '^ 2 '
}

@test "members whose names begin with / or .// or leave the archive are read like any other" {
	trace 1 >t.json
	python3 -c 'import sys, tarfile, zipfile
names = ["/abs/a.json", ".//b.json", "//c.json", "./../../d.json", "e//f.json", "e/./g.json", "/.hidden/h.json"]
with tarfile.open("odd.tar", "w") as t, zipfile.ZipFile("odd.zip", "w") as z:
    for name in names:
        member = t.gettarinfo("t.json")
        member.name = name
        t.addfile(member, open("t.json", "rb"))
        z.writestr(name, open("t.json").read())'
	for archive in odd.tar odd.zip; do
		run --separate-stderr timeout 60 "$PTOOL" ingest -o "$archive.db" "$archive"
		exits 0
		[ "$(grep -o "$archive/.*: 1 slice" <<<"$stderr" | sed "s|^$archive/||; s|: .*||" | sort | paste -sd' ')" = \
			'../../d.json abs/a.json b.json c.json e/./g.json e//f.json' ] || { echo "$stderr"; return 1; }
	done
	only_files t.json odd.tar odd.zip odd.tar.db odd.zip.db
}

@test "a zip archive is one too" {
	mkdir logs
	trace 1 >logs/step_3.json
	trace 2 >logs/step_4.json
	python3 -c 'import zipfile, sys
with zipfile.ZipFile("logs.zip", "w", zipfile.ZIP_DEFLATED) as z:
    for name in sys.argv[1:]:
        z.write(name)' logs/step_3.json logs/step_4.json
	run --separate-stderr ptool ingest logs.zip
	exits 0
	says 'ptool: ingest: logs.zip/logs/step_3.json: 1 slice
ptool: ingest: logs.zip/logs/step_4.json: 2 slices'
	ask ptool.db 'SELECT number FROM step' | prints_lines 3 4
}

@test "an archive that is cut off gives the members before the cut, and exit 4" {
	mkdir logs
	trace 1 >logs/a.json
	trace 9 >logs/b.json
	tar --format=ustar -cf logs.tar logs/a.json logs/b.json
	head -c 2200 logs.tar >cut.tar
	run --separate-stderr ptool ingest cut.tar
	exits 4
	[ "${stderr_lines[0]}" = 'ptool: ingest: cut.tar/logs/a.json: 1 slice' ]
	[[ ${stderr_lines[-1]} == 'ptool: ingest: cut.tar: byte '* ]]
	[ "$(profiles | head -1)" = 'cut.tar/logs/a.json|1' ]
	run ptool ingest -o strict.db --strict cut.tar
	exits 4
	[ ! -e strict.db ]
	mkdir none
	echo text >none/a
	tar --format=ustar -cf none.tar none
	run --separate-stderr ptool ingest -q none.tar
	exits 4
	says 'ptool: ingest: none.tar: no trace in it: 1 file was looked at'
}

@test "names below a folder that could drive a terminal are shown, not obeyed" {
	mkdir logs
	trace 1 >logs/$'a\e[31m\n.json'
	echo text >logs/$'b\e[0m'
	run --separate-stderr ptool ingest logs
	exits 0
	says 'ptool: ingest: logs/a\x1b[31m\n.json: 1 slice
ptool: ingest: logs/b\x1b[0m: passed over: no known format'
}

@test "recordings of TensorBoard's handler" {
	data=$BATS_TEST_DIRNAME/../../../shared/data/torch
	[ -d "$data" ] || skip 'the collection is not beside this checkout'
	ptool ingest -q -o ddp.db "$data/t260_ddp/logdir"
	ask ddp.db 'SELECT rank, rank_source, worker, span FROM profile' |
		prints_lines '0|recording|rank0|1' '1|recording|rank1|1'
	ptool ingest -q -o cycles.db "$data/t2141_tb_cnn/logdir"
	ask cycles.db 'SELECT rank, worker, span FROM profile' | prints_lines '|worker0|1' '|worker0|2'
}

@test "a printed report beside a recording is passed over, and read where it is alone" {
	mkdir logs
	cp "$FIXTURES"/torch/t260_cnn_w0/{table_cpu_time_total_all.txt,trace.json.gz} logs/
	cp "$FIXTURES"/torch/t260_cnn_w0/table_cpu_time_total_10.txt logs/atable.txt
	run --separate-stderr ptool ingest logs
	[ "$status" -eq 0 ]
	printf "%s\n" "$stderr" | prints_lines 'ptool: ingest: logs/trace.json.gz: 4,684 slices' \
		'ptool: ingest: logs/atable.txt: passed over: a printed report or a picture next to recordings would count twice; to read it, give only this file' \
		'ptool: ingest: logs/table_cpu_time_total_all.txt: passed over: a printed report or a picture next to recordings would count twice; to read it, give only this file'
	(cd logs && python3 -m zipfile -c ../logs.zip ./*)
	run --separate-stderr ptool ingest -q --run zip logs.zip
	[ "$status" -eq 0 ]
	profiles | prints_lines 'logs/trace.json.gz|4684' 'logs.zip/trace.json.gz|4684'
	mkdir drawn && cp "$FIXTURES"/samples/{pyspy.svg.gz,pyspy_raw.txt} drawn/
	ptool ingest -q -o drawn.db drawn
	ask drawn.db 'SELECT dialect FROM profile' | prints_lines collapsed
	rm logs/trace.json.gz
	run --separate-stderr ptool top -n1 --format csv logs
	[ "$status" -eq 0 ]
	printf "%s\n" "$stderr" | prints_lines 'ptool: top: logs: 2 files, 108 operators read into the cache' \
		'ptool: top: no rank was recorded: files are numbered 0 to 1 in the order of their names'
	run --separate-stderr ptool ingest -q -o both.db logs logs/../logs/atable.txt "$FIXTURES/torch/t260_cnn_w0/trace.json.gz"
	ask both.db "SELECT count(*) FROM profile" | prints_lines 3
}

@test "flame and pstats draw the slices of a folder of stores, as tree does" {
	mkdir ranks
	for rank in 0 1; do
		ptool ingest -q -o ranks/$rank.db "$FIXTURES/gpu/collectives_rank$rank.json"
	done
	ptool ingest -q -o one.db "$FIXTURES"/gpu/collectives_rank?.json
	for operand in ranks one.db; do
		ptool flame -q --to text -o ${operand%.db}.txt "$operand"
		ptool flame -q -o ${operand%.db}.svg --base "$operand" "$operand"
		ptool pstats --format csv "$operand" >${operand%.db}.csv
	done
	[ -s one.txt ]
	diff <(tail -n +3 ranks.txt) <(tail -n +3 one.txt)
	cmp ranks.csv one.csv
	ptool pstats -q "$FIXTURES/gpu/copies.json" ranks >/dev/null
	[ "$(ptool flame -q --rank 1 --to text ranks)" != "$(cat ranks.txt)" ]
}

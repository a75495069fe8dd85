#!/usr/bin/env bats
# ptool flame, as users see it.  The amounts are held against folded stacks and the slices
# of stores in tests/pyprof/check_flame.py.

load setup

TRACE=$TORCH/t2141_cnn_w0/trace.json.gz
PROF=$FIXTURES/pyprof/pstats/sys311/w_gen.prof

# Reads XML as strictly as can be; prints the titles of the boxes.
titles() { # SVG
	python3 - "$1" <<'PY'
import sys
import xml.etree.ElementTree as tree

SVG = "{http://www.w3.org/2000/svg}"
root = tree.parse(sys.argv[1]).getroot()
assert {e.tag for e in root.iter()} <= {SVG + t for t in ("svg", "title", "style", "rect", "text", "g", "script")}
for group in root.find(f"{SVG}g[@id='boxes']"):
    print(group.find(SVG + "title").text.replace("\n", " | "))
PY
}

@test "flame: a picture in a pipe, and at 80 and 120 columns of a terminal" {
	cp "$TRACE" a.json.gz
	ptool flame -q a.json.gz | like_golden flame_pipe.txt
	on_terminal 80 "$PTOOL" flame --color never -q a.json.gz | like_golden flame_80.txt
	on_terminal 120 "$PTOOL" flame --color always -q a.json.gz | like_golden flame_120_color.txt
	NO_COLOR=1 on_terminal 80 "$PTOOL" flame -q a.json.gz | like_golden flame_80.txt
}

@test "flame: device time below its launches, and callers of what took time" {
	cp "$EVERYTHING" a.json
	ptool flame -q a.json --weight device --width 80 | like_golden flame_device.txt
	ptool flame -q a.json --inverted --width 80 --min 2 | like_golden flame_inverted.txt
}

@test "flame: of very many boxes callers of what is too small to see are left out" {
	awk 'BEGIN { while (i < 70) path = path "f" i++ ";"; while (n < 17000) print path "g" n++ " 1"; print path "h 1000" }' >a.folded
	ptool flame -q a.folded --inverted --width 80 >out
	grep -qx 'paths below 0.1% of the time were not followed' out
	grep -q f7 out # 63 levels above h, which is large enough
	tail -n 9000 a.folded >b.folded
	! ptool flame -q b.folded --inverted --width 80 | grep -q followed
}

@test "flame: an estimate of a call graph, and samples, say what they are" {
	cp "$PROF" a.prof
	ptool flame -q a.prof --width 80 | like_golden flame_estimated.txt
	printf 'main;train (t.py);step (t.py) 70\nmain;train (t.py) 20\nmain;load 10\n' >a.folded
	ptool flame -q a.folded --width 60 | like_golden flame_samples.txt
}

@test "flame: a comparison says by signs what takes more and less, and what is gone" {
	printf 'main;same 50\nmain;grown 20\nmain;shrunk 40\nmain;gone 10\n' >before.folded
	printf 'main;same 50\nmain;grown 40\nmain;shrunk 20\nmain;new 10\n' >after.folded
	ptool flame -q after.folded --base before.folded --width 80 | like_golden flame_diff.txt
	ptool flame -q after.folded --base before.folded -o a.svg
	titles a.svg | like_golden flame_diff_svg.txt
}

@test "flame: no more lines than the terminal has; chains of calls share a box" {
	python3 -c "print(';'.join(f'level{i}' for i in range(100)), 7)" >deep.folded
	ptool flame -q deep.folded --height 20 --width 50 | like_golden flame_deep.txt
	ptool ingest -q -o two.db deep.folded
	[ "$(on_terminal 80 "$PTOOL" flame --color never two.db | wc -l)" -lt 24 ]
	ptool flame deep.folded -q --root-at 'level9[0-9]' --height 30 | grep -q '^▌level99'
}

@test "flame: ASCII alone where the locale has no more" {
	cp "$TRACE" a.json.gz
	LC_ALL=C ptool flame -q a.json.gz --inverted >out
	run -1 grep -nP '[^\x00-\x7f]' out
}

@test "flame: filters are those of tree, and one that leaves nothing is named" {
	cp "$TRACE" a.json.gz
	ptool flame -q a.json.gz --focus conv2d --step 3 | grep -q '100% is'
	run -3 --separate-stderr ptool flame -q a.json.gz --focus '^nothing$'
	says "ptool: flame: a.json.gz: --focus '^nothing\$' matches no name"
	run -3 --separate-stderr ptool flame -q a.json.gz --weight device
	says "ptool: flame: a.json.gz: --weight device: no device work was recorded (ProfilerActivity.CUDA)"
	echo '{"traceEvents":[{"ph":"X","cat":"cpu_op","name":"f","pid":1,"tid":1,"ts":1,"dur":0}]}' >none.json
	run -3 --separate-stderr ptool flame -q none.json
	says "ptool: flame: none.json: no call took any time"
	printf 'a;b 9000000000000000000\na;c 9000000000000000000\nd 9\n' >huge.folded
	[ "$(ptool flame -q huge.folded --width 40 | wc -L)" -le 60 ]
	run -2 --separate-stderr ptool flame -q a.json.gz --min x
	says "ptool: flame: --min wants 0 to 100 percent or a time with its unit (1ms), not 'x'"
	run -4 --separate-stderr ptool flame -q a.json.gz --base missing.json
	[[ $stderr == "ptool: flame: missing.json: "* ]]
}

@test "flame: an SVG is whole or not there, and replaces nothing unasked" {
	cp "$TRACE" a.json.gz
	ptool flame -q a.json.gz -o a.svg
	titles a.svg | head -n 12 | like_golden flame_svg.txt
	cp a.svg b.svg
	run -2 --separate-stderr ptool flame -q a.json.gz -o a.svg
	says "ptool: flame: a.svg exists; -f replaces it"
	ptool flame -q a.json.gz -o a.svg -f
	cmp a.svg b.svg
	run -2 --separate-stderr ptool flame -q a.json.gz -o a.png
	says "ptool: flame: a.png: no picture format has this suffix; name one with --to"
	for to in text svg html; do
		run -5 --separate-stderr ptool flame -q a.json.gz --to $to -o /dev/full
		says "ptool: flame: /dev/full: No space left on device"
	done
	ptool flame -q a.json.gz --to html | head -c 9 >/dev/null
	only_files a.json.gz a.svg b.svg
}

@test "flame: hostile names are text in every picture" {
	python3 - <<'PY'
import json

names = ["<script>alert(1)</script>", "]]>&\"'", "a\u202eb\x01\ufffe", "</title></svg>", "x" * 100000]
json.dump({"traceEvents": [{"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1,
    "ts": 10 * i, "dur": 5 + i} for i, name in enumerate(names)]}, open("a.json", "w"))
PY
	ptool flame -q a.json -o a.svg
	[ "$(titles a.svg | wc -l)" -eq 6 ]
	titles a.svg | grep -qF '<script>alert(1)</script> | '
	[ "$(grep -c '<script>' a.svg)" -eq 1 ]
	run -1 grep -nP '\x01|\xef\xbf\xbe|\xe2\x80\xae' a.svg
	ptool flame -q a.json >out
	run -1 grep -nP '\x01|\xe2\x80\xae' out
	ptool flame -q a.json -o a.html
	[ "$(grep -o '<script' a.html | wc -l)" -eq 4 ] # the three of the data and ours
	run -1 grep -niP '<script>alert|</title></svg>|\x01|\xe2\x80\xae' a.html
	ptool flame -q a.json -o b.html
	cmp a.html b.html
}

@test "a built-in that does not fit is its function's name" {
	echo 'main;<built-in method run_backward of torch._C._EngineBase object at 0x7f5a3c0> 5' >stacks.txt
	COLUMNS=50 ptool flame -q stacks.txt | grep -q '^.run_backward 100%'
}

#!/usr/bin/env bats
# What a trace may be packed and encoded in, whatever its name says.

load setup

# All that a store holds but the profile's path and size and the codes of findings.
holds() { # STORE
	sqlite3 -readonly "$1" .dump | grep -vE '^INSERT INTO (profile|finding) '
	columns=$(ask "$1" "SELECT group_concat(name) FROM pragma_table_info('profile')
		WHERE name NOT IN ('path', 'bytes', 'mtime_ns')")
	ask "$1" "SELECT $columns FROM profile"
}

# Codes of the findings that are about the encoding, and of the others.
encoding() { # STORE
	ask "$1" "SELECT code FROM finding WHERE code IN ('utf16', 'byte_order_mark')"
}

others() { # STORE
	ask "$1" "SELECT code FROM finding WHERE code NOT IN ('utf16', 'byte_order_mark') ORDER BY 1"
}

# The files give the same store as the trace, and this finding about their encoding.
same_as() { # TRACE CODE FILE...
	trace=$1 code=$2
	shift 2
	ptool ingest -q -o plain.db --run r "$trace"
	holds plain.db >plain
	[ "$(grep -c 'INSERT INTO slice_row' plain)" -gt 30 ]
	for file; do
		rm -f packed.db
		ptool ingest -q -o packed.db --run r "$file"
		diff plain <(holds packed.db)
		[ "$(encoding packed.db)" = "$code" ]
		diff <(others plain.db) <(others packed.db)
	done
}

to_utf16() { # CODEC MARK: stdin to stdout
	python3 -c 'import sys
codec, mark = sys.argv[1:]
text = sys.stdin.buffer.read().decode()
sys.stdout.buffer.write((mark.replace("mark", "\ufeff") + text).encode(codec))' "$@"
}

@test "zstd is undone as gzip is, whatever the name says" {
	trace=$GPU/copies.json
	zstd -q "$trace" -o trace.json.zst
	zstd -q --no-check -19 "$trace" -o trace.json
	zstd -q "$trace" -o trace.json.gz
	gzip -c "$trace" >trace.zst
	cp "$trace" plain.json.zst
	{ head -c 5000 "$trace" | zstd -q; tail -c +5001 "$trace" | zstd -q; } >frames
	gzip -c "$trace" | zstd -q >both
	zstd -qc "$trace" | gzip >both.gz
	same_as "$trace" '' trace.json.zst trace.json trace.json.gz trace.zst plain.json.zst frames both both.gz
}

@test "zstd comes through a pipe" {
	ptool ingest -q -o a.db --run r "$GPU/copies.json"
	zstd -qc "$GPU/copies.json" | ptool ingest -q -o b.db --run r -
	diff <(holds a.db) <(holds b.db)
}

@test "UTF-16 of either byte order is converted, and that is told" {
	for codec in utf-16-le utf-16-be; do
		to_utf16 $codec mark <"$GPU/graph.json" >$codec.marked
		to_utf16 $codec '' <"$GPU/graph.json" >$codec
		to_utf16 $codec ' ' <"$GPU/graph.json" | zstd -q >$codec.zst
	done
	# A finding is a text more, and counts in the numbers of all texts.
	{ printf '\357\273\277'; cat "$GPU/graph.json"; } >marked.json
	same_as marked.json utf16 utf-16-le utf-16-be utf-16-le.marked utf-16-be.marked \
		utf-16-le.zst utf-16-be.zst
}

@test "characters beyond the first 65,536 and lone halves survive UTF-16" {
	python3 - <<-'END'
		event = '[{"ph":"X","name":"é € \U0001f680 HALF","pid":1,"tid":1,"ts":1,"dur":2}]'
		text = event.encode('utf-16-le').replace('HALF'.encode('utf-16-le'), b'\x3d\xd8')
		open('names.json', 'wb').write(text)
	END
	ptool ingest -q names.json
	[ "$(ask ptool.db 'SELECT name FROM slice')" = $'é € \U0001f680 \ufffd' ]
}

@test "--strict takes compression and a byte order mark, and refuses UTF-16" {
	to_utf16 utf-16-le mark <"$GPU/copies.json" >wide.json
	run --separate-stderr ptool ingest --strict wide.json
	exits 4
	says 'ptool: ingest: wide.json: byte 0: the text is UTF-16'
	[ ! -e ptool.db ]
	{ printf '\357\273\277'; cat "$GPU/copies.json"; } | zstd -q >marked
	ptool ingest -q --strict marked
}

@test "a byte order mark is told as a remark" {
	{ printf '\357\273\277'; cat "$GPU/copies.json"; } >marked.json
	ptool ingest -q marked.json
	[ "$(ask ptool.db "SELECT severity, count, first_offset FROM finding
		WHERE code = 'byte_order_mark'")" = 'info|1|0' ]
}

@test "a zstd file that is cut off is stored up to the cut" {
	for frame in $(seq 0 30); do
		tail -c +$((1 + frame * 3000)) "$GPU/one_stream.json" | head -c 3000 | zstd -q
	done | head -c 15000 >cut.json.zst
	run --separate-stderr ptool ingest cut.json.zst
	exits 0
	[[ $stderr == *'warnings or errors; '* ]]
	[ "$(ask ptool.db 'SELECT code FROM finding WHERE severity = '\''error'\'' ORDER BY 1')" = $'compression\ntruncated' ]
	[ "$(ask ptool.db 'SELECT slices FROM profile')" -gt 30 ]
	for _ in first cached; do # numbers of a part are not taken for all
		run --separate-stderr ptool steps cut.json.zst
		exits 0
		[[ $stderr == *'the file is cut off, '* ]]
	done
	run --separate-stderr ptool ingest --strict -o strict.db cut.json.zst
	exits 4
	[ ! -e strict.db ]
}

@test "compression that cannot be undone is refused in one line" {
	zstd -qc "$GPU/copies.json" | head -c 100 >short.zst
	printf '\050\265\057\375\000\240\001\000\000' >window.zst # of 1 GiB
	cat "$GPU/copies.json" | gzip | gzip | gzip | zstd -q >deep
	run --separate-stderr ptool ingest short.zst window.zst deep
	exits 4
	says "ptool: ingest: short.zst: byte 0: zstd stream ends early
ptool: ingest: window.zst: byte 0: zstd frame wants a window of more than 128 MiB (compress it again without --long)
ptool: ingest: deep: byte 0: compressed more than 3 times over"
	[ ! -e ptool.db ]
}

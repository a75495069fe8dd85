#!/usr/bin/env bats
# ptool mcp: messages of a client, well meant and hostile, and what it may read.

load setup

setup_file() {
	mkdir -p "$BATS_FILE_TMPDIR/in/ranks" "$BATS_FILE_TMPDIR/in/own" "$BATS_FILE_TMPDIR/out"
	cd "$BATS_FILE_TMPDIR" || return 1
	ptool ingest -q -o in/s.db "$GPU/copies.json"
	cp in/s.db out/secret.db
	cp "$GPU/copies.json" in/ranks/rank0.json
	cp "$GPU/copies.json" in/own/rank0.json
	ln -s ../out/secret.db in/link.db
	ln -s ../in/s.db in/inner.db
	ln -s ../../out/secret.db in/ranks/rank1.json
	mkfifo in/pipe
}

# Answers of "ptool mcp in" to the lines on stdin.
serve() {
	(cd "$BATS_FILE_TMPDIR" && ptool mcp "$@")
}

# Calls a tool with the arguments, a text of JSON; prints the text of the answer and
# "error" or "answer".
call() { # TOOL ARGUMENTS
	printf '{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"%s","arguments":%s}}\n' "$1" "$2" |
		serve in | python3 -c '
import json, sys
(line,) = sys.stdin.read().splitlines()
j = json.loads(line)
assert j["jsonrpc"] == "2.0" and j["id"] == "x", j
if "error" in j:
    print(j["error"]["message"] + "\nrefused")
else:
    (content,) = j["result"]["content"]
    print(content["text"].removesuffix("\n") + ("\nerror" if j["result"]["isError"] else "\nanswer"))'
}

@test "the handshake, ping and the list of tools, one line a request" {
	serve in >replies <<-'E'
		{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}
		{"jsonrpc":"2.0","method":"notifications/initialized"}

		{"jsonrpc":"2.0","id":"a\"\u0041","method":"ping"}
		{"jsonrpc":"2.0","id":2,"method":"tools/list"}
		{"jsonrpc":"2.0","id":3,"result":{}}
		{"jsonrpc":"2.0","id":4,"method":"initialize","params":{"protocolVersion":"1999-01-01"}}
		{"jsonrpc":"2.0","id":"","method":"ping"}
		{"jsonrpc":"2.0","id":null,"result":{}}
		{"jsonrpc":"2.0","id":5,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}
		{"jsonrpc":"2.0","id":6,"method":"initialize","params":{"protocolVersion":"2024-11-05"}}
	E
	python3 - <<-'E'
		import json
		replies = [json.loads(line) for line in open("replies")]
		assert [r["id"] for r in replies] == [0, 'a"A', 2, 4, "", 5, 6], replies
		# no batches are read, which 2025-03-26 wants
		assert replies[0]["result"]["protocolVersion"] == "2024-11-05"
		assert [r["result"]["protocolVersion"] for r in replies[5:]] == ["2025-06-18", "2024-11-05"]
		assert replies[3]["result"]["protocolVersion"] == "2025-06-18"
		assert replies[1]["result"] == {}
		tools = {t["name"]: t["inputSchema"] for t in replies[2]["result"]["tools"]}
		assert set(tools) == {"overview", "advise", "query", "diff", "sql", "help"}
		assert "top" in tools["query"]["properties"]["command"]["enum"]
		assert tools["diff"]["required"] == ["before", "after"]
	E
}

@test "a tool's answer is what the command prints" {
	cd "$BATS_FILE_TMPDIR"
	for file in s.db inner.db "$PWD/in/s.db" ./../in/s.db; do
		call query "{\"command\":\"list\",\"file\":\"$file\",\"options\":{\"limit\":2,\"sort\":\"dur\",\"cat\":[\"kernel\",\"gpu_memcpy\"],\"wide\":true,\"names\":null}}" >"$BATS_TEST_TMPDIR/got"
		{ ptool list --limit 2 --sort dur --cat kernel --cat gpu_memcpy --wide in/s.db; echo answer; } |
			diff - "$BATS_TEST_TMPDIR/got"
	done
	call sql '{"file":"s.db","query":"SELECT count(*) AS n FROM slice","format":"csv"}' |
		diff <(ptool sql --format csv in/s.db 'SELECT count(*) AS n FROM slice'; echo answer) -
	call diff '{"before":"s.db","after":["s.db"],"format":"json"}' |
		diff <(ptool diff --format json in/s.db -- in/s.db; echo answer) -
	call help '{"command":"gaps"}' | diff <(ptool help gaps; echo answer) -
	call overview '{"file":"s.db"}' | grep -q '^answer$'
}

@test "a budget cuts the answer; what is not recorded is no problem found" {
	call query '{"command":"list","file":"s.db","budget":100}' >got
	[ "$(wc -c <got)" -lt 400 ]
	grep -q 'for --budget 100' got
	call help '{"command":"top","budget":50}' >got
	grep -qx '... cut to 50 tokens' got
	for format in parquet torch pstats; do # the last two are not cut
		call query "{\"command\":\"top\",\"file\":\"s.db\",\"format\":\"$format\"}" |
			diff <(printf '%s\n' "'format' must be table, json, csv or markdown, not $format" error) -
	done
	call query '{"command":"comm","file":"s.db"}' >got
	grep -q '"status":"not_recorded"' got
	[ "$(tail -n 1 got)" = answer ]
	call query '{"command":"list","file":"s.db","options":{"focus":"zzz"}}' | grep -q '"status":"nothing_matched"'
}

@test "nothing outside of the folders is read, and nobody learns what is there" {
	for file in ../out/secret.db "$BATS_FILE_TMPDIR/out/secret.db" link.db /etc/passwd ../nothing \
		nothing pipe '' '-' ranks 's.db\u0000' 'clickhouse://localhost/x' '--help' in2; do
		call query "{\"command\":\"info\",\"file\":\"$file\"}" >got
		[ "$(tail -n 1 got)" = error ] || { cat got; return 1; }
		[[ $file == *u0000 ]] || grep -q 'is not a file in the folders that this server reads' got ||
			{ echo "$file"; cat got; return 1; }
	done
	# a folder whose name begins alike is another
	mkdir -p "$BATS_FILE_TMPDIR/in2"
	call query '{"command":"info","file":"../in2"}' | grep -q 'is not a file in'
	call sql "{\"file\":\"s.db\",\"query\":\"ATTACH '$BATS_FILE_TMPDIR/out/secret.db' AS o\"}" | grep -q 'not allowed'
	call diff '{"before":"s.db","after":"../out/secret.db"}' | tail -n 1 | grep -qx error
	# nor by a pattern, or by naming nothing, which would be the default store
	secret=$BATS_FILE_TMPDIR/out/secret.db
	call diff "{\"before\":[],\"after\":[],\"options\":{\"base\":\"$secret\",\"new\":\"$secret\"}}" >got
	[ "$(tail -n 1 got)" = error ]
	call diff "{\"before\":\"s.db\",\"after\":\"s.db\",\"options\":{\"new\":\"$secret\"}}" | grep -q "unknown option 'new'"
	PTOOL_STORE=$secret call overview '{"file":[]}' | grep -q "'file' is missing"
	# nor by a pattern, which a command that has none would take for a file
	for command in pstats top trend; do
		call query "{\"command\":\"$command\",\"file\":\"s.db\",\"pattern\":\"$secret\"}" >got
		diff - got <<<"'$command' takes no 'pattern'"$'\nerror'
	done
	call query '{"command":"callers","file":"s.db"}' | grep -qx "'pattern' is missing or is not a string"
	for file in s.db own; do # of a pattern nobody asks whether it is a file
		call query "{\"command\":\"callers\",\"file\":\"$file\",\"pattern\":\"$secret\"}" >there
		call query "{\"command\":\"callers\",\"file\":\"$file\",\"pattern\":\"$secret-\"}" >missing
		diff <(sed "s|$secret-|$secret|g" missing) there
	done
}

@test "nothing is written: commands and options that write or name files are refused" {
	for command in rm ingest export report sql merge lines view mcp help zzz '--version' ''; do
		call query "{\"command\":\"$command\",\"file\":\"s.db\"}" >got
		grep -q '^unknown command ' got || { echo "$command"; cat got; return 1; }
	done
	call query '{"command":"stpes","file":"s.db"}' | grep -q "did you mean 'steps'?"
	call query '{"command":"top","file":"s.db","options":{"lmit":2}}' | grep -q "did you mean 'limit'?"
	for option in format budget; do
		call query "{\"command\":\"top\",\"file\":\"s.db\",\"options\":{\"$option\":50}}" |
			diff <(printf '%s\n' "'$option' is an argument of the tool, not one of its options" error) -
	done
	for option in output o 'output=x' force base help 'limit=1' '' 'a b'; do
		call query "{\"command\":\"top\",\"file\":\"s.db\",\"options\":{\"$option\":\"made\"}}" >got
		[ "$(tail -n 1 got)" = error ] || { echo "$option"; cat got; return 1; }
	done
	call query '{"command":"top","file":"s.db","options":{"sort":"--output=made"}}' | grep -q "unknown sort key '--output=made'"
	call query '{"command":"callers","pattern":"--output=made","file":"s.db"}' >got
	[ -z "$(find "$BATS_FILE_TMPDIR" -name made)" ]
}

@test "what is no request is told, and the next is answered" {
	{
		echo '{"jsonrpc":"2.0","id":1,'
		echo '[1]'
		echo 'null'
		echo '{"id":{"a":1},"method":"ping"}'
		echo '{"id":1,"method":5}'
		echo '{"id":null,"method":"ping"}'
		echo '{"id":1,"method":"no/such"}'
		echo '{"id":1,"method":"tools/call"}'
		echo '{"id":1,"method":"tools/call","params":{"name":"rm"}}'
		echo '{"id":1,"method":"tools/call","params":{"name":"query","arguments":{"command":[]}}}'
		echo '{"id":1,"method":"tools/call","params":{"name":"query","arguments":{"command":"top","file":{}}}}'
		echo '{"id":1,"method":"tools/call","params":{"name":"query","arguments":{"command":"top","file":"s.db","options":[]}}}'
		echo '{"id":1,"method":"tools/call","params":{"name":"query","arguments":{"command":"top","file":"s.db","budget":-1}}}'
		echo '{"id":1,"method":"tools/call","params":{"name":"query","arguments":{"command":"top","file":"s.db","options":{"limit":{}}}}}'
		python3 -c 'print("[" * 200000)'
		python3 -c 'print("{\"id\":1,\"method\":\"ping\",\"x\":\"" + "y" * 2000000 + "\"}")'
		python3 -c 'import json; print(json.dumps({"id": 1, "method": "tools/call", "params": {"name": "query", "arguments": {"command": "top", "file": ["s.db"] * 500}}}))'
		printf '{"id":\x01\xff}\n'
		echo '{"jsonrpc":"2.0","id":9,"method":"ping"}'
	} | serve in >replies
	python3 - <<-'E'
		import json
		replies = [json.loads(line) for line in open("replies")]
		assert len(replies) == 19, len(replies)
		assert replies[-1] == {"jsonrpc": "2.0", "id": 9, "result": {}}
		codes = [r["error"]["code"] if "error" in r else r["result"]["isError"] for r in replies[:-1]]
		assert codes == [-32700, -32600, -32600, -32600, -32600, -32600, -32601, -32602, -32602, True, True, True,
		                 True, True, -32700, -32600, True, -32700], codes
		assert replies[15]["error"]["message"] == "a request of more than 1 MiB", replies[15]
	E
}

@test "an answer of more than 16 MiB is broken off, whatever its budget" {
	answer() { # ROWS: 140 bytes of each are shown
		echo '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sql","arguments":{"file":"s.db","budget":9000000,"query":"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT '"$1"'), t AS (SELECT hex(zeroblob(49)) AS a) SELECT a, a AS b, a AS c, a AS d, a AS e, a AS f, a AS g, a AS h, a AS i, a AS j FROM n, t"}}}' |
			serve in
	}
	answer 1000 | grep -q '1,000 rows.*"isError":false'
	answer 125000 | grep -q 'it writes more than 16 MiB; ask for less.*"isError":true'
}

@test "an answer that takes too long is broken off" {
	echo '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sql","arguments":{"file":"s.db","query":"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"}}}' |
		serve --timeout 200ms in | grep -q 'it takes too long; ask for less.*"isError":true'
}

@test "an answer that is broken off leaves no temporary store, nor one whose server is ended" {
	export TMPDIR=$PWD/tmp PTOOL_CACHE=/dev/null/none
	mkdir tmp in
	python3 - <<-'E'
		import glob, json, os, signal, subprocess
		event = {"ph": "X", "cat": "cpu_op", "pid": 1, "tid": 1, "dur": 1}
		with open("in/t.json", "w") as trace:
		    json.dump({"traceEvents": [event | {"name": f"a{i}", "ts": 2 * i} for i in range(100000)]}, trace)
		def serve(*options):
		    """A server whose answer is stopped in the midst of reading the trace."""
		    server = subprocess.Popen([os.environ["PTOOL"], "mcp", *options, "in"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
		    server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
		        "name": "overview", "arguments": {"file": "t.json"}}}) + "\n")
		    server.stdin.flush()
		    while not glob.glob("tmp/**/ptool.db*", recursive=True):
		        assert server.poll() is None
		    with open(f"/proc/{server.pid}/task/{server.pid}/children", encoding="ascii") as children:
		        os.kill(int(children.read()), signal.SIGSTOP)
		    assert glob.glob("tmp/**/ptool.db*", recursive=True)
		    return server
		server = serve("--timeout", "2s")
		assert "it takes too long" in server.stdout.readline()
		assert os.listdir("tmp") == [], os.listdir("tmp")
		server.stdin.close()
		assert server.wait() == 0
		server = serve()
		server.send_signal(signal.SIGTERM)
		assert server.wait() == -signal.SIGTERM
		assert server.stdout.read() == ""
		assert os.listdir("tmp") == [], os.listdir("tmp")
	E
}

@test "its own command line: 2, 4, 5; help" {
	run --separate-stderr ptool mcp --timeout 5
	exits 2
	run --separate-stderr ptool mcp --budget 0
	exits 2
	run --separate-stderr ptool mcp nowhere
	exits 4
	run --separate-stderr ptool mcp "$BATS_FILE_TMPDIR/in/s.db"
	exits 4
	[[ $stderr == "ptool: mcp: "*"s.db is not a folder" ]]
	run --separate-stderr sh -c 'echo "{\"id\":1,\"method\":\"ping\"}" | "$PTOOL" mcp . >/dev/full'
	exits 5
	run --separate-stderr sh -c '"$PTOOL" mcp . </'
	exits 5
	says "ptool: mcp: standard input: Is a directory"
}

# A socket that its sender resets: reading fails in the midst of a line that would be a whole request.
# A SIGBUS that somebody sends is not that of a page: it kills, as it would any program.
@test "a line that reading breaks off is no request; a signal that is sent kills" {
	python3 - <<-'E'
		import os, signal, socket, struct, subprocess

		PING = '{"jsonrpc":"2.0","id":%d,"method":"ping"}'

		def start():
		    """The server, whose input is the second; the first is its client's end of it."""
		    with socket.create_server(("127.0.0.1", 0)) as listening:
		        ours = socket.create_connection(listening.getsockname())
		        theirs, _ = listening.accept()
		    server = subprocess.Popen([os.environ["PTOOL"], "mcp", "."], stdin=theirs,
		                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
		    theirs.close()
		    return server, ours

		def answers(server, n):
		    line = server.stdout.readline()
		    assert line == '{"jsonrpc":"2.0","id":%d,"result":{}}\n' % n, line

		server, ours = start()
		ours.sendall((PING % 1 + "\n" + PING % 2).encode())
		answers(server, 1)
		ours.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
		ours.close()
		out, said = server.communicate()
		assert server.returncode == 5 and out == "", (server.returncode, out)
		assert said == "ptool: mcp: standard input: Connection reset by peer\n", said

		server, ours = start()  # where it ends, the line is whole
		ours.sendall((PING % 2).encode())
		ours.close()
		answers(server, 2)
		assert server.wait() == 0

		if os.environ.get("VALGRIND"):
		    raise SystemExit  # which keeps such a signal to itself
		server, ours = start()
		ours.sendall((PING % 1 + "\n").encode())
		answers(server, 1)
		server.send_signal(signal.SIGBUS)
		out, said = server.communicate()
		assert server.returncode == -signal.SIGBUS and not out + said, (server.returncode, out, said)
	E
}

@test "a pipe that the client has made non-blocking is waited for" {
	cd "$BATS_FILE_TMPDIR"
	python3 - "$PTOOL" <<-'E'
		import os, subprocess, sys, time
		end, pipe = os.pipe()
		os.set_blocking(end, False)
		server = subprocess.Popen([sys.argv[1], "mcp", "in"], stdin=end, stdout=subprocess.PIPE)
		os.close(end)
		time.sleep(0.2)
		os.write(pipe, b'{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
		os.close(pipe)
		assert server.communicate()[0] == b'{"jsonrpc":"2.0","id":1,"result":{}}\n'
		assert server.returncode == 0
	E
}

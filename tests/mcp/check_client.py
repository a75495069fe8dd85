#!/usr/bin/env python3
"""check_client.py: `ptool mcp` with a client of others: the package mcp of PyPI.

Skipped where that is not installed: python3 -m pip install mcp.
"""
import asyncio
import os
import subprocess
import sys
import tempfile

PTOOL = os.environ["PTOOL"]
FIXTURES = os.environ["FIXTURES"]


async def talk(folder, mcp, stdio):
    parameters = mcp.StdioServerParameters(command=PTOOL, args=["mcp", folder])
    async with stdio.stdio_client(parameters) as streams:
        async with mcp.ClientSession(*streams) as session:
            await session.initialize()
            tools = {tool.name for tool in (await session.list_tools()).tools}
            answers = {}
            for name, arguments in {
                "overview": {"file": "s.db"},
                "query": {"command": "kernels", "file": "s.db", "options": {"limit": 2}},
                "sql": {"file": "s.db", "query": "SELECT count(*) FROM slice"},
            }.items():
                answer = await session.call_tool(name, arguments)
                answers[name] = answer.content[0].text
            refused = await session.call_tool("overview", {"file": "/etc/passwd"})
            failed = getattr(refused, "is_error", None)
            return tools, answers, refused.isError if failed is None else failed


def main():
    try:
        import mcp
        from mcp.client import stdio
    except ImportError:
        print("1..0 # SKIP the package mcp of PyPI is not installed")
        return
    print("1..3")
    with tempfile.TemporaryDirectory() as folder:
        store = os.path.join(folder, "s.db")
        subprocess.run([PTOOL, "ingest", "-q", "-o", store, os.path.join(FIXTURES, "gpu", "copies.json")], check=True)
        tools, answers, is_refused = asyncio.run(talk(folder, mcp, stdio))
        wanted = subprocess.run([PTOOL, "kernels", "-n", "2", store], check=True, capture_output=True, text=True).stdout
    results = [
        (tools == {"overview", "advise", "query", "diff", "sql", "help"}, "it lists the tools"),
        (answers["query"] == wanted and "count(*)" in answers["sql"] and "Devices" in answers["overview"], "answers are those of the commands"),
        (is_refused, "a file outside is an error"),
    ]
    for i, (is_right, what) in enumerate(results, 1):
        print("ok" if is_right else "not ok", i, what)
    sys.exit(not all(is_right for is_right, _ in results))


main()

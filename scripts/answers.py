#!/usr/bin/env python3
"""answers.py PTOOL OUT [FOLDER...]: what every command answers, for comparison.

Writes the csv and json of each reading command with its main options, of every
trace and profile under the folders (tests/fixtures without any), one file each
into OUT.  To see what a change of the code changes in answers:

    scripts/answers.py old/ptool /tmp/old; scripts/answers.py build/ptool /tmp/new
    diff -r /tmp/old /tmp/new
"""
import concurrent.futures
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
QUESTIONS = [
    "top --limit 0", "top --by shape --limit 0", "top --by step,thread --limit 0",
    "top --by annotation --limit 0", "top --tensor-cores --limit 0", "steps", "steps --phases",
    "steps --bounds tensorboard", "devices", "streams", "streams --by-time 7",
    "roofline --limit 0", "steps --mfu", "kernels --limit 0", "kernels --by op,stream,step --launches --copies --limit 0",
    "gaps", "gaps --by op", "gaps --by stream", "gaps --by step", "gaps --inner", "gaps --list",
    "advise", "advise --evidence", "transfers", "transfers --by op", "transfers --by step",
    "transfers --list", "comm", "comm --ranks", "modules", "compile", "memory", "memory --stats",
    "memory --live", "memory --events", "memory --curve", "memory --growth", "tree",
    "tree --kernels", "callers .", "callees .", "info", "list", "doctor",
]
LIMIT_S = 60


def inputs(folder):
    for top, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            if name.endswith((".json", ".json.gz", ".prof", ".pstats", ".pickle", ".db")):
                yield os.path.join(top, name)


def ask(ptool, path, out):
    """Every question about one file; a file each, with the exit status at its end."""
    os.makedirs(out, exist_ok=True)
    for question in QUESTIONS:
        for form in ("csv", "json"):
            words = question.split()
            argv = [ptool, words[0], *words[1:], path, "--format", form]
            if words[0] in ("callers", "callees"):
                argv = [ptool, words[0], words[1], path, "--format", form]
            try:
                done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                      timeout=LIMIT_S, check=False)
                text = done.stdout + b"exit %d\n" % done.returncode
            except subprocess.TimeoutExpired:
                text = b"no answer in time\n"
            with open(os.path.join(out, f"{question.replace(' ', '_')}.{form}"), "wb") as file:
                file.write(text)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    ptool, out = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    folders = sys.argv[3:] or [os.path.join(ROOT, "tests", "fixtures")]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        asked = []
        for folder in folders:
            for path in inputs(folder):
                name = os.path.relpath(path, folder).replace("/", "__")
                place = os.path.join(out, os.path.basename(os.path.abspath(folder)), name)
                asked.append(pool.submit(ask, ptool, path, place))
        for one in asked:
            one.result()
    print(f"{len(asked)} files, {len(QUESTIONS)} questions each")


if __name__ == "__main__":
    main()

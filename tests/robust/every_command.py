"""Any line of tests/bench/command_lines.py on any store: an answer or a line that says what is
wrong, in a minute and 4 GiB, and no byte that could drive a terminal.
"""
import os
import resource
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "store"), os.path.join(HERE, "..", "bench")]
import command_lines  # noqa: E402  pylint: disable=wrong-import-position
import storetap  # noqa: E402  pylint: disable=wrong-import-position

LINES = list(command_lines.all_lines())
TIMEOUT_S = 60
SPACE = 4 << 30  # where no sanitizer needs terabytes
STATUSES = (0, 1, 2, 3, 4)


def limit_space():
    resource.setrlimit(resource.RLIMIT_AS, (SPACE, SPACE))


LIMIT = None if os.environ.get("SAN") or os.environ.get("VALGRIND") else limit_space


def wrong_of(words):
    """What is wrong with how ptool of these words ended, or None."""
    try:
        done = subprocess.run([storetap.PTOOL, *words], stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT_S, preexec_fn=LIMIT)
    except subprocess.TimeoutExpired:
        return f"still running after {TIMEOUT_S} s"
    said = done.stderr.decode(errors="replace")
    if done.returncode not in STATUSES or not all(line.startswith("ptool: ") for line in said.splitlines()):
        return f"exit status {done.returncode}: {said[:1500]}"
    if b"\x1b" in done.stdout + done.stderr:
        return "an escape is not escaped"
    return None


class Place:
    """A folder with what the words of command lines stand for; STORE is for others to make."""

    def __init__(self, root, other, trace):
        self.words = {"OTHER": other, "TRACE": trace}
        for word in ("STORE", "COPY", "OUT", "FOLDER", "BUDGETS"):
            self.words[word] = os.path.join(root, word.lower())
        self.store = self.words["STORE"]

    def wrong_of(self, command, line):
        """The same of a command line on STORE."""
        shutil.copyfile(self.store, self.words["COPY"])
        shutil.rmtree(self.words["FOLDER"], ignore_errors=True)
        os.mkdir(self.words["FOLDER"])
        if os.path.exists(self.words["OUT"]):
            os.unlink(self.words["OUT"])
        with open(self.words["BUDGETS"], "w", encoding="utf-8") as out:
            out.write(command_lines.BUDGETS.replace("STORE", self.words["OTHER"]))
        return wrong_of(command_lines.argv(command, line, self.words))

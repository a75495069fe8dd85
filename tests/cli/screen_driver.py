#!/usr/bin/python3
"""screen_driver.py [--size=COLUMNSxLINES] [--env=NAME=VALUE]... COMMAND... -- STEP...

Runs the command on a pseudo terminal whose screen pyte interprets (Linux's console, which
it knows best), and does the steps:

    see:REGEX    waits until the screen matches it (re.S, lines without trailing blanks),
                 and all of it is drawn
    keys:TEXT    types it; <Esc> <Enter> <Tab> <Up> <Down> <PgDn> <C-c> <C-z> are keys
    size:80x24   changes the terminal's size, as a window does
    show         prints the screen
    ways         goes each way from the row and back, and prints where it led and its first lines
    cursor       prints the line that is drawn in reverse, below the first
    signal:TERM  sends the signal to the command
    stopped      waits until the command has stopped itself; continue it with signal:CONT
    hold:R       types it until the process that answers is stopped before it could
    release      lets that process go on
    exit         waits for its end and prints "exit N" or "signal N", and whether the
                 terminal is as it was before

Nothing is slept for: what does not come within 60 seconds fails.
"""
import codecs
import fcntl
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

import pyte

PATIENCE_S = 60
KEYS = {
    "Esc": "\x1b", "Enter": "\r", "Tab": "\t", "Up": "\x1b[A", "Down": "\x1b[B",
    "PgDn": "\x1b[6~", "PgUp": "\x1b[5~", "C-c": "\x03", "C-z": "\x1a", "BackTab": "\x1b[Z",
}


def be_shell(argv, environment, tells, waits):
    """Leads the session: a command without one above it cannot be stopped by Ctrl-Z."""
    os.read(waits, 1)  # until it is known how the terminal was
    pid = os.fork()
    if pid == 0:
        os.setpgid(0, 0)
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        os.tcsetpgrp(0, os.getpid())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup's children ignore it
        os.execvpe(argv[0], argv, environment)
    os.write(tells, struct.pack("i", pid))
    while True:
        status = os.waitpid(pid, os.WUNTRACED)[1]
        os.write(tells, struct.pack("i", status))
        if not os.WIFSTOPPED(status):
            os._exit(0)


def state_of(pid):
    """R, S, T, Z, ... as in proc(5); X when it is gone."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
            return stat.read().rpartition(")")[2].split()[0]
    except OSError:
        return "X"


def children_of(pid):
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as children:
            return [int(child) for child in children.read().split()]
    except OSError:
        return []


def stop(pid):
    """Stops a process; False: it had ended."""
    try:
        os.kill(pid, signal.SIGSTOP)
    except ProcessLookupError:
        return False
    while (state := state_of(pid)) not in "TXZ":
        pass
    return state == "T"


class Terminal:
    """The command, and what it has drawn."""

    def __init__(self, argv, columns, lines, environment):
        self.screen = pyte.Screen(columns, lines)
        self.stream = pyte.Stream(self.screen)
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.held = None
        self.told, tells = os.pipe()
        waits, starts = os.pipe()
        shell, self.fd = pty.fork()
        if shell == 0:
            be_shell(argv, environment, tells, waits)
        os.close(tells)
        os.close(waits)
        self.resize(columns, lines)
        self.before = termios.tcgetattr(self.fd)
        os.write(starts, b".")
        self.pid = self.hear()

    def resize(self, columns, lines):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self.screen.resize(lines, columns)

    def read(self, seconds):
        """Takes what comes next; False at the end."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return True
        try:
            new = os.read(self.fd, 65536)
        except OSError:  # Linux: EIO when nobody holds the other end any more
            new = b""
        self.stream.feed(self.decoder.decode(new))
        return bool(new)

    def text(self):
        return "\n".join(line.rstrip() for line in self.screen.display)

    def see(self, regex):
        deadline = time.monotonic() + PATIENCE_S
        wanted = re.compile(regex, re.S)
        while True:
            while not wanted.search(self.text()):
                if time.monotonic() > deadline or not self.read(0.2):
                    fail(self, "does not come: " + regex)
            self.rest("STXZ")  # a screen is written in several pieces
            if self.held or "working" in regex or not children_of(self.pid):
                return
            if time.monotonic() > deadline:
                fail(self, "no answer comes: " + regex)
            self.read(0.02)  # an answer comes, which may change what matches

    def rest(self, states):
        """Until the command does nothing but wait."""
        while state_of(self.pid) not in states or select.select([self.fd], [], [], 0)[0]:
            self.read(0.01)

    def reversed_line(self):
        for y in range(1, self.screen.lines):
            if self.screen.buffer[y][0].reverse:
                return self.screen.display[y].rstrip()
        return "(none)"

    def hear(self):
        """The shell's next number; meanwhile the command may draw."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            self.read(0.02)
            if select.select([self.told], [], [], 0)[0]:
                return struct.unpack("i", os.read(self.told, 4))[0]
        return fail(self, "the command goes on")

    def hold(self, keys):
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            os.write(self.fd, keys.encode())
            attempt = time.monotonic() + 0.3
            while time.monotonic() < attempt:
                for pid in children_of(self.pid):
                    if stop(pid):
                        self.held = pid
                        return
            self.see("")
        fail(self, "no question could be held")

    def end(self):
        status = self.hear()
        while self.read(PATIENCE_S):
            pass
        what = f"exit {os.WEXITSTATUS(status)}" if os.WIFEXITED(status) else f"signal {os.WTERMSIG(status)}"
        same = termios.tcgetattr(self.fd)[:4] == self.before[:4] and not self.screen.cursor.hidden
        print(what + ("" if same else ", and the terminal is not as it was"))
        if self.held and state_of(self.held) not in "XZ":
            print("the question goes on")


def fail(terminal, why):
    print("screen_driver: " + why, file=sys.stderr)
    print(terminal.text(), file=sys.stderr)
    os.kill(terminal.pid, signal.SIGKILL)
    sys.exit(1)


def go_ways(terminal):
    os.write(terminal.fd, b"o")
    terminal.see("Go to")
    ways = re.findall(r"\n (\d)  ", terminal.text())
    for way in ways:
        os.write(terminal.fd, (way if way == "1" else "o" + way).encode())
        terminal.see(r"q: back  \?: help")
        print("\n".join(terminal.text().split("\n")[1:6]))
        os.write(terminal.fd, b"q")
        terminal.see("Q: quit")


def step(terminal, what, value):
    if what == "see":
        terminal.see(value)
    elif what == "keys":
        os.write(terminal.fd, re.sub(r"<([\w-]+)>", lambda m: KEYS[m[1]], value).encode())
    elif what == "size":
        terminal.resize(*map(int, value.split("x")))
    elif what == "show":
        print(terminal.text())
    elif what == "ways":
        go_ways(terminal)
    elif what == "cursor":
        print(terminal.reversed_line())
    elif what == "signal":
        os.kill(terminal.pid, getattr(signal, "SIG" + value))
        if value == "CONT":
            terminal.rest("S")  # it drops what was typed before
    elif what == "stopped":
        if not os.WIFSTOPPED(terminal.hear()):
            fail(terminal, "it has not stopped but ended")
    elif what == "hold":
        terminal.hold(value)
    elif what == "release":
        os.kill(terminal.held, signal.SIGCONT)
    elif what == "exit":
        terminal.end()
    else:
        fail(terminal, "no step " + what)


def main():
    columns, lines = 80, 24
    environment = dict(os.environ, TERM="linux")
    argv = sys.argv[1:]
    while argv[0].startswith("--"):
        name, value = argv.pop(0)[2:].split("=", 1)
        if name == "size":
            columns, lines = map(int, value.split("x"))
        else:
            environment.update([value.split("=", 1)])
    at = argv.index("--")
    terminal = Terminal(argv[:at], columns, lines, environment)
    for words in argv[at + 1:]:
        step(terminal, *words.partition(":")[::2])


main()

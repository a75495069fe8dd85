#!/usr/bin/env python3
"""on_terminal.py COLUMNS COMMAND...: runs the command on a pseudo terminal that
is so many columns wide (0: one that does not know), as its standard output and
error; prints what it wrote, byte for byte, and exits as it did."""
import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios


def main():
    columns = int(sys.argv[1])
    ours, theirs = pty.openpty()
    settings = termios.tcgetattr(theirs)
    settings[1] &= ~termios.OPOST  # "\n" stays as it is
    termios.tcsetattr(theirs, termios.TCSANOW, settings)
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24 if columns else 0, columns, 0, 0))
    program = subprocess.Popen(sys.argv[2:], stdout=theirs, stderr=theirs)
    os.close(theirs)
    while True:
        try:
            written = os.read(ours, 65536)
        except OSError:  # Linux: EIO when nobody holds the other end any more
            break
        if not written:
            break
        sys.stdout.buffer.write(written)
    status = program.wait()
    sys.stdout.flush()
    sys.exit(status if status >= 0 else 128 - status)


main()

#!/usr/bin/env python3
"""slice_packs.py STORE: makes slice_pack anew from slice_row, as ptool-store(5) tells it.

For tests that change a store by hand, and to compare with what ptool wrote.
"""
import sqlite3
import sys

SLICES = 8192
MASK = (1 << 64) - 1
COLUMNS = ("id", "slices", "ts", "dur", "name_id", "class", "marks", "step_id", "launch_id", "op_id", "op_detail_id")


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7f | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def numbers(values):
    return b"".join(varint(v & MASK) for v in values)


def differences(values):
    out, before = [], 0
    for value in values:
        distance = (value - before + (1 << 63) & MASK) - (1 << 63)
        out.append(varint((distance << 1 ^ distance >> 63) & MASK))
        before = value
    return b"".join(out)


def octets(values):
    return bytes(v & 0xff for v in values)


FORMS = (differences, numbers, numbers, octets, octets, differences, differences, differences, differences)


def packs_of(db):
    """The rows of slice_pack that belong to the other tables."""
    for first, n in db.execute("SELECT first_slice_id, slices FROM track WHERE slices > 0 ORDER BY first_slice_id").fetchall():
        for at in range(first, first + n, SLICES):
            slices = db.execute(
                "SELECT ts, dur, name_id, class, coalesce(flags, 0) + 4 * (sequence IS NOT NULL), coalesce(step_id, 0), "
                "coalesce(launch_id, 0), coalesce(op_id, 0), coalesce(op_detail_id, 0) FROM slice_row "
                "WHERE id BETWEEN ? AND ? ORDER BY id", (at, min(at + SLICES, first + n) - 1)).fetchall()
            if not slices:
                continue
            columns = list(zip(*slices))
            yield (at, len(slices), *(form(values) if i == 0 or any(values) else None
                                      for i, (form, values) in enumerate(zip(FORMS, columns))))


def repack(db):
    packs = list(packs_of(db))
    db.execute("DELETE FROM slice_pack")
    db.executemany(f"INSERT INTO slice_pack ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})", packs)
    db.commit()


if __name__ == "__main__":
    repack(sqlite3.connect(sys.argv[1]))

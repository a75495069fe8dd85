#!/usr/bin/env python3
"""Parquet files hold what JSON holds: by a reader of our own, and by pyarrow and duckdb where they are there."""
import json
import os
import struct
import subprocess
import tempfile

from callgraphs import FIXTURES, Tap, ptool

TRACE = os.path.join(FIXTURES, "gpu", "everything.json")
BOOLEAN, INT64, DOUBLE, BYTE_ARRAY = 0, 2, 5, 6


class Thrift:
    """The compact protocol: structs as {field: value}."""

    def __init__(self, data, at=0):
        self.data, self.at = data, at

    def varint(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7f) << shift
            shift += 7
            if byte < 0x80:
                return value

    def value(self, kind):
        if kind in (5, 6):
            number = self.varint()
            return number >> 1 ^ -(number & 1)
        if kind == 8:
            n = self.varint()
            self.at += n
            return self.data[self.at - n:self.at]
        if kind == 9:
            head = self.data[self.at]
            self.at += 1
            n = head >> 4 if head >> 4 < 15 else self.varint()
            return [self.value(head & 15) for _ in range(n)]
        assert kind == 12, f"type {kind}"
        return self.struct()

    def struct(self):
        fields, number = {}, 0
        while True:
            head = self.data[self.at]
            self.at += 1
            if head == 0:
                return fields
            assert head >> 4, "fields of long distance are not written"
            number += head >> 4
            fields[number] = self.value(head & 15)


def read_values(raw, kind, nrows):
    """A page: which rows have a value, then the values."""
    n, = struct.unpack_from("<I", raw)
    levels = Thrift(raw, 4)
    assert levels.varint() == (nrows + 7) // 8 << 1 | 1
    bits, at = raw[levels.at:4 + n], 4 + n
    values, nth = [], 0
    for row in range(nrows):
        if not bits[row // 8] >> row % 8 & 1:
            values.append(None)
        elif kind == BOOLEAN:
            values.append(bool(raw[at + nth // 8] >> nth % 8 & 1))
            nth += 1
        elif kind == BYTE_ARRAY:
            length, = struct.unpack_from("<I", raw, at)
            values.append(raw[at + 4:at + 4 + length].decode())
            at += 4 + length
        else:
            values.append(struct.unpack_from("<q" if kind == INT64 else "<d", raw, at)[0])
            at += 8
    return values


def read_parquet(path):
    with open(path, "rb") as file:
        data = file.read()
    assert data[:4] == data[-4:] == b"PAR1"
    size, = struct.unpack("<I", data[-8:-4])
    meta = Thrift(data[len(data) - 8 - size:-8]).struct()
    schema = meta[2]
    assert schema[0][5] == len(schema) - 1
    names = [column[4].decode() for column in schema[1:]]
    columns = {name: [] for name in names}
    for group in meta[4]:
        for name, column, chunk in zip(names, schema[1:], group[1]):
            chunk = chunk[3]
            assert chunk[3] == [name.encode()] and chunk[1] == column[1]
            page = Thrift(data, chunk[9])
            head = page.struct()
            packed = data[page.at:page.at + head[3]]
            assert page.at + head[3] - chunk[9] == chunk[7]
            raw = subprocess.run(["zstd", "-dc"], input=packed, capture_output=True, check=True).stdout
            assert len(raw) == head[2]
            columns[name] += read_values(raw, column[1], head[5][1])
        assert all(len(columns[name]) == len(columns[names[0]]) for name in names)
    assert meta[3] == len(columns[names[0]])
    units = dict(line.split("=", 1) for line in meta[5][0][2].decode().splitlines())
    return names, columns, units


def read_json(*args):
    table = json.loads(ptool(*args, "--format", "json", "-q"))
    names = [column["name"] for column in table["columns"]]
    return names, {name: [row[name] for row in table["rows"]] for name in names}


def same(ours, theirs):
    """A column of averages is one of doubles in Parquet, in JSON its whole numbers have no fraction."""
    return ours == theirs and all(type(a) is type(b) or isinstance(a, float) or isinstance(a, bool)
                                  for a, b in zip(ours, theirs))


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as scratch:
        out = os.path.join(scratch, "out.parquet")
        for args in (["top", "--limit", "0"], ["list", "--limit", "0"], ["gaps", "--list"], ["kernels"], ["info"]):
            ptool(*args, TRACE, "-q", "-f", "-o", out)
            names, columns, _ = read_parquet(out)
            wanted, rows = read_json(*args, TRACE)
            wrong = [name for name in wanted if not same(columns.get(name), rows[name])]
            tap.ok(names == wanted and not wrong and len(rows[names[0]]) > 0, " ".join(args), wrong)
        many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 150000) "
        ptool("sql", TRACE, "-q", "-f", "-o", out,
              many + "SELECT i, nullif(i % 3, 0) AS part, i * 0.5 AS half, 'text ' || i AS text FROM n")
        _, columns, _ = read_parquet(out)
        tap.ok(columns["i"] == list(range(1, 150001)) and columns["part"][:4] == [1, 2, None, 1] and
               columns["half"][-1] == 75000.0 and columns["text"][70000] == "text 70001", "several groups of rows")
        ptool("sql", TRACE, "-q", "-f", "-o", out,
              many + "SELECT iif(i > 60000, i, NULL) AS late" + ", NULL" * 39 + " FROM n LIMIT 65000")
        _, columns, _ = read_parquet(out)
        tap.ok(columns["late"] == [None] * 60000 + [str(i) for i in range(60001, 65001)], "groups of many columns are short")
        ptool("sql", TRACE, "-q", "-f", "-o", out, many + "SELECT iif(i < 100000, i, 'x') AS mixed FROM n", status=2)
        ptool("sql", TRACE, "-q", "-f", "-o", out, "SELECT ts, dur AS dur_ns FROM slice WHERE false")
        names, columns, units = read_parquet(out)
        ptool("sql", TRACE, "-q", "-f", "-o", out, "SELECT '' AS text UNION ALL SELECT ''")
        tap.ok(read_parquet(out)[1] == {"text": ["", ""]}, "no text has a byte")
        tap.ok(names == ["ts", "dur_ns"] and not any(columns.values()) and units == {"dur_ns": "ns"}, "no rows")
        twice = ["sql", TRACE, b"SELECT 1 AS a, 2 AS a, 3 AS a_2, 4 AS '\xff', 5 AS '\xfe'"]
        ptool(*twice, "-q", "-f", "-o", out)
        names, columns, _ = read_parquet(out)
        wanted, rows = read_json(*twice)
        tap.ok(names == wanted == ["a", "a_3", "a_2", "\ufffd", "\ufffd_2"] and columns == rows, "each name once", names)
        ptool("export", "--to", "parquet", "--table", "kernel", TRACE, "-q", "-f", "-o", out)
        names, columns, _ = read_parquet(out)
        tap.ok("registers" in names and len(columns["slice_id"]) > 3, "export of a table")
        for module in ("pyarrow.parquet", "duckdb"):
            try:
                __import__(module)
            except ImportError:
                tap.skip(module, "not installed (pip install pyarrow duckdb)")
                continue
            if module == "duckdb":
                import duckdb
                rows = duckdb.sql(f"SELECT * FROM '{out}'").fetchall()
                theirs = {name: [row[i] for row in rows] for i, name in enumerate(names)}
            else:
                import pyarrow.parquet
                theirs = pyarrow.parquet.read_table(out).to_pydict()
            tap.ok(theirs == columns, module)
    tap.done()


if __name__ == "__main__":
    main()

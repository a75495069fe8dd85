#!/usr/bin/env python3
"""dump_texts.py STORE: all rows of a store, with texts in place of their ids: what two stores
have in common that number their texts in another order."""
import sqlite3
import sys

TEXTS_OF_PACK = "name_id"


def numbers(blob):
    """Those of a packed column, LEB128."""
    value = shift = 0
    for byte in blob:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            yield value
            value = shift = 0


def main():
    db = sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True)
    texts = dict(db.execute("SELECT id, text FROM string"))
    texts[None] = None
    print(*db.execute("SELECT type, name, sql FROM sqlite_schema ORDER BY type, rowid").fetchall(), sep="\n")
    tables = [name for name, in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid")]
    for table in tables:
        if table == "string":
            print(*sorted(texts[i] for i in texts if i), sep="\n")
            continue
        ids = {row[3] for row in db.execute(f"PRAGMA foreign_key_list({table})") if row[2] == "string"}
        columns = [row[1] for row in db.execute(f"PRAGMA table_info({table})")]
        for row in db.execute(f"SELECT * FROM {table} ORDER BY rowid"):
            cells = [texts[v] if c in ids else [texts.get(n) for n in numbers(v or b"")]
                     if table == "slice_pack" and c == TEXTS_OF_PACK else v for c, v in zip(columns, row)]
            print(table, *map(repr, cells))


main()

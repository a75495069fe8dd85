"""Edits of a store's rows, as a stranger could make them: boundary values, texts that mean
something somewhere, changed bytes of packed columns; which, a random number generator says.
"""
import contextlib
import sqlite3

NUMBERS = ("NULL", "-1", "0", "3", "2147483648", "9007199254740993", "9223372036854775807", "-9223372036854775807 - 1", "1e308")
TEXTS = ("''", "'a' || char(0) || 'b'", "char(27) || '[31m'", "CAST(x'ff' AS TEXT)", "CAST(x'61eda080c328f4908080e282' AS TEXT)",
         "char(10) || 'fn=(1) evil' || char(10) || '5 9'", "'a b;c 7' || char(10) || 'x 9'", "'\"}],\"x\":['", "''']]></svg>'",
         "'</script><script>alert(1)</script>'", "'<!--<script>'", "printf('%.300000c', 'x')", "char(8232, 65279, 8238)", "'(1)'",
         "' lead trail '", "'9223372036854775808'", "'a.py:99999999999999999999(f)'", "'{'", "char(55295, 1114111)")
BLOBS = ("x''", "x'00'", "x'ffffffffffffffffff01'", "zeroblob(5000)", "x'80'")


def columns_of(store):
    db = sqlite3.connect(store)
    tables = [name for name, in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")]
    found = [(table, row[1], row[2]) for table in tables if db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
             for row in db.execute(f"PRAGMA table_info({table})")]
    db.close()
    return found


def edit(rng, store, columns):
    """One to three edits, told as SQL; those that SQLite refuses are left out."""
    db = sqlite3.connect(store, isolation_level=None)
    db.execute("PRAGMA foreign_keys = OFF")
    db.execute("PRAGMA synchronous = OFF")
    edits = []
    for _ in range(rng.choice((1, 1, 2, 3))):
        table, column, kind = rng.choice([c for c in columns if c[2] == "TEXT"] if rng.random() < 0.4 else columns)
        value = rng.choice({"TEXT": TEXTS, "BLOB": BLOBS}.get(kind, NUMBERS))
        rows = db.execute(f"SELECT rowid, {column if kind == 'BLOB' else 0} FROM {table} ORDER BY rowid").fetchall()
        rowid, blob = rng.choice(rows)
        if isinstance(blob, bytes) and blob and rng.random() < 0.7:
            at = rng.randrange(len(blob))
            value = f"x'{(blob[:at] + rng.randbytes(rng.randrange(3)) + blob[at + rng.randrange(3):]).hex()}'"
        sql = f"UPDATE {table} SET {column} = {value}" + ("" if rng.random() < 0.4 and "300000" not in value else f" WHERE rowid = {rowid}")
        with contextlib.suppress(sqlite3.Error):
            db.execute(sql)
            edits.append(sql[:200])
    db.close()
    return edits


SHARE_TEXTS = """INSERT INTO string SELECT max(id) + 1, printf('%.{length}c', 'x') FROM string;
INSERT INTO string SELECT max(id) + 1, printf('%.{length}c', 'y') FROM string;
CREATE TEMP TABLE n AS WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {n})
                       SELECT i, (SELECT max(id) FROM string) - i % 2 AS text FROM n;
CREATE TEMP TABLE copies AS SELECT one.*, i, text, top FROM n, (SELECT max(id) AS top FROM {table}),
    (SELECT * FROM {table} WHERE {where} LIMIT 1) one;
UPDATE copies SET id = top + i, {values};
UPDATE summary SET (first_row_id, row_count) = (SELECT min(id), count(*) FROM copies)
 WHERE part = '{table}' AND profile_id = (SELECT profile_id FROM copies);
ALTER TABLE copies DROP COLUMN i;
ALTER TABLE copies DROP COLUMN text;
ALTER TABLE copies DROP COLUMN top;
INSERT INTO {table} SELECT * FROM copies;"""


def share_texts(table, column, where, n, length):
    """SQL: n copies of a row of a summary, in place of those of its profile, with two long texts in turn."""
    values = "device = NULL, device_name_id = text" if column == "device_name_id" else f"{column} = text"
    return SHARE_TEXTS.format(table=table, values=values, where=where, n=n, length=length)

"""store_files.py: folders with n stores, which commands read as they are; as other_files.py has them."""
import os
import sqlite3
import subprocess

from other_files import rank_text, save

PTOOL = os.path.abspath(os.environ.get("PTOOL", "build/ptool"))
SHARE = 64  # so many times fewer: a store has some hundred KiB


def stores(n, folder, stretch):
    """Of a rank each, but for their ranks alike: an ingest for each would take too long."""
    inner, first = os.path.join(folder, "stores"), os.path.join(folder, "first.db")
    os.mkdir(inner)
    trace = save(folder, "rank.json", rank_text(0, max(1, n // SHARE), 1, stretch))
    subprocess.run([PTOOL, "ingest", "-q", "-o", first, trace], check=True)
    with open(first, "rb") as store, sqlite3.connect(":memory:") as db:
        db.deserialize(store.read())
        for rank in range(max(1, n // SHARE)):
            db.execute("UPDATE profile SET rank = ?, path = ?", (rank, f"/srv/rank{rank}.json"))
            db.commit()
            save(inner, f"rank{rank}.db", db.serialize())
    db.close()
    return inner


KINDS = {"stores": stores}

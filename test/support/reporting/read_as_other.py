"""Counts the vendors in the first file. Prints the number, and each other path that this user can read."""

import os
import sqlite3
import sys

reports, *others = sys.argv[1:]
connection = sqlite3.connect(f"file:{reports}?mode=ro", uri=True)
print(connection.execute("SELECT count(*) FROM vendors").fetchone()[0])
for path in others:
    try:
        os.listdir(path) if os.path.isdir(path) else open(path, "rb").read(1)
        print(path)
    except OSError:
        pass
try:
    connection.execute("DELETE FROM vendors")
    print("deleted")
except sqlite3.OperationalError:
    pass

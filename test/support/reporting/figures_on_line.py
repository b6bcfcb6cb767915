"""Answers on one connection: for each line "organization day", the figures of that day, as "name=value" in one line.

    python3 figures_on_line.py FILE sqlite3|duckdb
"""

import datetime
import os
import sqlite3
import sys

SQL = """SELECT figure, value FROM figures_daily WHERE organization_id = ? AND day =
(SELECT max(day) FROM figures_daily WHERE organization_id = ? AND day <= ?) ORDER BY figure"""
TYPES = """SELECT created_at, next_review_due, score FROM risks
WHERE next_review_due IS NOT NULL AND score IS NOT NULL AND created_at > '2020-01-01' ORDER BY created_at DESC"""

path, tool = sys.argv[1:]
if tool == "sqlite3":
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, detect_types=sqlite3.PARSE_DECLTYPES)
    to_day = str
else:
    import duckdb

    connection = duckdb.connect(config={"allow_unsigned_extensions": True})
    connection.execute(f"LOAD '{os.environ['DUCKDB_SQLITE_EXTENSION']}'")
    connection.execute(f"ATTACH '{path}' AS reports (TYPE sqlite, READ_ONLY); USE reports")
    assert connection.execute("SELECT count(*) FROM risks WHERE archived_at IS NULL").fetchone()[0] > 0
    assert len(connection.execute("SHOW ALL TABLES").fetchall()) > 25
    to_day = datetime.date.fromisoformat

row = connection.execute(TYPES).fetchone()
assert [type(value) for value in row] == [datetime.datetime, datetime.date, int], row

for line in sys.stdin:
    organization, day = line.split()
    rows = connection.execute(SQL, [organization, organization, to_day(day)]).fetchall()
    print(" ".join(f"{name}={'null' if value is None else float(value)}" for name, value in rows), flush=True)

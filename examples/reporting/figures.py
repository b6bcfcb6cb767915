"""Runs the queries of figures.sql with Python's sqlite3, pandas or DuckDB, and prints their rows as JSON.

    python3 figures.py data/reports/reports.db ORGANIZATION DAY POSITION [sqlite3|pandas|duckdb]

DuckDB needs its SQLite extension: `INSTALL sqlite` fetches it, or DUCKDB_SQLITE_EXTENSION names its file.
"""

import datetime
import json
import os
import pathlib
import re
import sqlite3
import sys

QUERIES = pathlib.Path(__file__).with_name("figures.sql").read_text(encoding="utf-8")


def queries(values):
    """Yields the name, the SQL and the parameters of each query."""
    for name, sql in re.findall(r"-- name: (\w+)\n(.*?);", QUERIES, re.S):
        names = re.findall(r"\{\{(\w+)\}\}", sql)
        yield name, re.sub(r"\{\{\w+\}\}", "?", sql), [values[parameter] for parameter in names]


def with_sqlite3(path):
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)

    def run(sql, parameters):
        cursor = connection.execute(sql, parameters)
        return [column[0] for column in cursor.description], cursor.fetchall()

    return run


def with_pandas(path):
    import pandas

    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)

    def run(sql, parameters):
        frame = pandas.read_sql_query(sql, connection, params=parameters).astype(object)
        return list(frame.columns), frame.where(frame.notna(), None).values.tolist()

    return run


def with_duckdb(path):
    import duckdb

    extension = os.environ.get("DUCKDB_SQLITE_EXTENSION")
    connection = duckdb.connect(config={"allow_unsigned_extensions": bool(extension)})
    connection.execute(f"LOAD '{extension}'" if extension else "INSTALL sqlite; LOAD sqlite")
    connection.execute(f"ATTACH '{path}' AS reports (TYPE sqlite, READ_ONLY); USE reports")

    def run(sql, parameters):
        # A text isn't compared with a date, so the day is one.
        typed = [datetime.date.fromisoformat(p) if re.fullmatch(r"\d{4}-\d\d-\d\d", str(p)) else p for p in parameters]
        cursor = connection.execute(sql, typed)
        return [column[0] for column in cursor.description], cursor.fetchall()

    return run


def main(path, organization, day, position, tool="sqlite3"):
    run = {"sqlite3": with_sqlite3, "pandas": with_pandas, "duckdb": with_duckdb}[tool](path)
    values = {"organization": organization, "day": day, "position": int(position)}
    answers = {}
    for name, sql, parameters in queries(values):
        columns, rows = run(sql, parameters)
        answers[name] = [dict(zip(columns, row)) for row in rows]
    print(json.dumps(answers, default=str))


if __name__ == "__main__":
    main(*sys.argv[1:])

import type { ColumnType, ReportingTable, ReportingValue, Row, RowChange } from '../reporting-store.ts';
import { quote, type Value } from './connection.ts';

/** The statements for one table. */
export class ReportingStatements {
  readonly create: string;
  readonly select: string;
  readonly columns: ReportingTable['columns'];
  private readonly put: string;
  private readonly types: ReadonlyMap<string, ColumnType>;

  constructor(private readonly table: ReportingTable) {
    const { name, columns, key, openBy } = table;
    this.columns = columns;
    this.types = new Map(columns.map((column) => [column.name, column.type]));
    const definitions = columns.map((column) => `${quote(column.name)} ${column.type}`);
    const openIndex = openBy
      ? `; CREATE INDEX ${quote(`${name}_open`)} ON ${quote(name)} (${openBy.map(quote).join(', ')}) WHERE until_position IS NULL`
      : '';
    this.create = `CREATE TABLE ${quote(name)} (${definitions.join(', ')}, PRIMARY KEY (${key.map(quote).join(', ')}))${openIndex}`;
    this.select = `SELECT ${columns.map((column) => quote(column.name)).join(', ')} FROM ${quote(name)}`;
    this.put = `INSERT OR REPLACE INTO ${quote(name)} VALUES (${columns.map(() => '?').join(', ')})`;
  }

  /** Returns a row of `select`. */
  rowOf(values: readonly unknown[]): Row {
    return Object.fromEntries(
      this.columns.map(({ name, type }, index) => [name, fromValue(type, values[index] as Value)]),
    );
  }

  /** Returns the condition for the row with a key, with its values. */
  byKey(key: Row): [sql: string, values: Value[]] {
    return [conditionOf(this.table.key), this.table.key.map((column) => this.value(key, column))];
  }

  /** Returns the statement for a change, with its values. */
  of(change: RowChange): [sql: string, values: Value[]] {
    if ('put' in change) return [this.put, this.columns.map(({ name }) => this.value(change.put, name))];
    if ('remove' in change) {
      const [condition, values] = this.byKey(change.remove);
      return [`DELETE FROM ${quote(this.table.name)} WHERE ${condition}`, values];
    }
    const columns = Object.keys(change.set);
    const openBy = this.table.openBy ?? [];
    const set = columns.map((name) => `${quote(name)} = ?`).join(', ');
    return [
      `UPDATE ${quote(this.table.name)} SET ${set} WHERE ${conditionOf(openBy)} AND until_position IS NULL AND from_position < ?`,
      [
        ...columns.map((name) => this.value(change.set, name)),
        ...openBy.map((name) => this.value(change.end, name)),
        this.value(change.set, 'until_position'),
      ],
    ];
  }

  private value(row: Row, name: string): Value {
    return toValue(this.types.get(name)!, row[name] ?? null);
  }
}

const conditionOf = (names: readonly string[]) => names.map((name) => `${quote(name)} = ?`).join(' AND ');

/**
 * Returns a cell as SQLite stores it. A TIMESTAMP is `2026-06-30 23:59:59.000` in UTC: the form that Python's sqlite3,
 * DuckDB and sqlite-jdbc read as a time, and that sorts as text.
 */
function toValue(type: ColumnType, cell: ReportingValue): Value {
  if (typeof cell === 'boolean') return Number(cell);
  if (cell === null || type !== 'TIMESTAMP') return cell;
  return new Date(String(cell)).toISOString().replace('T', ' ').slice(0, -1);
}

function fromValue(type: ColumnType, value: Value): ReportingValue {
  if (value === null) return null;
  if (type === 'BOOLEAN') return value !== 0;
  return type === 'TIMESTAMP' ? `${String(value).replace(' ', 'T')}Z` : value;
}

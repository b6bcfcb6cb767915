import { textKey } from '../projections/read-model.ts';
import type { Condition, Scalar } from '../stores/read-store.ts';

/** The day a read is about, who asks, and the whole filter where one part of it bears on another. */
export interface FilterContext {
  today: string;
  account_id: string;
  filter: Record<string, unknown>;
}

/** A filter's value as stored conditions; several are all required. */
export type Filter = (value: never, context: FilterContext) => Condition[];

/** A family's filters and orders as data. */
export interface FamilyQuery {
  /** Record type on the wire (VENDOR), its singular and its plural, which is the collection. */
  type: string;
  /** What its ids begin with. */
  prefix: string;
  singular: string;
  plural: string;
  defaultOrder: { field: string; direction: 'ASC' | 'DESC' };
  filters: Readonly<Record<string, Filter>>;
  /** What a record can lack. */
  missing: Readonly<Record<string, Condition>>;
  /** Keys that two records seldom share by intention: an add that does answers `similar`. Each begins an index. */
  alike: readonly string[];
  /** Fields of SUMMARY, in their order, after id and owner. */
  summary: readonly string[];
  /** Fields that depend on the day the read is about. */
  onDay?(document: Record<string, unknown>, today: string): Record<string, unknown>;
}

export function equal(key: string): Filter {
  return (values: readonly string[]) => [oneOf(key, values)];
}

/** Like `equal`, ignoring case and accents. */
export function equalText(key: string): Filter {
  return (values: readonly string[]) => [
    oneOf(
      key,
      values.map((value) => textKey(value) ?? ''),
    ),
  ];
}

export function before(key: string): Filter {
  return (value: string) => [{ key, op: 'range', lt: value }];
}

export function oneOf(key: string, values: readonly Scalar[]): Condition {
  return values.length === 1 ? { key, op: 'eq', value: values[0]! } : { key, op: 'in', values };
}

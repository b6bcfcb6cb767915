import type { FamilyNames } from '../commands/define-family.ts';
import { READ_MODELS } from '../projections/models.ts';
import { textKey } from '../projections/read-models/key-builders.ts';
import { type MissingOption, ordersOf, type ReadModel } from '../projections/read-models/read-model.ts';
import type { Condition, Scalar } from '../stores/read-store.ts';
import type { QueryContext } from './moments/moment.ts';

/** The read's day, the caller, and the whole filter, because one filter can depend on another. */
export interface FilterContext {
  today: string;
  account_id: string;
  filter: Record<string, unknown>;
}

/** Turns a filter's value into conditions on stored keys. All must hold. */
export type Filter = (value: never, context: FilterContext) => Condition[];

interface Order {
  field: string;
  direction: 'ASC' | 'DESC';
}

/** A family's filters, orders and views, as data. */
export interface FamilyQueryOptions<FilterName extends string = string> {
  /** By default the model's first order, ascending. */
  defaultOrder?: Order;
  filters: Readonly<Record<FilterName, Filter>>;
  /** Keys that records rarely share on purpose. An add that repeats one answers `similar`. Each key must come first in an index. */
  similarityKeys: readonly string[];
  /** The fields of view SUMMARY after id, in order. */
  summary: readonly string[];
  /** Characters at which SUMMARY cuts long texts, by field. */
  summaryTextLimits?: Readonly<Record<string, number>>;
  /** Returns the fields that depend on the day, such as `overdue`. They are not stored. */
  dayFacts?(document: Record<string, unknown>, today: string): Record<string, unknown>;
  /** Reads further fields of a full record that its document doesn't have. */
  extraFields?(context: QueryContext, id: string): Promise<Record<string, unknown>>;
}

/** A family's names, filters and orders. */
export interface FamilyQuery<FilterName extends string = string> extends FamilyQueryOptions<FilterName>, FamilyNames {
  model: ReadModel;
  defaultOrder: Order;
  orders: readonly string[];
  missingOptions: readonly MissingOption[];
}

/** Defines a family's reads. @throws TypeError if the type has no read model */
export function familyQuery<FilterName extends string>(
  type: string,
  options: FamilyQueryOptions<FilterName>,
): FamilyQuery<FilterName> {
  const model = READ_MODELS.find(({ family }) => family.type === type);
  if (model === undefined) throw new TypeError(`${type} has no read model`);
  const { title, singular, plural, prefix } = model.family;
  const defaultOrder: Order = { field: model.orders[0]!, direction: 'ASC' };
  const { missingOptions } = model;
  return {
    type,
    title,
    singular,
    plural,
    prefix,
    model,
    defaultOrder,
    orders: ordersOf(model),
    missingOptions,
    ...options,
  };
}

/** The conditions of the filter `missing`, by what is missing. */
export const MISSING_OPTION_CONDITIONS: Record<MissingOption, (today: string) => Condition> = {
  OWNER: () => ({ key: 'owner_id', op: 'empty' }),
  SCORE: () => ({ key: 'score', op: 'empty' }),
  MEASURES: () => ({ key: 'measures', op: 'empty' }),
  CONTROLS: () => ({ key: 'controls', op: 'empty' }),
  RISKS: () => ({ key: 'risks', op: 'empty' }),
  EVIDENCE: (today) => ({ key: 'evidence_until', op: 'range', lt: today }),
  ROOT_CAUSE: () => ({ key: 'root_cause', op: 'empty' }),
};

/** Matches any of the values. */
export function equal(key: string): Filter {
  return (values: readonly string[]) => [keyIn(key, values)];
}

/** Matches any of the values, ignoring case and accents. */
export function equalText(key: string): Filter {
  return (values: readonly string[]) => [
    keyIn(
      key,
      values.map((value) => textKey(value) ?? ''),
    ),
  ];
}

export function before(key: string): Filter {
  return (value: string) => [{ key, op: 'range', lt: value }];
}

export function keyIn(key: string, values: readonly Scalar[]): Condition {
  return values.length === 1 ? { key, op: 'eq', value: values[0]! } : { key, op: 'in', values };
}

/** True matches dates before the read's day, false the others. Records without a date store MAX_DATE, so they count as not past. */
export function isPast(key: string): Filter {
  return (past: boolean, { today }) => [{ key, op: 'range', ...(past ? { lt: today } : { gte: today }) }];
}

/** Matches any of the states. The stored key is the state's rank in its workflow. */
export function equalRank(key: string, states: readonly string[]): Filter {
  return (values: readonly string[]) => [
    keyIn(
      key,
      values.map((state) => states.indexOf(state)),
    ),
  ];
}

import type { FamilyNames } from '../commands/define-family.ts';
import { textKey } from '../projections/keys.ts';
import { READ_MODELS } from '../projections/models.ts';
import { type MissingOption, ordersOf, type ReadModel } from '../projections/read-model.ts';
import type { Condition, Scalar } from '../stores/read-store.ts';
import type { Moment } from './moment.ts';
import type { Reader } from './reader.ts';

/** The day a read is about, who asks, and the whole filter where one part of it bears on another. */
export interface FilterContext {
  today: string;
  account_id: string;
  filter: Record<string, unknown>;
}

/** A filter's value as stored conditions; several are all required. */
export type Filter = (value: never, context: FilterContext) => Condition[];

interface Order {
  field: string;
  direction: 'ASC' | 'DESC';
}

/** What is a family's own in its reads, as data. */
export interface FamilyQueryOptions<FilterName extends string = string> {
  /** Unless this is the first of the model's orders, rising. */
  defaultOrder?: Order;
  filters: Readonly<Record<FilterName, Filter>>;
  /** Keys that two records seldom share by intention: an add that does answers `similar`. Each begins an index. */
  similarityKeys: readonly string[];
  /** Fields of SUMMARY, in their order, after id and owner. */
  summary: readonly string[];
  /** Long texts among them, and at how many characters SUMMARY cuts each. */
  summaryTextLimits?: Readonly<Record<string, number>>;
  /** Fields that depend on the day the read is about. */
  dayFacts?(document: Record<string, unknown>, today: string): Record<string, unknown>;
  /** Fields that stand in no document, where a record is shown whole. */
  extraFields?(reader: Reader, organizationId: string, id: string, moment: Moment): Promise<Record<string, unknown>>;
}

/** A family's filters and orders, under the family's names. */
export interface FamilyQuery<FilterName extends string = string> extends FamilyQueryOptions<FilterName>, FamilyNames {
  model: ReadModel;
  defaultOrder: Order;
  orders: readonly string[];
  missingOptions: readonly MissingOption[];
}

/** The reads of a family, by its type. */
export function familyQuery<FilterName extends string>(
  type: string,
  own: FamilyQueryOptions<FilterName>,
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
    ...own,
  };
}

/** What it means that something is lacking. */
export const MISSING_OPTION_CONDITIONS: Record<MissingOption, (today: string) => Condition> = {
  OWNER: () => ({ key: 'owner_id', op: 'empty' }),
  SCORE: () => ({ key: 'score', op: 'empty' }),
  MEASURES: () => ({ key: 'measures', op: 'empty' }),
  CONTROLS: () => ({ key: 'controls', op: 'empty' }),
  RISKS: () => ({ key: 'risks', op: 'empty' }),
  EVIDENCE: (today) => ({ key: 'evidence_until', op: 'range', lt: today }),
  ROOT_CAUSE: () => ({ key: 'root_cause', op: 'empty' }),
};

export function equal(key: string): Filter {
  return (values: readonly string[]) => [keyIn(key, values)];
}

/** Like `equal`, ignoring case and accents. */
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

/** Dates on a stored key that stands for "never" where there is none: before the day, or not. */
export function isPast(key: string): Filter {
  return (past: boolean, { today }) => [{ key, op: 'range', ...(past ? { lt: today } : { gte: today }) }];
}

/** States in their workflow's order, as the key has them. */
export function equalRank(key: string, states: readonly string[]): Filter {
  return (values: readonly string[]) => [
    keyIn(
      key,
      values.map((state) => states.indexOf(state)),
    ),
  ];
}

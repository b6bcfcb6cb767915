import type { ListRecordsInput } from '../../../queries/lists/list-records.ts';
import { type AddressParameters, addressWith, type RegisterView } from '../open-register.ts';
import { filterTexts } from './list-filters.ts';

/** The records that a page lists, and their order. */
export interface ListSelection {
  filter: Record<string, unknown>;
  order_by?: ListRecordsInput['order_by'];
}

/** Returns the address of a list at the view's moment. @param parameters further ones, such as a cursor */
export function listAddress(
  { path, past }: Pick<RegisterView, 'path' | 'past'>,
  { filter, order_by }: ListSelection,
  parameters: AddressParameters = {},
): string {
  const order = { order_by: order_by?.field, direction: order_by?.direction };
  return addressWith(path, { as_of: past?.asOf, ...filterParameters(filter), ...order, ...parameters });
}

/** Returns a filter as parameters of an address. */
export function filterParameters(filter: ListSelection['filter']): AddressParameters {
  return Object.fromEntries(Object.entries(filter).map(([name, value]) => [name, filterTexts(value)]));
}

/** Returns a filter without one of its members. */
export function withoutFilter(filter: ListSelection['filter'], name: string): ListSelection['filter'] {
  return Object.fromEntries(Object.entries(filter).filter(([other]) => other !== name));
}

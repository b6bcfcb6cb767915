import {
  type AddressParameters,
  addressWith,
  type ListSelection,
  selectionParameters,
} from '../../../addresses/page-addresses.ts';
import type { RegisterView } from '../open-register.ts';

/** Returns the address of a list at the view's moment. @param parameters further ones, such as a cursor */
export function listAddress(
  { path, past }: Pick<RegisterView, 'path' | 'past'>,
  selection: ListSelection,
  parameters: AddressParameters = {},
): string {
  return addressWith(path, { as_of: past?.asOf, ...selectionParameters(selection), ...parameters });
}

/** Returns a filter without one of its members. */
export function withoutFilter(filter: ListSelection['filter'], name: string): ListSelection['filter'] {
  return Object.fromEntries(Object.entries(filter).filter(([other]) => other !== name));
}

import {
  type AddressParameters,
  addressWith,
  type ListSelection,
  selectionParameters,
} from '../../../addresses/page-addresses.ts';
import { filledParameters } from '../../../http/files/file-query.ts';
import type { PageRequest } from '../../server/page-request.ts';
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

/** Returns the address of a request without its empty parameters, as people share it; null if it has none. */
export function addressWithoutEmpty({ ctx, query }: Pick<PageRequest, 'ctx' | 'query'>): string | null {
  const filled = filledParameters(query);
  if (filled.size === query.size) return null;
  return filled.size === 0 ? ctx.path : `${ctx.path}?${filled}`;
}

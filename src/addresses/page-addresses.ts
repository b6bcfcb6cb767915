/* The addresses of pages and files, for links of the pages and for answers of tools. */

/** Parameters of an address. A list gives one parameter for each value; null and undefined give none. */
export type AddressParameters = Readonly<Record<string, unknown>>;

/** Returns a path with parameters. */
export function addressWith(path: string, parameters: AddressParameters): string {
  let query = '';
  for (const name of Object.keys(parameters)) {
    for (const text of filterTexts(parameters[name] ?? []))
      query += `${query === '' ? '?' : '&'}${encode(name)}=${encode(text)}`;
  }
  return path + query;
}

/** Texts that are the same in an address. */
const PLAIN_TEXT = /^[\w.*-]*$/;

/** Returns a text as an address's query has it. Most are plain, and URLSearchParams is slow. */
function encode(text: string): string {
  return PLAIN_TEXT.test(text) ? text : new URLSearchParams([['', text]]).toString().slice(1);
}

/** Returns the address of an organization's page. @param page its path below the organization's */
export function organizationAddress(organizationId: string, page: string, parameters: AddressParameters = {}): string {
  return addressWith(`/organizations/${organizationId}${page}`, parameters);
}

/** Returns a report type as it stands in paths, such as `risk-register`. */
export function reportSegment(type: string): string {
  return type.toLowerCase().replaceAll('_', '-');
}

/** Returns the address of a report as a file. */
export function reportFileAddress(organizationId: string, type: string, parameters: AddressParameters): string {
  return addressWith(`/api/v1/organizations/${organizationId}/reports/${reportSegment(type)}`, parameters);
}

/** The records that a page lists, and their order. */
export interface ListSelection {
  filter: Readonly<Record<string, unknown>>;
  order_by?: { field?: string | undefined; direction?: 'ASC' | 'DESC' | undefined } | undefined;
}

/** Returns a list's filter and order as parameters of its page's address. */
export function selectionParameters({ filter, order_by }: ListSelection): AddressParameters {
  return Object.assign({}, filter, { order_by: order_by?.field, direction: order_by?.direction });
}

/** Returns a filter's values as an address has them. */
export function filterTexts(value: unknown): string[] {
  return (Array.isArray(value) ? value : [value]).map(String);
}

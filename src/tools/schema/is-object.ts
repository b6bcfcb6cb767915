/** An object of JSON, whose members are not checked yet. */
export type UncheckedObject = Record<string, unknown>;

export const isObject = (value: unknown): value is UncheckedObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Stands in for what is being written. */
export function unbuilt(..._parts: unknown[]): never {
  throw new Error('unbuilt');
}

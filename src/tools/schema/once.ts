/**
 * Returns a function that makes a value when it is first called, and keeps it. The schemas of all tools together take a
 * quarter of a start to make, and a thread needs few of them.
 */
export function once<T extends object | string>(make: () => T): () => T {
  let value: T | undefined;
  return () => {
    value ??= make();
    return value;
  };
}

/** A store (or anything else) like another one but for some methods: for what goes wrong between here and there. */
export function like<T extends object>(original: T, changed: Partial<T>): T {
  return new Proxy(original, {
    get(target, name) {
      const own = changed[name as keyof T];
      if (own !== undefined) return own;
      const value = target[name as keyof T];
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

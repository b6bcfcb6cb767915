/** Returns an object that behaves like `original`, with some members replaced, for example to make a store fail. */
export function withOverrides<T extends object>(original: T, overrides: Partial<T>): T {
  return new Proxy(original, {
    get(target, name) {
      const override = overrides[name as keyof T];
      if (override !== undefined) return override;
      const value = target[name as keyof T];
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

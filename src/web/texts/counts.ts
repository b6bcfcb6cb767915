/** Pages count no further, so that a large register costs them little. */
export const MAX_COUNT = 10_000;

/** Returns a count in figures, such as `1,234`, or `10,000+` for more. */
export function countText(count: number): string {
  return count > MAX_COUNT ? `${MAX_COUNT.toLocaleString('en')}+` : count.toLocaleString('en');
}

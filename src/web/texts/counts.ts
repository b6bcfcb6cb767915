/** Pages count no further, so that a large register costs them little. */
export const MAX_COUNT = 10_000;

/** Returns a count in figures, such as `1,234`, or `10,000+` for more. */
export function countText(count: number): string {
  return count > MAX_COUNT ? `${MAX_COUNT.toLocaleString('en')}+` : count.toLocaleString('en');
}

/** Returns `1 change`, or `1,234 changes`. */
export function changeCountText(count: number): string {
  return `${countText(count)} ${count === 1 ? 'change' : 'changes'}`;
}

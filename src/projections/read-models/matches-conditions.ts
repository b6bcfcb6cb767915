import type { Condition, Scalar } from '../../stores/read-store.ts';

/** Returns true if a row with these keys matches the conditions. */
export function matchesConditions(where: readonly Condition[], keys: Readonly<Record<string, Scalar | null>>): boolean {
  return where.every((condition) => {
    if (!('key' in condition)) return true;
    const value = keys[condition.key] ?? null;
    if (condition.op === 'empty') return value === null;
    if (value === null) return false;
    if (condition.op === 'eq') return value === condition.value;
    if (condition.op === 'in') return condition.values.includes(value);
    if (condition.op === 'present') return true;
    return isInRange(value, condition);
  });
}

function isInRange(value: Scalar, { gt, gte, lt, lte }: Extract<Condition, { op: 'range' }>): boolean {
  const isAbove = (gt === undefined || value > gt) && (gte === undefined || value >= gte);
  return isAbove && (lt === undefined || value < lt) && (lte === undefined || value <= lte);
}

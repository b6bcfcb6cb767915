import * as errors from '../../stores/errors.ts';

/** A store's error as data, because threads copy only built-in errors with their class. */
export interface SentStoreError {
  name: string;
  message: string;
  stack: string | undefined;
  /** Members such as `ambiguous`. */
  members: Record<string, unknown>;
  cause: { message: string; code: unknown } | null;
}

const CLASSES: Readonly<Record<string, { prototype: Error }>> = { ...errors, TypeError };

/** Returns an error of a store as data. */
export function toSentStoreError(thrown: unknown): SentStoreError {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const { name, message, stack, cause } = error;
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return {
    ...{ name, message, stack, members: { ...error } },
    cause: cause instanceof Error ? { message: cause.message, code } : null,
  };
}

/** Returns the error of its own class again. */
export function toStoreError({ name, message, stack, members, cause }: SentStoreError): Error {
  const { prototype } = CLASSES[name] ?? Error;
  const error = Object.setPrototypeOf(new Error(message), prototype) as Error;
  if (cause !== null) error.cause = Object.assign(new Error(cause.message), { code: cause.code });
  return Object.assign(error, members, { stack });
}

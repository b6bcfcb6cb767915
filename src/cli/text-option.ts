import type { z } from 'zod';
import { UsageError } from './command.ts';

/** Checks a text option with the schema of the tools. @throws UsageError with the option's name */
export function textOption(option: string, schema: z.ZodType<string>, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const result = schema.safeParse(text);
  if (result.success) return result.data;
  throw new UsageError(`${option} ${result.error.issues[0]!.message}.`);
}

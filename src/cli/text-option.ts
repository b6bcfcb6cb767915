import type { z } from 'zod';
import { UsageError } from './command.ts';

/** A text given on the command line, within the limits of the wire. @throws UsageError naming the option */
export function textOption(option: string, schema: z.ZodType<string>, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const result = schema.safeParse(text);
  if (result.success) return result.data;
  throw new UsageError(`${option} ${result.error.issues[0]!.message}.`);
}

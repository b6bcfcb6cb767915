import type { z } from 'zod';
import type { Caller } from '../commands/caller.ts';
import type { CommandHandler, Executed } from '../commands/handler.ts';
import { deedOf, RULES } from '../commands/roles.ts';
import type { DownloadDetails } from '../queries/access-log-row.ts';
import type { Reader } from '../queries/reader.ts';
import type { Example } from './example.ts';
import type { RecordKind } from './output.ts';
import type { CallContext, Tool } from './tool.ts';

/** What tools are made from; put together in app.ts. */
export interface Service {
  handler: CommandHandler;
  reader: Reader;
  /** Whether an organization's read models have passed a position, waiting for it up to `ms`. */
  passed(organization: string, position: NonNullable<Executed<unknown>['position']>, ms: number): Promise<boolean>;
  /** How long a write waits to be readable before it answers `pending`. */
  writeWaitMs: number;
  /** Tells the access log of a report that somebody has drawn. */
  reportDrawn(caller: Caller, report: DownloadDetails): void;
}

/** A tool with its input's type kept from the schema to `run`. Who may call it, and whether it writes, the table of roles says. */
export function tool<Schema extends z.ZodType>(definition: {
  name: string;
  description: string;
  input: Schema;
  output: z.ZodType;
  example: Example;
  record?: RecordKind;
  destructive?: boolean;
  prepare?(input: unknown): unknown;
  readsToday?(input: z.infer<Schema>): boolean;
  refuses?: Tool['refuses'];
  run(input: z.infer<Schema>, context: CallContext): Promise<object>;
}): Tool {
  const readOnly = !RULES[deedOf(definition.name)].writes;
  const { destructive = false } = definition;
  return { ...definition, readOnly, destructive } as unknown as Tool;
}

import type { z } from 'zod';
import type { Caller } from '../commands/caller.ts';
import type { CommandHandler, CommandResult } from '../commands/handler.ts';
import { PERMISSIONS, toolPermission } from '../commands/permissions.ts';
import type { DownloadDetails } from '../queries/access-log-row.ts';
import type { Reader } from '../queries/reader.ts';
import type { Example } from './example.ts';
import type { RecordSchemas } from './output.ts';
import type { CallContext, Tool } from './tool.ts';

/** What tools are made from; put together in app.ts. */
export interface ToolService {
  handler: CommandHandler;
  reader: Reader;
  /** Whether an organization's read models have passed a position, waiting for it up to `ms`. */
  waitUntilProjected(
    organizationId: string,
    storePosition: NonNullable<CommandResult<unknown>['storePosition']>,
    ms: number,
  ): Promise<boolean>;
  /** How long a write waits to be readable before it answers `pending`. */
  writeWaitMs: number;
  /** Tells the access log of a report that somebody has drawn. */
  reportGenerated(caller: Caller, report: DownloadDetails): void;
}

/** A tool with its input's type kept from the schema to `run`. Who may call it, and whether it writes, the table of roles says. */
export function defineTool<Schema extends z.ZodType>(definition: {
  name: string;
  description: string;
  input: Schema;
  output: z.ZodType;
  example: Example;
  record?: RecordSchemas;
  destructive?: boolean;
  prepareInput?(input: unknown): unknown;
  readsCurrentState?(input: z.infer<Schema>): boolean;
  rejectsInput?: Tool['rejectsInput'];
  run(input: z.infer<Schema>, context: CallContext): Promise<object>;
}): Tool {
  const readOnly = !PERMISSIONS[toolPermission(definition.name)].writes;
  const { destructive = false } = definition;
  return { ...definition, readOnly, destructive } as unknown as Tool;
}

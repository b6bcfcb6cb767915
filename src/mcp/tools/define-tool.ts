import type { z } from 'zod';
import type { CommandHandler, CommandResult } from '../../commands/engine/handler.ts';
import type { Caller } from '../../commands/organization/caller.ts';
import { PERMISSIONS, toolPermission } from '../../commands/organization/permissions.ts';
import type { DownloadDetails } from '../../queries/access/access-log-row.ts';
import type { Reader } from '../../queries/moments/reader.ts';
import type { Example } from '../schema/example.ts';
import type { RecordSchemas } from '../schema/output.ts';
import type { CallContext, Tool } from './tool.ts';

/** The parts of the service that tools use. */
export interface ToolService {
  handler: CommandHandler;
  reader: Reader;
  /** Waits up to `ms` until an organization's read models include a position. Returns true if they do. */
  waitUntilProjected(
    organizationId: string,
    storePosition: NonNullable<CommandResult<unknown>['storePosition']>,
    ms: number,
  ): Promise<boolean>;
  /** The time a write waits until its result is readable. After that it answers `pending`. */
  writeWaitMs: number;
  /** Records in the access log that the caller generated a report. */
  reportGenerated(caller: Caller, report: DownloadDetails): void;
}

/** Defines a tool. `run` gets the type that the input schema parses. PERMISSIONS defines which roles may call it and whether it writes. */
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

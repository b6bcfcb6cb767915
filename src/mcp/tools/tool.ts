import type { z } from 'zod';
import type { Caller } from '../../commands/organization/caller.ts';
import type { Example } from '../schema/example.ts';
import type { RecordSchemas } from '../schema/output.ts';

/** A tool call's context. */
export interface CallContext {
  caller: Caller;
  /** Aborted when the client disconnects or the service stops. */
  signal?: AbortSignal;
  /** Reports progress, if the client asked for it. */
  progress?: (done: number, total?: number, message?: string) => void;
}

/** One tool: its published definition, how its input is read, and the call it makes. */
export interface Tool<Input = unknown> {
  name: string;
  /** When to use this tool, and when another. */
  description: string;
  /** The input's type, limits and published schema. */
  input: z.ZodType<Input>;
  /** Every member that an answer can have. Documentation: only tests check answers by it. */
  output: z.ZodType;
  /** An example input. */
  example: Example;
  /** The family's record schemas, if the tool is about one family. */
  record?: RecordSchemas;
  readOnly: boolean;
  /** Returns true if a call reads only the current state. Such calls are served while the log is down. */
  readsCurrentState?(input: Input): boolean;
  /** Published as destructiveHint: the tool removes or hides something. */
  destructive: boolean;
  /** Changes an input before the schema reads it. @throws Refusal */
  prepareInput?(input: unknown): unknown;
  /** Returns true if a successful answer says that the input was invalid, such as an import's row errors. */
  rejectsInput?(answer: object): boolean;
  run(input: Input, context: CallContext): Promise<object>;
}

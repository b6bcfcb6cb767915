import type { z } from 'zod';
import type { Caller } from '../commands/caller.ts';
import type { Example } from './example.ts';
import type { RecordSchemas } from './output.ts';

/** What a tool gets besides its input. */
export interface CallContext {
  caller: Caller;
  /** Ends when the client has gone or the service stops. */
  signal?: AbortSignal;
  /** Present when the client asked for progress. */
  progress?: (done: number, total?: number, message?: string) => void;
}

/** One tool: what is published, how its input is read and the one call it makes. */
export interface Tool<Input = unknown> {
  name: string;
  /** When to use it, and when another. */
  description: string;
  /** The one source of the input's type, limits and published schema. */
  input: z.ZodType<Input>;
  /** Every member an answer can have: documentation, held against answers by tests only. */
  output: z.ZodType;
  /** One call that shows what it is for. */
  example: Example;
  /** What kind of record it is about, where it is one. */
  record?: RecordSchemas;
  readOnly: boolean;
  /** Answers true for a call that reads today's state alone: it is served while the log does not answer. */
  readsCurrentState?(input: Input): boolean;
  /** Published as destructiveHint: it takes something away or out of sight. */
  destructive: boolean;
  /** Returns the part of an input that is to be read. @throws Refusal */
  prepareInput?(input: unknown): unknown;
  /** Tells that an answer refuses the input, where that is no error. */
  rejectsInput?(answer: object): boolean;
  run(input: Input, context: CallContext): Promise<object>;
}

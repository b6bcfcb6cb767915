import { withConfirmedRoles } from '../commands/caller.ts';
import { asRefusal, Refusal, type RefusalCode } from '../commands/refusal.ts';
import { ERRORS } from './error-codes.ts';
import { readInput } from './input.ts';
import { type OpenApiOptions, openapiDocument } from './openapi-document.ts';
import { publishedSchema } from './publish.ts';
import type { CallContext, Tool } from './tool.ts';

/** A call's outcome as JSON text, made once. `status` is the direct form's; 200 when it was done. */
export interface ToolResult {
  json: string;
  outcome: 'ok' | RefusalCode;
  status: number;
  /** The input was wrong. */
  illegal?: boolean;
  /** Seconds, for Retry-After. */
  retryAfter?: number;
}

/** All tools as the transports see them. */
export interface ToolBox {
  /** The value of `tools` in tools/list, serialised once. */
  readonly listJson: string;
  readonly instructions: string;
  /** The direct form of all tools, and the files, as an OpenAPI document in JSON. */
  openapi(about: Omit<OpenApiOptions, 'description'>): string;
  has(name: string): boolean;
  isReadOnly(name: string): boolean;
  /** Never throws: what goes wrong is in the result, as `{error: {…}}` with its status. `name` must be known. */
  call(name: string, args: unknown, context: CallContext): Promise<ToolResult>;
}

const INSTRUCTIONS = [
  'veritrail keeps an organization’s compliance register and its whole history. Call listOrganizations first.',
  'Lists search, getRecords reads known ids whole. query: every word begins a word of a record’s texts. size 1-100 (20), view SUMMARY (default), FULL or COUNT; order as said unless order_by. Page by next_cursor → cursor with the same inputs. as_of (date, time, completed audit’s id, or position) answers as things then were.',
  'Every write takes reason (why, kept for auditors), idempotency_key (repeat a call safely) and, on one record, expected_revision (refused if it changed meanwhile). Many at once: importRecords.',
  'In an update an omitted property keeps its value and null clears it; if you have to send all, name those to apply in fields. Elsewhere null counts as left out. Names hold 200 characters, texts 10,000. Dates are YYYY-MM-DD; today is UTC. ME as owner_id is you.',
  'Errors say what to do next; only those with retryable true are worth repeating.',
].join('\n');

interface PublishedTool {
  tool: Tool;
  published: object;
}

/** Tools as the transports see them: published once, inputs read by their schema, outcomes as JSON text. */
export function createToolBox(tools: readonly Tool[], report: (error: unknown, tool: string) => void): ToolBox {
  const prepared = new Map<string, PublishedTool>();
  for (const tool of tools) prepared.set(tool.name, { tool, published: publishedSchema(tool.input) });
  return {
    listJson: JSON.stringify([...prepared.values()].map(describe)),
    instructions: INSTRUCTIONS,
    openapi: (about) => JSON.stringify(openapiDocument(tools, { ...about, description: INSTRUCTIONS })),
    has: (name) => prepared.has(name),
    isReadOnly: (name) => prepared.get(name)?.tool.readOnly ?? false,
    call: (name, args, context) => call(prepared.get(name)!, args, context, report),
  };
}

function describe({ tool, published }: PublishedTool): object {
  const { name, description, readOnly, destructive } = tool;
  const annotations = readOnly ? { readOnlyHint: true } : { readOnlyHint: false, destructiveHint: destructive };
  return { name, description, inputSchema: published, annotations };
}

async function call(
  { tool }: PublishedTool,
  args: unknown,
  context: CallContext,
  report: (error: unknown, tool: string) => void,
): Promise<ToolResult> {
  try {
    const input = readInput(tool.input, tool.prepareInput ? tool.prepareInput(args) : args);
    const caller = tool.readsCurrentState?.(input) ? context.caller : await withConfirmedRoles(context.caller);
    const answer = await tool.run(input, { ...context, caller });
    return { json: JSON.stringify(answer), outcome: 'ok', status: 200, illegal: tool.rejectsInput?.(answer) ?? false };
  } catch (thrown) {
    const error = asRefusal(thrown);
    if (error instanceof Refusal) return refusalResult(error);
    report(error, tool.name);
    return refusalResult(
      new Refusal(
        'internal',
        'Something went wrong on our side: repeat the call, and tell the operator if it stays so.',
      ),
    );
  }
}

function refusalResult(refusal: Refusal): ToolResult {
  const { retry_after_seconds } = refusal.more;
  return {
    json: JSON.stringify({ error: refusal }),
    outcome: refusal.code,
    status: ERRORS[refusal.code].status,
    illegal: refusal.code === 'invalid_input',
    ...(retry_after_seconds === undefined ? {} : { retryAfter: retry_after_seconds }),
  };
}

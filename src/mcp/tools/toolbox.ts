import { asRefusal, Refusal, type RefusalCode } from '../../commands/engine/refusal.ts';
import { withConfirmedRoles } from '../../commands/organization/caller.ts';
import { type OpenApiOptions, openapiDocument } from '../openapi/openapi-document.ts';
import { ERRORS } from '../protocol/error-codes.ts';
import { type AnswerPage, withPageUrl } from './answer-page.ts';
import { readInput } from './read-input.ts';
import type { CallContext, Tool, ToolService } from './tool.ts';

/** A call's outcome as JSON text. `status` is the HTTP status of the direct form: 200 if the call succeeded. */
export interface ToolResult {
  json: string;
  outcome: 'ok' | RefusalCode;
  status: number;
  /** True if the input was invalid. Such calls are charged to the caller. */
  isInvalidCall?: boolean;
  /** The record that the answer is about, if one resource shows it. */
  resource?: AnswerPage['resource'];
  /** Seconds, for Retry-After. */
  retryAfter?: number;
}

/** All tools, as the transports use them. */
export interface ToolBox {
  /** The value of `tools` in tools/list, serialised once. */
  readonly listJson: string;
  readonly instructions: string;
  /** Returns the OpenAPI document, in JSON: the direct form of all tools, and the files. */
  openapi(about: Omit<OpenApiOptions, 'description'>): string;
  has(name: string): boolean;
  isReadOnly(name: string): boolean;
  /** Calls an existing tool. Never throws: a failure is in the result, as `{error: {…}}` with its status. */
  call(name: string, args: unknown, context: CallContext): Promise<ToolResult>;
}

const INSTRUCTIONS = [
  'veritrail keeps an organization’s compliance register and its full history. organization_id may be omitted if you reach only one; else call listOrganizations.',
  'Lists search; getRecords reads known ids in full. Each word of query must begin a word in the record. The default size is 20 (1-100), the default view SUMMARY (or FULL, COUNT); order_by replaces the default order. For the next page, repeat the call with next_cursor as cursor. With as_of (date, time, completed audit’s id, or position) reads show the past.',
  'Every write takes reason (why, kept for auditors) and idempotency_key (makes a repeated call safe); writes on one record also expected_revision (refuses if it has changed). Many at once: importRecords.',
  'In an update an omitted property keeps its value and null clears it; if you must send all, name those to apply in fields. Elsewhere null counts as omitted. Names have up to 200 characters, texts 10,000. Dates are YYYY-MM-DD; today is UTC. owner_id takes ME or a member’s name.',
  'Errors say what to do next. Retry only those with retryable true.',
].join('\n');

/** Builds the toolbox of a service. `reportError` receives unexpected errors, for the log. */
export function createToolBox(
  tools: readonly Tool[],
  service: ToolService,
  reportError: (error: unknown, tool: string) => void,
): ToolBox {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return {
    listJson: JSON.stringify(tools.map(describe)),
    instructions: INSTRUCTIONS,
    openapi: (about) => JSON.stringify(openapiDocument(tools, { ...about, description: INSTRUCTIONS })),
    has: (name) => byName.has(name),
    isReadOnly: (name) => byName.get(name)?.readOnly ?? false,
    async call(name, args, context) {
      const tool = byName.get(name)!;
      try {
        return await callTool(tool, args, service, context);
      } catch (thrown) {
        const error = refusalOf(thrown, tool, context);
        if (error instanceof Refusal) return refusalResult(error);
        reportError(error, name);
        return refusalResult(INTERNAL_ERROR);
      }
    },
  };
}

function describe(tool: Tool): object {
  const { name, title, description, publishedInput: inputSchema } = tool;
  return { name, title, description, inputSchema, annotations: hintsOf(tool) };
}

/** Returns a tool's hints. No tool reaches anything outside the register. Two hints have a meaning for writes only. */
function hintsOf({ readOnly, destructive, idempotent }: Tool): object {
  const writeHints = readOnly ? {} : { destructiveHint: destructive, idempotentHint: idempotent };
  return { readOnlyHint: readOnly, ...writeHints, openWorldHint: false };
}

async function callTool(tool: Tool, args: unknown, service: ToolService, context: CallContext): Promise<ToolResult> {
  const read = await readInput(tool, args, service, context.caller);
  const caller = tool.readsCurrentState?.(read.input) ? context.caller : await withConfirmedRoles(context.caller);
  // Confirmed roles can reach other organizations than the roles that were known before.
  const { input, impliedOrganization } =
    caller === context.caller ? read : await readInput(tool, args, service, caller);
  const answer = await tool.run(input, {
    service,
    tool,
    caller,
    progress: context.progress,
    // A getter, because the transport creates the signal when a tool first reads it. Only tools that can be cancelled
    // do.
    get signal() {
      return context.signal;
    },
  });
  const page = tool.page?.(input, answer, caller) ?? null;
  const resolved = impliedOrganization === null ? answer : { organization_id: impliedOrganization, ...answer };
  return {
    json: JSON.stringify(withPageUrl(resolved, page, context.publicUrl)),
    outcome: 'ok',
    status: 200,
    isInvalidCall: tool.rejectsInput?.(answer) ?? false,
    resource: page?.resource,
  };
}

/** Turns what a tool threw into a refusal. Returns an unexpected error unchanged. */
function refusalOf(thrown: unknown, { readOnly }: Tool, { signal }: CallContext): unknown {
  if (!signal?.aborted || thrown !== signal.reason) return asRefusal(thrown);
  const advice = readOnly ? '' : ' Repeat it with the same idempotency_key to finish it.';
  return new Refusal('unavailable', `The request was cancelled.${advice}`);
}

const INTERNAL_ERROR = new Refusal(
  'internal',
  'An internal error occurred. Repeat the call; if it fails again, tell the operator.',
);

function refusalResult(refusal: Refusal): ToolResult {
  const { retry_after_seconds } = refusal.more;
  return {
    json: JSON.stringify({ error: refusal, ...refusal.answer }),
    outcome: refusal.code,
    status: ERRORS[refusal.code].status,
    isInvalidCall: refusal.code === 'invalid_input',
    ...(retry_after_seconds === undefined ? {} : { retryAfter: retry_after_seconds }),
  };
}

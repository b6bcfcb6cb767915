/** Calls the MCP endpoint of a running service: raw requests of both protocol eras, and the SDK's client. */
import { randomUUID } from 'node:crypto';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/** A tool's answer: its structuredContent, and true if it is an error. */
export interface Answer {
  isError: boolean;
  result: Record<string, unknown>;
}

/** A list's item: a record, a change or an organization. */
export interface Item {
  id: string;
  name: string;
  [field: string]: unknown;
}

export interface Change {
  position: string;
  event_type: string;
  record: { id: string; type: string; name: string };
  revision: number;
  recorded_at: string;
  actor: { id: string; kind: string; name: string };
  reason: string | null;
  changes: { field: string; from: unknown; to: unknown }[];
  [field: string]: unknown;
}

/** Members of all tools' answers. A test knows which ones its tool returns. */
export interface Result {
  organizations: Item[];
  vendors: Item[];
  risks: Item[];
  records: Item[];
  changes: Change[];
  vendor: Item;
  risk: Item;
  revision: number;
  position: string;
  event_types: string[];
  call_id: string;
  repeated?: true;
  superseded_by?: { reviewed_at: string; outcome: string | null };
  no_end?: string[];
  similar?: { id: string; name: string }[];
  hint?: string;
  selection?: string;
  next_cursor?: string;
  total: number;
  url?: string;
  as_of?: { position: string; date: string; note?: string };
  not_found: string[];
  omitted: string[];
  verification: {
    verdict: string;
    complete: boolean;
    covered_from: string | null;
    covered_to: string | null;
    streams: number;
    events: number;
    faults: unknown[];
    seal: object | null;
    inclusion: { position: string; path: string[] | null }[];
  };
}

export interface ToolError {
  code: string;
  message: string;
  field?: string;
  allowed?: string[];
  hint?: string;
  current_revision?: number;
  issues?: { field: string; message: string }[];
  retryable: boolean;
}

/** Calls a tool of the service at `url`. */
export type Call = (url: string, token: string, tool: string, args?: object) => Promise<Answer>;

const META = 'io.modelcontextprotocol/';
export const LEGACY = '2025-11-25';
export const MODERN = '2026-07-28';

/** A request of 2025-11-25: the version is in a header. @returns the JSON-RPC result */
export async function legacyRequest(url: string, token: string, method: string, params: object): Promise<object> {
  return request(url, token, { method, params }, { 'MCP-Protocol-Version': LEGACY });
}

/** A request of 2026-07-28: everything is in `_meta`, and in headers that agree with it. */
export async function modernRequest(
  url: string,
  token: string,
  method: string,
  params: { name?: string; uri?: string; [param: string]: unknown } = {},
): Promise<object> {
  const _meta = {
    [`${META}protocolVersion`]: MODERN,
    [`${META}clientInfo`]: { name: 'raw-client', version: '1.0' },
    [`${META}clientCapabilities`]: {},
  };
  const target = params.name ?? params.uri;
  const headers = {
    'MCP-Protocol-Version': MODERN,
    'Mcp-Method': method,
    ...(target === undefined ? {} : { 'Mcp-Name': target }),
  };
  return request(url, token, { method, params: { ...params, _meta } }, headers);
}

export const legacyCall: Call = async (url, token, name, args = {}) =>
  answerOf(await legacyRequest(url, token, 'tools/call', { name, arguments: args }));

export const modernCall: Call = async (url, token, name, args = {}) =>
  answerOf(await modernRequest(url, token, 'tools/call', { name, arguments: args }));

/** Returns the SDK's client, configured with an address and a token. */
export async function sdkClient(url: string, token: string): Promise<Client> {
  const client = new Client({ name: 'sdk-client', version: '1.0' });
  const headers = { Authorization: `Bearer ${token}` };
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/api/mcp/v1`), { requestInit: { headers } });
  // Under exactOptionalPropertyTypes, the class's `sessionId` doesn't match the interface's.
  await client.connect(transport as Parameters<Client['connect']>[0]);
  return client;
}

/** A caller of tools. */
export type ToolCaller = Pick<Session, 'ok'>;

/** Makes the dry run of a call, then the call with its selection. */
export async function confirm(caller: ToolCaller, tool: string, args: object): Promise<Result> {
  const { selection } = await caller.ok(tool, { ...args, dry_run: true });
  return caller.ok(tool, { ...args, selection });
}

/** Calls tools with one token. An unexpected answer is an error that shows the answer. */
export class Session {
  constructor(
    readonly url: string,
    readonly token: string,
    private readonly via: Call = legacyCall,
  ) {}

  /** Returns the tool's answer. @throws Error when it refuses */
  async ok(tool: string, args: object = {}): Promise<Result> {
    const { isError, result } = await this.via(this.url, this.token, tool, args);
    if (isError)
      throw new Error(`${tool} was refused: ${JSON.stringify(result)}\n${JSON.stringify(args).slice(0, 500)}`);
    return result as unknown as Result;
  }

  /** Returns the tool's refusal. @throws Error when it does not refuse */
  async refused(tool: string, args: object = {}): Promise<ToolError> {
    const { isError, result } = await this.via(this.url, this.token, tool, args);
    if (!isError) throw new Error(`${tool} was not refused: ${JSON.stringify(args).slice(0, 500)}`);
    return result.error as ToolError;
  }

  /** Reads all items of a list, page by page. */
  async walk(tool: string, plural: 'vendors' | 'risks' | 'changes', args: object): Promise<(Item | Change)[]> {
    const all: (Item | Change)[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.ok(tool, cursor === undefined ? args : { ...args, cursor });
      all.push(...page[plural]);
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    return all;
  }
}

async function request(url: string, token: string, message: object, headers: object): Promise<object> {
  const response = await fetch(`${url}/api/mcp/v1`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: randomUUID(), ...message }),
  });
  const body = (await response.json()) as { result?: object; error?: RpcFailure['error'] };
  if (body.result === undefined) throw new RpcFailure(response.status, body.error!);
  return body.result;
}

/** A JSON-RPC error as the service sent it. */
export class RpcFailure extends Error {
  constructor(
    readonly status: number,
    readonly error: { code: number; message: string; data?: unknown },
  ) {
    super(`HTTP ${status}: ${JSON.stringify(error)}`);
  }
}

/** Returns the error that answers a request. @throws Error when the request succeeds */
export async function rpcErrorOf(request: Promise<object>): Promise<RpcFailure['error']> {
  const answer = await request.catch((error: unknown) => error);
  if (answer instanceof RpcFailure) return answer.error;
  throw new Error(`expected an error, got ${JSON.stringify(answer)}`);
}

/** The last lines of a report that comes as text say what its other members say. */
const REPORT_LINE = /^(whole|organization_id|url|position|digest|next_cursor): (.+)$/;

/** Returns a report that came as text alone, as the direct form answers it. */
export function reportOfText(text: string): Record<string, unknown> {
  const lines = text.trimEnd().split('\n');
  const end = lines.findLastIndex((line) => !REPORT_LINE.test(line)) + 1;
  const members = Object.fromEntries(lines.slice(end).map((line) => REPORT_LINE.exec(line)!.slice(1)));
  const { position, digest, whole, ...around } = members as Record<string, string>;
  return { report: { content: `${lines.slice(0, end - 1).join('\n')}\n`, position, digest, whole }, ...around };
}

/** Text and structure of a result must say the same, and an error must be one in both. Markdown reports are text alone. */
export function answerOf(result: object): Answer {
  const {
    content,
    structuredContent,
    isError = false,
  } = result as {
    content: { type: string; text: string }[];
    structuredContent?: Record<string, unknown>;
    isError?: boolean;
  };
  if (structuredContent === undefined && !isError) return { isError, result: reportOfText(content[0]!.text) };
  if (structuredContent === undefined) throw new Error('an error has no structuredContent');
  if (content[0]?.text !== JSON.stringify(structuredContent)) throw new Error('text and structuredContent differ');
  if (isError !== structuredContent.error instanceof Object) throw new Error('isError and error differ');
  return { isError, result: structuredContent };
}

/**
 * The Model Context Protocol over stateless HTTP: one message in, at most one out. Knows methods, eras and errors;
 * the bytes on the wire are src/http's, the tools are the ToolBox's. Prompts and resources are made of those tools.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { ErrorCode, InitializeRequestParamsSchema, type RequestId } from '@modelcontextprotocol/sdk/types.js';
import type { Caller } from '../commands/caller.ts';
import { toolCaller } from './call-tool.ts';
import { getPrompt, PROMPT_LIST } from './prompts.ts';
import {
  checkVersionHeader,
  clientOf,
  type Era,
  eraOf,
  isLegacyVersion,
  LATEST_LEGACY_VERSION,
  RESOURCE_NOT_FOUND,
  SERVER_INFO,
  SUPPORTED_VERSIONS,
} from './protocol-era.ts';
import {
  errorMessage,
  isObject,
  ProtocolError,
  type RpcRequest,
  readMessage,
  resultMessage,
} from './protocol-message.ts';
import { RESOURCE_TEMPLATES, RESOURCES, readResource } from './resources.ts';
import type { CallContext } from './tool.ts';
import type { ToolBox, ToolResult } from './toolbox.ts';

/** How long a modern client may keep what changes only with a new version of the service: lists, the library. */
const STATIC_TTL_MS = 3_600_000;

/** What a message comes with. */
export interface McpExchange {
  headers: IncomingHttpHeaders;
  caller: Caller;
  /** Ends when the client has gone. */
  readonly signal: AbortSignal;
  /** Whether the client takes messages ahead of the answer. */
  readonly streams: boolean;
  /** Sends a message ahead of the answer, if the client has taken those before. */
  notify(message: string): void;
  /** Told what was asked for, for the log. */
  onMethod(method: string, tool?: string): void;
}

/** The answer: an HTTP status and one JSON-RPC message, or an empty text where there is none to give. */
export interface ProtocolAnswer {
  status: number;
  text: string;
  /** The message, or the tool's input in it, was wrong. */
  illegal?: boolean;
  /** The rest of the message, where it is the same every time. */
  rest?: Buffer;
}

export interface Protocol {
  /** What is wrong with the message is in the answer; it throws only for a fault of our own. */
  answer(message: unknown, exchange: McpExchange): Promise<ProtocolAnswer>;
}

const STATIC_CACHE = { ttlMs: STATIC_TTL_MS, cacheScope: 'public' };
/** What the register says now is old at once, and for nobody else. */
const LIVE_CACHE = { ttlMs: 0, cacheScope: 'private' };

const ACCEPTED: ProtocolAnswer = { status: 202, text: '' };

/** Serves the tools to clients of both eras. */
export function createProtocol(tools: ToolBox, server: { name: string; version: string }): Protocol {
  const results = precomputeResults(tools, server);

  async function answer(message: unknown, exchange: McpExchange): Promise<ProtocolAnswer> {
    let id: RequestId | undefined;
    try {
      const read = readMessage(message);
      if (read.kind !== 'request') {
        checkVersionHeader(exchange.headers);
        return ACCEPTED;
      }
      id = read.id;
      const era = eraOf(read, exchange.headers);
      exchange.onMethod(read.method);
      const work = working.get(read.method);
      return work === undefined ? describe(era, read) : await work(era, read, exchange);
    } catch (error) {
      return errorAnswer(error, id);
    }
  }

  /** Everything else: answers that hardly depend on the request. */
  function describe(era: Era, { id, method, params }: RpcRequest): ProtocolAnswer {
    const list = results.lists.get(method);
    if (list !== undefined) {
      if (params.cursor !== undefined) throw invalidParams('Unknown cursor: this list has one page.');
      return { status: 200, text: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`, rest: list[era] };
    }
    if (era === 'modern') {
      if (method === 'server/discover') return { status: 200, text: resultMessage(id, results.discover) };
      throw methodNotFound(404, method);
    }
    if (method === 'ping') return { status: 200, text: resultMessage(id, '{}') };
    if (method !== 'initialize') throw methodNotFound(200, method);
    const asked = InitializeRequestParamsSchema.safeParse(params);
    if (!asked.success) throw invalidParams('initialize needs protocolVersion, capabilities and clientInfo.');
    const version = isLegacyVersion(asked.data.protocolVersion) ? asked.data.protocolVersion : LATEST_LEGACY_VERSION;
    return { status: 200, text: resultMessage(id, results.initialize(version)) };
  }

  async function call(era: Era, request: RpcRequest, exchange: McpExchange): Promise<ProtocolAnswer> {
    const { id, params, meta } = request;
    const { name, arguments: args = {} } = params;
    if (typeof name !== 'string') throw invalidParams('Invalid params: "name" must be a string.');
    if (!tools.has(name)) throw invalidParams(`Unknown tool: ${name.slice(0, 100)}`);
    if (!isObject(args)) throw invalidParams('Invalid params: "arguments" must be an object.');
    exchange.onMethod('tools/call', name);
    const context = contextOf(era, request, exchange);
    const progress = exchange.streams ? progressReporter(meta.progressToken, exchange) : undefined;
    if (progress) context.progress = progress.report;
    const result = await tools.call(name, args, context);
    progress?.end();
    const text = callMessage(id, result, results.head[era], results.tail[era]);
    return { status: 200, text, illegal: result.illegal ?? false };
  }

  async function prompt(era: Era, request: RpcRequest, exchange: McpExchange): Promise<ProtocolAnswer> {
    const { name, arguments: args = {} } = request.params;
    if (typeof name !== 'string') throw invalidParams('Invalid params: "name" must be a string.');
    if (!isObject(args)) throw invalidParams('Invalid params: "arguments" must be an object.');
    return done(era, request, await getPrompt(tools, name, args, contextOf(era, request, exchange)));
  }

  async function resource(era: Era, request: RpcRequest, exchange: McpExchange): Promise<ProtocolAnswer> {
    const { uri } = request.params;
    if (typeof uri !== 'string') throw invalidParams('Invalid params: "uri" must be a string.');
    const found = await readResource(toolCaller(tools, contextOf(era, request, exchange)), uri);
    if (found === null) {
      const message = 'Resource not found: resources/list and resources/templates/list say what there is to read.';
      throw new ProtocolError(200, RESOURCE_NOT_FOUND[era], message, { uri: uri.slice(0, 500) });
    }
    const cache = found.isStatic ? STATIC_CACHE : LIVE_CACHE;
    return done(era, request, { contents: found.contents, ...(era === 'modern' ? cache : {}) });
  }

  const done = (era: Era, { id }: RpcRequest, result: object): ProtocolAnswer => {
    const members = JSON.stringify(result).slice(1, -1);
    return { status: 200, text: resultMessage(id, `{${results.head[era]}${members}${results.tail[era]}}`) };
  };

  /** The methods that ask the register. */
  const working = new Map([
    ['tools/call', call],
    ['prompts/get', prompt],
    ['resources/read', resource],
  ]);

  return { answer };
}

/** Only the newer era takes a lost connection for a cancellation; the older one forbids to. */
function contextOf(era: Era, { meta }: RpcRequest, exchange: McpExchange): CallContext {
  const caller: Caller = { ...exchange.caller, client: clientOf(era, meta, exchange.headers) };
  if (era === 'legacy') return { caller };
  return {
    caller,
    get signal() {
      return exchange.signal;
    },
  };
}

/** The texts that stay the same for every request, made once. */
function precomputeResults(tools: ToolBox, server: { name: string; version: string }) {
  const meta = `"_meta":${JSON.stringify({ [SERVER_INFO]: server })}`;
  const cache = JSON.stringify(STATIC_CACHE).slice(1, -1);
  const capabilities = { tools: {}, prompts: {}, resources: {} };
  const { instructions } = tools;
  /** From the result to the message's end. */
  const list = (member: string, json: string) => ({
    legacy: Buffer.from(`{"${member}":${json}}}`),
    modern: Buffer.from(`{"resultType":"complete","${member}":${json},${cache},${meta}}}`),
  });
  return {
    lists: new Map([
      ['tools/list', list('tools', tools.listJson)],
      ['prompts/list', list('prompts', JSON.stringify(PROMPT_LIST))],
      ['resources/list', list('resources', JSON.stringify(RESOURCES))],
      ['resources/templates/list', list('resourceTemplates', JSON.stringify(RESOURCE_TEMPLATES))],
    ]),
    discover:
      `{"resultType":"complete","supportedVersions":${JSON.stringify(SUPPORTED_VERSIONS)},` +
      `"capabilities":${JSON.stringify(capabilities)},"instructions":${JSON.stringify(instructions)},${cache},${meta}}`,
    initialize: (protocolVersion: string) =>
      JSON.stringify({ protocolVersion, capabilities, serverInfo: server, instructions }),
    head: { legacy: '', modern: '"resultType":"complete",' },
    tail: { legacy: '', modern: `,${meta}` },
  };
}

/** A tool's outcome: its JSON goes in twice as it is, as text for models and as structure for programs. */
function callMessage(id: RequestId, { json, status }: ToolResult, head: string, tail: string): string {
  if (status === 500) return errorMessage(id, ErrorCode.InternalError, 'Internal error', json);
  const failed = status === 200 ? '' : ',"isError":true';
  const content = `"content":[{"type":"text","text":${JSON.stringify(json)}}],"structuredContent":${json}`;
  return resultMessage(id, `{${head}${content}${failed}${tail}}`);
}

/** Progress is told at most ten times a second. */
const PROGRESS_INTERVAL_MS = 100;

/** Progress for a client that gave a token for it: always upward, the last one always, and never after the end. */
function progressReporter(token: unknown, exchange: McpExchange) {
  if (typeof token !== 'string' && !Number.isSafeInteger(token)) return undefined;
  let last = Number.NEGATIVE_INFINITY;
  let nextAt = 0;
  let untold: (() => void) | null = null;
  const report = (progress: number, total?: number, message?: string) => {
    if (!(progress > last)) return;
    last = progress;
    const params = { progressToken: token, progress, total, message };
    const tell = () => exchange.notify(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params }));
    const now = performance.now();
    untold = now < nextAt ? tell : null;
    if (untold !== null) return;
    nextAt = now + PROGRESS_INTERVAL_MS;
    tell();
  };
  return {
    report,
    end: () => {
      untold?.();
      last = Number.POSITIVE_INFINITY;
    },
  };
}

const invalidParams = (message: string) => new ProtocolError(200, ErrorCode.InvalidParams, message);

const methodNotFound = (status: number, method: string) =>
  new ProtocolError(status, ErrorCode.MethodNotFound, `Method not found: ${method.slice(0, 100)}`);

function errorAnswer(error: unknown, id: RequestId | undefined): ProtocolAnswer {
  if (!(error instanceof ProtocolError)) throw error;
  const { status, code, message, data } = error;
  const text = JSON.stringify(new ProtocolError(status, code, message, data, error.id ?? id));
  return { status, text, illegal: true };
}

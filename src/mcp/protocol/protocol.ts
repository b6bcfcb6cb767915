/**
 * The Model Context Protocol over stateless HTTP: one message in, at most one out. This file handles methods, eras and
 * errors. src/http writes the bytes, the ToolBox runs the tools, and prompts and resources call those tools.
 */
import type { IncomingHttpHeaders } from 'node:http';
import type { Caller } from '../../commands/organization/caller.ts';
import { isObject } from '../../tools/schema/is-object.ts';
import type { CallContext } from '../../tools/tool.ts';
import type { ToolBox, ToolResult } from '../../tools/toolbox.ts';
import { getPrompt, PROMPT_LIST } from '../prompts/prompts.ts';
import { toolCaller } from './call-tool.ts';
import { completeArgument } from './complete-argument.ts';
import { INITIALIZE_PARAMS } from './initialize-params.ts';
import {
  checkVersionHeader,
  clientOf,
  type Era,
  eraOf,
  isLegacyVersion,
  knowsIcons,
  LATEST_LEGACY_VERSION,
  RESOURCE_NOT_FOUND,
  SERVER_INFO,
  SUPPORTED_VERSIONS,
  statesVersion,
} from './protocol-era.ts';
import {
  errorMessage,
  ProtocolError,
  type RequestId,
  RPC_ERRORS,
  type RpcRequest,
  readMessage,
  resultMessage,
} from './protocol-message.ts';
import { RESOURCE_TEMPLATES, RESOURCES, readResource, recordLink } from './resources.ts';

/** The time for which a modern client may cache what only a new version of the service changes: lists, the framework library. */
const STATIC_TTL_MS = 3_600_000;

/** A message's HTTP context. */
export interface McpExchange {
  headers: IncomingHttpHeaders;
  caller: Caller;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  /** True if the client accepts messages before the answer. */
  readonly streams: boolean;
  /** Sends a message before the answer. May drop it if the client has not read earlier ones. */
  notify(message: string): void;
  /** Receives the request's method and tool, for the log. */
  onMethod(method: string, tool?: string): void;
}

/** An HTTP status and one JSON-RPC message. The text is empty if the message needs no answer. */
export interface ProtocolAnswer {
  status: number;
  text: string;
  /** True if the message or the tool's input in it was invalid. */
  isInvalidCall?: boolean;
  /** The end of the message, if it is the same for every request. */
  rest?: Buffer;
}

/** The service, as it presents itself to clients. */
export interface ServerDescription {
  name: string;
  version: string;
  /** An SVG, as a `data:` address. */
  icon?: string | undefined;
}

const STATIC_CACHE = { ttlMs: STATIC_TTL_MS, cacheScope: 'public' };
/** The register's current data: it must not be cached or shared. */
const LIVE_CACHE = { ttlMs: 0, cacheScope: 'private' };

/** Marks answers that can hold texts of the register: people wrote them, and a client must not follow them. */
const UNTRUSTED = { 'veritrail/untrusted': true };

const ACCEPTED: ProtocolAnswer = { status: 202, text: '' };

/** The protocol for clients of both eras. */
export class Protocol {
  private readonly results: ReturnType<typeof precomputeResults>;

  constructor(
    private readonly tools: ToolBox,
    server: ServerDescription,
    private readonly publicUrl?: string,
  ) {
    this.results = precomputeResults(tools, server);
  }

  /** Answers a message. An error in the message becomes an answer. Only a fault of the service is thrown. */
  async answer(message: unknown, exchange: McpExchange): Promise<ProtocolAnswer> {
    let id: RequestId | undefined;
    try {
      const request = readMessage(message);
      if (request.kind !== 'request') {
        checkVersionHeader(exchange.headers);
        return ACCEPTED;
      }
      id = request.id;
      const era = eraOf(request, exchange.headers);
      exchange.onMethod(request.method);
      return await this.answerMethod(era, request, exchange);
    } catch (error) {
      return errorAnswer(error, id);
    }
  }

  private answerMethod(era: Era, request: RpcRequest, exchange: McpExchange): Promise<ProtocolAnswer> | ProtocolAnswer {
    switch (request.method) {
      case 'tools/call':
        return this.callTool(era, request, exchange);
      case 'prompts/get':
        return this.getPrompt(era, request, exchange);
      case 'resources/read':
        return this.readResource(era, request, exchange);
      case 'completion/complete':
        return this.complete(era, request, exchange);
      default:
        return this.answerList(era, request) ?? (era === 'modern' ? this.discover(request) : this.handshake(request));
    }
  }

  private async callTool(era: Era, request: RpcRequest, exchange: McpExchange): Promise<ProtocolAnswer> {
    const { id, params, meta } = request;
    const { name, arguments: args = {} } = params;
    if (typeof name !== 'string') throw invalidParams('Invalid params: "name" must be a string.');
    if (!this.tools.has(name)) throw invalidParams(`Unknown tool: ${name.slice(0, 100)}`);
    if (!isObject(args)) throw invalidParams('Invalid params: "arguments" must be an object.');
    exchange.onMethod('tools/call', name);
    const context = contextOf(era, request, exchange);
    context.publicUrl = this.publicUrl;
    const progress = exchange.streams ? progressReporter(meta.progressToken, exchange) : undefined;
    if (progress) context.progress = progress.report;
    const result = await this.tools.call(name, args, context);
    progress?.end();
    // Content of this type is as old as the oldest supported version.
    const links = result.resource && statesVersion(request, exchange.headers) ? [recordLink(result.resource)] : [];
    const text = callMessage(id, result, links, this.results.head[era], this.results.untrustedTail[era]);
    return { status: 200, text, isInvalidCall: result.isInvalidCall ?? false };
  }

  private async getPrompt(era: Era, request: RpcRequest, exchange: McpExchange): Promise<ProtocolAnswer> {
    const { name, arguments: args = {} } = request.params;
    if (typeof name !== 'string') throw invalidParams('Invalid params: "name" must be a string.');
    if (!isObject(args)) throw invalidParams('Invalid params: "arguments" must be an object.');
    const result = await getPrompt(this.tools, name, args, contextOf(era, request, exchange));
    return this.untrustedAnswer(era, request, result);
  }

  private async readResource(era: Era, request: RpcRequest, exchange: McpExchange): Promise<ProtocolAnswer> {
    const { uri } = request.params;
    if (typeof uri !== 'string') throw invalidParams('Invalid params: "uri" must be a string.');
    const result = await readResource(toolCaller(this.tools, contextOf(era, request, exchange)), uri);
    if (result === null) {
      const message = 'Resource not found. See resources/list and resources/templates/list.';
      throw new ProtocolError(200, RESOURCE_NOT_FOUND[era], message, { uri: uri.slice(0, 500) });
    }
    const cache = result.isStatic ? STATIC_CACHE : LIVE_CACHE;
    const answer = { contents: result.contents, ...(era === 'modern' ? cache : {}) };
    return result.isStatic ? this.successAnswer(era, request, answer) : this.untrustedAnswer(era, request, answer);
  }

  private async complete(era: Era, request: RpcRequest, exchange: McpExchange): Promise<ProtocolAnswer> {
    const callTool = toolCaller(this.tools, contextOf(era, request, exchange));
    return this.untrustedAnswer(era, request, await completeArgument(callTool, request.params));
  }

  /** Answers a list of tools, prompts or resources. Returns null for any other method. */
  private answerList(era: Era, { id, method, params }: RpcRequest): ProtocolAnswer | null {
    const list = this.results.lists.get(method);
    if (list === undefined) return null;
    if (params.cursor !== undefined) throw invalidParams('Unknown cursor: this list has one page.');
    return { status: 200, text: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`, rest: list(era) };
  }

  private discover({ id, method }: RpcRequest): ProtocolAnswer {
    if (method !== 'server/discover') throw methodNotFound(404, method);
    return { status: 200, text: resultMessage(id, this.results.discover) };
  }

  /** Answers the legacy era's initialize and ping. */
  private handshake({ id, method, params }: RpcRequest): ProtocolAnswer {
    if (method === 'ping') return { status: 200, text: resultMessage(id, '{}') };
    if (method !== 'initialize') throw methodNotFound(200, method);
    const parsedParams = INITIALIZE_PARAMS.safeParse(params);
    if (!parsedParams.success) {
      const field = parsedParams.error.issues[0]!.path.join('.').slice(0, 100);
      throw invalidParams(`initialize needs protocolVersion, capabilities and clientInfo. Correct ${field}.`);
    }
    const version = isLegacyVersion(parsedParams.data.protocolVersion)
      ? parsedParams.data.protocolVersion
      : LATEST_LEGACY_VERSION;
    return { status: 200, text: resultMessage(id, this.results.initialize(version)) };
  }

  private successAnswer(
    era: Era,
    { id }: RpcRequest,
    result: object,
    tail: string = this.results.tail[era],
  ): ProtocolAnswer {
    const members = JSON.stringify(result).slice(1, -1);
    return { status: 200, text: resultMessage(id, `{${this.results.head[era]}${members}${tail}}`) };
  }

  /** Answers with texts that people wrote. */
  private untrustedAnswer(era: Era, request: RpcRequest, result: object): ProtocolAnswer {
    return this.successAnswer(era, request, result, this.results.untrustedTail[era]);
  }
}

/** Returns the context of a tool call. Only the modern era treats a lost connection as cancellation; the legacy one forbids it. */
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

/** Returns the texts that are the same for every request. */
function precomputeResults(tools: ToolBox, { name, version, icon }: ServerDescription) {
  const server = { name, version };
  const icons = icon === undefined ? {} : { icons: [{ src: icon, mimeType: 'image/svg+xml', sizes: ['any'] }] };
  const metaOf = (serverInfo: object, more = {}) => `"_meta":${JSON.stringify({ [SERVER_INFO]: serverInfo, ...more })}`;
  const meta = metaOf(server);
  const cache = JSON.stringify(STATIC_CACHE).slice(1, -1);
  const capabilities = { tools: {}, prompts: {}, resources: {}, completions: {} };
  const { instructions } = tools;
  /** Returns the text from the result to the end of the message. It is made once, when it is first needed. */
  const list = (member: string, json: () => string) => {
    let texts: Record<Era, Buffer> | undefined;
    return (era: Era): Buffer => {
      texts ??= {
        legacy: Buffer.from(`{"${member}":${json()}}}`),
        modern: Buffer.from(`{"resultType":"complete","${member}":${json()},${cache},${meta}}}`),
      };
      return texts[era];
    };
  };
  return {
    lists: new Map([
      ['tools/list', list('tools', () => tools.listJson())],
      ['prompts/list', list('prompts', () => JSON.stringify(PROMPT_LIST))],
      ['resources/list', list('resources', () => JSON.stringify(RESOURCES))],
      ['resources/templates/list', list('resourceTemplates', () => JSON.stringify(RESOURCE_TEMPLATES))],
    ]),
    discover:
      `{"resultType":"complete","supportedVersions":${JSON.stringify(SUPPORTED_VERSIONS)},` +
      `"capabilities":${JSON.stringify(capabilities)},"instructions":${JSON.stringify(instructions)},${cache},${metaOf({ ...server, ...icons })}}`,
    initialize: (protocolVersion: string) =>
      JSON.stringify({
        protocolVersion,
        capabilities,
        serverInfo: { ...server, ...(knowsIcons(protocolVersion) ? icons : {}) },
        instructions,
      }),
    head: { legacy: '', modern: '"resultType":"complete",' },
    tail: { legacy: '', modern: `,${meta}` },
    untrustedTail: {
      legacy: `,"_meta":${JSON.stringify(UNTRUSTED)}`,
      modern: `,${metaOf(server, UNTRUSTED)}`,
    },
  };
}

/**
 * Returns a tool's result message. It has the JSON twice: as text for models, as structure for programs.
 * @param links further content, after the text
 */
function callMessage(
  id: RequestId,
  { json, status }: ToolResult,
  links: readonly object[],
  head: string,
  tail: string,
): string {
  if (status === 500) return errorMessage(id, RPC_ERRORS.internalError, 'Internal error', json);
  const errorMember = status === 200 ? '' : ',"isError":true';
  const blocks = [`{"type":"text","text":${JSON.stringify(json)}}`, ...links.map((link) => JSON.stringify(link))];
  const content = `"content":[${blocks}],"structuredContent":${json}`;
  return resultMessage(id, `{${head}${content}${errorMember}${tail}}`);
}

/** The shortest time between two progress messages. */
const PROGRESS_INTERVAL_MS = 100;

/**
 * Reports progress to a client that sent a progress token. Progress only rises. The last report is always sent, and no
 * report after the end.
 */
function progressReporter(token: unknown, exchange: McpExchange) {
  if (typeof token !== 'string' && !Number.isSafeInteger(token)) return undefined;
  let last = Number.NEGATIVE_INFINITY;
  let nextAt = 0;
  let delayed: (() => void) | null = null;
  const report = (progress: number, total?: number, message?: string) => {
    if (!(progress > last)) return;
    last = progress;
    const params = { progressToken: token, progress, total, message };
    const send = () => exchange.notify(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params }));
    const now = performance.now();
    delayed = now < nextAt ? send : null;
    if (delayed !== null) return;
    nextAt = now + PROGRESS_INTERVAL_MS;
    send();
  };
  return {
    report,
    end: () => {
      delayed?.();
      last = Number.POSITIVE_INFINITY;
    },
  };
}

const invalidParams = (message: string) => new ProtocolError(200, RPC_ERRORS.invalidParams, message);

const methodNotFound = (status: number, method: string) =>
  new ProtocolError(status, RPC_ERRORS.methodNotFound, `Method not found: ${method.slice(0, 100)}`);

function errorAnswer(error: unknown, id: RequestId | undefined): ProtocolAnswer {
  if (!(error instanceof ProtocolError)) throw error;
  const { status, code, message, data } = error;
  const text = JSON.stringify(new ProtocolError(status, code, message, data, error.id ?? id));
  return { status, text, isInvalidCall: true };
}

/** The protocol's methods. The ToolBox runs the tools, and prompts, resources and completions call those tools. */
import { type Implementation, type Result, type ServerContext, specTypeSchemas } from '@modelcontextprotocol/server';
import { monotonicMs } from '../../clock/monotonic.ts';
import type { Caller } from '../../commands/organization/caller.ts';
import { asObject, isObject, type UncheckedObject } from '../../tools/schema/client-values.ts';
import { once } from '../../tools/schema/once.ts';
import type { CallContext } from '../../tools/tool.ts';
import type { ToolBox, ToolResult } from '../../tools/toolbox.ts';
import { getPrompt, PROMPT_LIST } from '../prompts/prompts.ts';
import { toolCaller } from './call-tool.ts';
import { checkParams } from './check-params.ts';
import { completeArgument } from './complete-argument.ts';
import type { McpExchange, ServedProtocol } from './mcp-exchange.ts';
import {
  clientOf,
  type Era,
  invalidParams,
  isLegacyVersion,
  knowsIcons,
  LATEST_LEGACY_VERSION,
  PREPARED,
  type PreparedResult,
  ProtocolError,
  RESOURCE_NOT_FOUND,
  RPC_ERRORS,
  type RpcRequest,
  SERVER_INFO,
  SUPPORTED_VERSIONS,
  statesVersion,
} from './protocol-message.ts';
import { RESOURCE_TEMPLATES, RESOURCES, readResource, recordLink } from './resources.ts';

/** A client's request, while a server of the SDK answers it. */
export interface PendingCall {
  readonly request: RpcRequest;
  readonly exchange: McpExchange;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

/** Returns the result, and throws a ProtocolError for an error answer. Only a fault of the service throws anything else. */
type Method = (call: PendingCall, notify: Notify) => Promise<PreparedResult> | PreparedResult;

/** A modern client may cache for an hour what only a new version of the service changes: lists, the framework library. */
const STATIC_CACHE = { ttlMs: 3_600_000, cacheScope: 'public' };
/** The list of tools follows the caller's roles, which seldom change. */
const TOOLS_CACHE = { ttlMs: 300_000, cacheScope: 'private' };
/** The register's current data: it must not be cached or shared. */
const LIVE_CACHE = { ttlMs: 0, cacheScope: 'private' };

/** Marks answers that can hold texts of the register: people wrote them, and a client must not follow them. */
const UNTRUSTED = { 'veritrail/untrusted': true };

export const CAPABILITIES = { tools: {}, prompts: {}, resources: {}, completions: {} };

/** Returns an era's methods by their names. */
export function protocolMethods(era: Era, served: ServedProtocol): ReadonlyMap<string, Method> {
  const { tools } = served;
  return new Map<string, Method>([
    era === 'legacy' ? ['initialize', initialize(served)] : ['server/discover', discover(served)],
    ['tools/list', listOf('tools', cacheFor(era, TOOLS_CACHE), ({ caller }) => tools.listJson(caller))],
    ['prompts/list', staticList('prompts', era, PROMPT_LIST)],
    ['resources/list', staticList('resources', era, RESOURCES)],
    ['resources/templates/list', staticList('resourceTemplates', era, RESOURCE_TEMPLATES)],
    ['tools/call', (call, notify) => callTool(era, served, call, notify)],
    ['prompts/get', (call) => answerPrompt(era, tools, call)],
    ['resources/read', (call) => answerResource(era, tools, call)],
    ['completion/complete', (call) => complete(era, tools, call)],
  ]);
}

/** Answers the legacy era's initialize. The SDK's own answer would show icons to versions without them. */
function initialize(served: ServedProtocol): Method {
  const rule = 'initialize needs protocolVersion, capabilities and clientInfo.';
  return ({ request: { params } }) => {
    const requested = checkParams(specTypeSchemas.InitializeRequestParams, params, rule).protocolVersion;
    const protocolVersion = isLegacyVersion(requested) ? requested : LATEST_LEGACY_VERSION;
    const serverInfo = knowsIcons(protocolVersion) ? withIcons(served) : nameOf(served);
    return { protocolVersion, capabilities: CAPABILITIES, serverInfo, instructions: served.tools.instructions };
  };
}

/** Answers the modern era's server/discover. The SDK's own answer would leave out the legacy versions and the icons. */
function discover(served: ServedProtocol): Method {
  const versions = { supportedVersions: SUPPORTED_VERSIONS, capabilities: CAPABILITIES };
  const _meta = { [SERVER_INFO]: withIcons(served) };
  const result = { ...versions, instructions: served.tools.instructions, ...STATIC_CACHE, _meta };
  return () => result;
}

export const nameOf = ({ name, version }: ServedProtocol) => ({ name, version });

function withIcons(served: ServedProtocol): Implementation {
  const { icon } = served;
  const icons = icon === undefined ? {} : { icons: [{ src: icon, mimeType: 'image/svg+xml', sizes: ['any'] }] };
  return { ...nameOf(served), ...icons };
}

function staticList(member: string, era: Era, list: readonly object[]): Method {
  const json = once(() => JSON.stringify(list));
  return listOf(member, cacheFor(era, STATIC_CACHE), json);
}

/** Answers a list of one page. There are few different lists, so each is prepared once. */
function listOf(member: string, cache: object, jsonFor: (exchange: McpExchange) => string): Method {
  const prepared = new Map<string, PreparedResult>();
  return ({ request, exchange }) => {
    if (request.params.cursor !== undefined) throw invalidParams('Unknown cursor: this list has one page.');
    const json = jsonFor(exchange);
    const list = prepared.get(json) ?? { ...cache, [PREPARED]: { text: Buffer.from(`"${member}":${json}}}`) } };
    prepared.set(json, list);
    return list;
  };
}

const cacheFor = (era: Era, cache: object): object => (era === 'legacy' ? {} : cache);

/** Returns the arguments of a call. Some clients send null for none, or the text of their JSON. @throws ProtocolError */
function argumentsOf(params: UncheckedObject): UncheckedObject {
  const args = asObject(params.arguments ?? {});
  if (!isObject(args)) throw invalidParams('Invalid params: "arguments" must be an object.');
  return args;
}

async function callTool(
  era: Era,
  { tools, publicUrl }: ServedProtocol,
  { request, exchange }: PendingCall,
  notify: Notify,
): Promise<PreparedResult> {
  const { params, meta } = request;
  const { name } = params;
  if (typeof name !== 'string') throw invalidParams('Invalid params: "name" must be a string.');
  if (!tools.has(name)) throw invalidParams(`Unknown tool: ${name.slice(0, 100)}`);
  const args = argumentsOf(params);
  exchange.onMethod('tools/call', name);
  const context = contextOf(era, request, exchange);
  context.publicUrl = publicUrl;
  const progress = exchange.streams ? progressReporter(meta.progressToken, notify) : undefined;
  if (progress) context.progress = progress.report;
  const result = await tools.call(name, args, context);
  const { json, status, outcome, isInvalidCall = false } = result;
  progress?.end();
  if (status === 500) throw new ProtocolError(200, RPC_ERRORS.internalError, 'Internal error', JSON.parse(json));
  // Content of this type is as old as the oldest supported version.
  const link = statesVersion(request, exchange.headers) ? linkOf(result) : null;
  const content = `"content":[{"type":"text","text":${JSON.stringify(result.text ?? json)}}${link === null ? '' : `,${JSON.stringify(link)}`}]`;
  // The JSON is there twice: as text for models, as structure for programs. Many clients show models the structure alone,
  // so an answer with a better text has none.
  const structure = result.text ? '' : `,"structuredContent":${json}`;
  const text = `${content}${structure}${outcome === 'ok' ? '' : ',"isError":true'}}}`;
  return { _meta: UNTRUSTED, [PREPARED]: { text, isInvalidCall } };
}

/** Returns the link to an answer's record, or to the page of an answer that is text; null without either. */
function linkOf({ json, text, resource }: ToolResult): object | null {
  if (resource !== undefined) return recordLink(resource);
  if (!text) return null;
  const { url, report } = JSON.parse(json) as { url?: string; report: { title: string } };
  return url === undefined ? null : { type: 'resource_link', uri: url, name: report.title, mimeType: 'text/html' };
}

async function answerPrompt(era: Era, tools: ToolBox, { request, exchange }: PendingCall): Promise<Result> {
  const { name } = request.params;
  if (typeof name !== 'string') throw invalidParams('Invalid params: "name" must be a string.');
  const args = argumentsOf(request.params);
  return { ...(await getPrompt(tools, name, args, contextOf(era, request, exchange))), _meta: UNTRUSTED };
}

async function answerResource(era: Era, tools: ToolBox, { request, exchange }: PendingCall): Promise<Result> {
  const { uri } = request.params;
  if (typeof uri !== 'string') throw invalidParams('Invalid params: "uri" must be a string.');
  const resource = await readResource(toolCaller(tools, contextOf(era, request, exchange)), uri);
  if (resource === null) {
    const message = 'Resource not found. See resources/list and resources/templates/list.';
    throw new ProtocolError(200, RESOURCE_NOT_FOUND[era], message, { uri: uri.slice(0, 500) });
  }
  const { contents, isStatic } = resource;
  return {
    contents,
    ...cacheFor(era, isStatic ? STATIC_CACHE : LIVE_CACHE),
    ...(isStatic ? {} : { _meta: UNTRUSTED }),
  };
}

async function complete(era: Era, tools: ToolBox, { request, exchange }: PendingCall): Promise<Result> {
  const callTool = toolCaller(tools, contextOf(era, request, exchange));
  return { ...(await completeArgument(callTool, request.params)), _meta: UNTRUSTED };
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

/** Sends a notification that belongs to a request. */
type Notify = ServerContext['mcpReq']['notify'];

/** The shortest time between two progress messages. */
const PROGRESS_INTERVAL_MS = 100;

/**
 * Reports progress to a client that sent a progress token. Progress only rises. The last report is always sent, and no
 * report after the end.
 */
export function progressReporter(progressToken: unknown, notify: Notify) {
  if (typeof progressToken !== 'string' && !Number.isSafeInteger(progressToken)) return undefined;
  let last = Number.NEGATIVE_INFINITY;
  let nextAt = 0;
  let delayed: (() => void) | null = null;
  const report = (progress: number, total?: number, message?: string) => {
    if (!(progress > last)) return;
    last = progress;
    const params = { progressToken, progress, total, message };
    // The SDK rejects when its connection is closed. An unhandled rejection would end the process.
    const send = () => void notify({ method: 'notifications/progress', params }).catch(() => undefined);
    const now = monotonicMs();
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

import {
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  PerRequestHTTPServerTransport,
  type RequestId,
  type Result,
  Server,
} from '@modelcontextprotocol/server';
import type { McpExchange, ServedProtocol } from './mcp-exchange.ts';
import { CAPABILITIES, nameOf, type PendingCall, protocolMethods } from './methods.ts';
import {
  type Era,
  META,
  MODERN_VERSION,
  methodNotFound,
  ProtocolError,
  RPC_ERRORS,
  type RpcRequest,
  SUPPORTED_VERSIONS,
} from './protocol-message.ts';

/** The transports to the SDK's servers, one for each era. */
export type SdkServers = Readonly<Record<Era, StatelessTransport>>;

/** Starts a server of the SDK for each era. They serve all requests: creating a server costs more than answering one. */
export async function startSdkServers(served: ServedProtocol): Promise<SdkServers> {
  return { legacy: await startSdkServer('legacy', served), modern: await startSdkServer('modern', served) };
}

/**
 * The server refuses methods that its era doesn't have, answers ping, and adds to each modern result what that era requires.
 * All other methods are behind its fallback handler: for a registered handler, the SDK would check and copy the parameters
 * and the result, which costs more than the call itself.
 */
async function startSdkServer(era: Era, served: ServedProtocol): Promise<StatelessTransport> {
  const transport = new StatelessTransport(era);
  const methods = protocolMethods(era, served);
  const server = new Server(nameOf(served), {
    capabilities: CAPABILITIES,
    supportedProtocolVersions: [...SUPPORTED_VERSIONS],
  });
  server.removeRequestHandler('initialize');
  server.removeRequestHandler('server/discover');
  server.fallbackRequestHandler = async ({ method }, { mcpReq: { id, notify } }) => {
    const call = transport.call(id);
    try {
      const answer = methods.get(method);
      if (answer === undefined) throw methodNotFound(era, method);
      return await answer(call, notify);
    } catch (error) {
      // The SDK replaces the legacy era's code for an unknown resource, and would show a fault's text to the client.
      call.reject(error);
      throw error;
    }
  };
  server.onerror = () => transport.refuseUnread();
  await server.connect(transport);
  return transport;
}

const MAX_ERROR_CHARACTERS = 300;

/**
 * The `_meta` of each modern request for the SDK, which requires one. `eraOf` has checked the client's. The service uses no
 * capability of clients, so the SDK gets none.
 */
const MODERN_META = Object.freeze({
  [`${META}protocolVersion`]: MODERN_VERSION,
  [`${META}clientCapabilities`]: Object.freeze({}),
});

/**
 * Connects one server of the SDK to all requests of an era. Each request has a number of its own for the SDK, because
 * clients choose their ids and choose equal ones: by those, a client could get another one's answer.
 *
 * It extends the SDK's transport for a single exchange, because a server that connects to that serves the modern era. Its
 * `handleMessage`, which would end the connection, is never called.
 */
export class StatelessTransport extends PerRequestHTTPServerTransport {
  private readonly calls = new Map<RequestId, PendingCall>();
  private lastId = 0;
  private readonly meta: object | undefined;
  /** The call whose message the SDK is reading. It reads synchronously. */
  private reading: PendingCall | undefined;

  constructor(private readonly era: Era) {
    super({ classification: era === 'modern' ? { era, revision: MODERN_VERSION } : { era } });
    this.meta = era === 'modern' ? MODERN_META : undefined;
  }

  /** The number of calls without an answer. */
  get pending(): number {
    return this.calls.size;
  }

  /** Returns a running call by the SDK's number for it. */
  call(id: RequestId): PendingCall {
    return this.calls.get(id)!;
  }

  /** Returns the server's result. @throws ProtocolError, or what a method throws */
  async request(request: RpcRequest, exchange: McpExchange): Promise<Result> {
    this.lastId += 1;
    const id = this.lastId;
    try {
      return await new Promise<Result>((resolve, reject) => {
        const call = { request, exchange, resolve, reject };
        this.calls.set(id, call);
        this.reading = call;
        // The SDK leaves a request unanswered if it refuses a part of `_meta` that the protocol lets servers ignore.
        const params = { ...request.params, _meta: this.meta } as Record<string, unknown>;
        this.onmessage!({ jsonrpc: '2.0', id, method: request.method, params });
        this.reading = undefined;
      });
    } finally {
      this.calls.delete(id);
    }
  }

  /** Answers the request that the SDK can't read. The SDK only reports it, and its client would wait for ever. */
  refuseUnread(): void {
    this.reading?.reject(
      new ProtocolError(400, RPC_ERRORS.invalidRequest, 'The request can’t be read. Check its params.'),
    );
  }

  override async send(
    message: JSONRPCMessage,
    { relatedRequestId }: { relatedRequestId?: RequestId } = {},
  ): Promise<void> {
    if ('method' in message) {
      if (relatedRequestId !== undefined) this.calls.get(relatedRequestId)?.exchange.notify(JSON.stringify(message));
      return;
    }
    const call = message.id === undefined ? undefined : this.calls.get(message.id);
    if ('result' in message) call?.resolve(message.result);
    else call?.reject(this.refusal(call.request, message.error));
  }

  /** Returns an error that the SDK made, as it is sent to clients. The SDK's texts can repeat all that a client sent. */
  private refusal({ method }: RpcRequest, { code, message }: JSONRPCErrorResponse['error']): ProtocolError {
    if (code === RPC_ERRORS.methodNotFound) return methodNotFound(this.era, method);
    return new ProtocolError(200, code, message.slice(0, MAX_ERROR_CHARACTERS));
  }
}

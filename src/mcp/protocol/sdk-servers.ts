import { Server } from '@modelcontextprotocol/server';
import type { ServedProtocol } from './mcp-exchange.ts';
import { CAPABILITIES, nameOf, protocolMethods } from './methods.ts';
import { type Era, methodNotFound, SUPPORTED_VERSIONS } from './protocol-era.ts';
import { StatelessTransport } from './stateless-transport.ts';

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

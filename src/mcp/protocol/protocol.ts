/**
 * The Model Context Protocol over stateless HTTP: one message in, at most one out. This file reads messages and finds their
 * era. src/http writes the bytes. A server of the SDK answers, for which `methods.ts` has the methods.
 */
import type { McpExchange, ProtocolAnswer, ServedProtocol } from './mcp-exchange.ts';
import {
  checkVersionHeader,
  eraOf,
  ProtocolError,
  type RequestId,
  RPC_ERRORS,
  readMessage,
  resultAnswer,
} from './protocol-message.ts';
import type { SdkServers } from './sdk-servers.ts';

const ACCEPTED: ProtocolAnswer = { status: 202, text: '' };

/** The protocol for clients of both eras. */
export class Protocol {
  private servers: Promise<SdkServers> | undefined;

  constructor(private readonly served: ServedProtocol) {}

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
      this.servers ??= this.startServers();
      const servers = await this.servers;
      return resultAnswer(id, await servers[era].request(request, exchange));
    } catch (error) {
      return errorAnswer(error, id);
    }
  }

  /** Starts the servers for the first request, so that the start of the service doesn't load the SDK. */
  private async startServers(): Promise<SdkServers> {
    const { startSdkServers } = await import('./sdk-servers.ts');
    return startSdkServers(this.served);
  }
}

function errorAnswer(error: unknown, id: RequestId | undefined): ProtocolAnswer {
  if (!(error instanceof ProtocolError)) throw error;
  const { status, code, message, data } = error;
  const text = JSON.stringify(new ProtocolError(status, code, message, data, error.id ?? id));
  return { status, text, isInvalidCall: code !== RPC_ERRORS.internalError };
}

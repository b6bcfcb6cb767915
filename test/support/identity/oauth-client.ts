/** A stock OAuth client: the SDK's own, with its own auth flow, as a command-line assistant uses it. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type OAuthClientProvider, UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import { until } from '../run/wait.ts';

/** Opens the address that a client asks a person to open. */
export type Opener = (url: string) => Promise<unknown>;

/** Allowing must not take longer. */
const ALLOW_MS = 30_000;
const NAME = 'Stock client';

/** Stores everything in memory, also the address to which the person is sent. */
export class MemoryProvider implements OAuthClientProvider {
  sentTo: URL | null = null;
  /** Address of the client metadata document, for a client that identifies itself by it instead of registering. */
  clientMetadataUrl?: string;
  held: { client?: OAuthClientInformationMixed; tokens?: OAuthTokens; verifier: string } = { verifier: '' };
  private readonly expected = randomUUID();

  constructor(
    readonly redirectUrl: string,
    private readonly scope?: string,
  ) {}

  get clientMetadata() {
    return {
      client_name: NAME,
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      ...(this.scope === undefined ? {} : { scope: this.scope }),
    };
  }

  state = () => this.expected;
  clientInformation = () => this.held.client;
  saveClientInformation(client: OAuthClientInformationMixed): void {
    this.held.client = client;
  }
  tokens = () => this.held.tokens;
  saveTokens(tokens: OAuthTokens): void {
    this.held.tokens = tokens;
  }
  invalidateCredentials(scope: string): void {
    if (scope === 'all' || scope === 'tokens') delete this.held.tokens;
    if (scope === 'all' || scope === 'client') delete this.held.client;
  }
  redirectToAuthorization(url: URL): void {
    this.sentTo = url;
  }
  saveCodeVerifier(verifier: string): void {
    this.held.verifier = verifier;
  }
  codeVerifier = () => this.held.verifier;
}

/** A connected assistant with its client state. */
export interface ConnectedAssistant {
  client: Client;
  provider: MemoryProvider;
  /** The answer at the client's loopback address: code, state and issuer. */
  answer: URLSearchParams;
  close(): Promise<void>;
}

/**
 * Connects to the endpoint with only its address: is refused, finds the authorization server, registers, has the person
 * allow it, exchanges the code and connects.
 * @param open gives the address to a browser and has the person allow there
 * @throws Error if no answer arrives in time, or the answer is an error or for another client
 */
export async function connectByOAuth(endpoint: string, open: Opener, scope?: string): Promise<ConnectedAssistant> {
  const callback = await listenForCallback();
  try {
    const provider = new MemoryProvider(callback.url, scope);
    const first = transportOf(endpoint, provider);
    const error = await newClient()
      .connect(first.asTransport)
      .catch((error: unknown) => error);
    if (!(error instanceof UnauthorizedError))
      throw new Error(`the address admitted a client without a token: ${error}`);
    await open(provider.sentTo!.href);
    const answer = await until(callback.answer, ALLOW_MS, 'the browser comes back to the client');
    const code = answer.get('code');
    if (code === null || answer.get('state') !== provider.state()) throw new Error(`came back with ${answer}`);
    await first.transport.finishAuth(code);
    const client = newClient();
    await client.connect(transportOf(endpoint, provider).asTransport);
    return { client, provider, answer, close: () => client.close() };
  } finally {
    await callback.close();
  }
}

const newClient = () => new Client({ name: NAME, version: '1.0' });

function transportOf(endpoint: string, authProvider: OAuthClientProvider) {
  const transport = new StreamableHTTPClientTransport(new URL(endpoint), { authProvider });
  // The class declares `sessionId` in a way that exactOptionalPropertyTypes does not take for the interface's.
  return { transport, asTransport: transport as Parameters<Client['connect']>[0] };
}

/** The loopback address that a client on this machine is answered at. */
async function listenForCallback() {
  let answer: URLSearchParams | null = null;
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (pathname === '/callback') answer = searchParams;
    response.writeHead(pathname === '/callback' ? 200 : 404, { 'Content-Type': 'text/html', Connection: 'close' });
    response.end('<!doctype html><html lang="en"><title>Connected</title><p>You may close this window.</p></html>');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    answer: () => answer,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

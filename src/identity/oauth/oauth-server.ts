import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AuthorizationServerOptions, createAuthorizationServer } from './authorization-server.ts';
import { Clients } from './clients.ts';
import { Consent, type ConsentOptions } from './consent.ts';

type OAuthServerOptions = Omit<AuthorizationServerOptions & ConsentOptions, 'clients' | 'provider'>;

/** The parts of the authorization server that need oidc-provider. */
export interface OAuthServer {
  /** Serves a protocol endpoint. Never rejects. */
  serve(request: IncomingMessage, response: ServerResponse): Promise<void>;
  consent: Consent;
}

/** Creates the library's server and the consent for its requests. */
export function createOAuthServer(options: OAuthServerOptions): OAuthServer {
  const clients = new Clients(options.accounts, options.keys.clientKey, options.now);
  const provider = createAuthorizationServer({ ...options, clients });
  return { serve: provider.callback(), consent: new Consent({ ...options, clients, provider }) };
}

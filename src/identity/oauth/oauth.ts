import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AccountStore } from '../../stores/account-store.ts';
import { accountActor } from '../actor.ts';
import { networkOf } from '../client-info.ts';
import type { Members } from '../members.ts';
import { RateLimit } from '../rate-limit.ts';
import type { TokenListItem } from '../token-lists.ts';
import type { TokenRecord } from '../token-record.ts';
import type { Tokens } from '../tokens.ts';
import { OAuthAddresses } from './addresses.ts';
import type { AuthorizationError } from './authorization-error.ts';
import { createAuthorizationServer } from './authorization-server.ts';
import { ClientDocuments, type DocumentLog } from './client-documents.ts';
import { Clients } from './clients.ts';
import { Consent } from './consent.ts';
import type { MetadataFetchMode, OutboundNetwork } from './metadata-fetch.ts';
import { loadOAuthKeys } from './oauth-keys.ts';
import { Quota } from './quota.ts';
import type { AdapterOptions } from './store-adapter.ts';

const HOUR_MS = 3_600_000;
/** Clients registered within an hour: from one network, and in all. */
const REGISTRATION_LIMITS = { each: 120, all: 600, ms: HOUR_MS };
/** Strangers' requests that are put to a person within a minute, from one network and in all. Each is kept half an hour. */
const REQUEST_LIMITS = { each: 60, all: 600, ms: 60_000 };
/** The same for each account that has signed in, whatever strangers do. */
const MAX_ACCOUNT_REQUESTS = 60;
/** Documents of clients fetched within a minute, beside those that are remembered. */
const FETCH_LIMITS = { each: 10, all: 60, ms: 60_000 };

export interface OAuthOptions {
  accounts: AccountStore;
  tokens: Pick<Tokens, 'connect' | 'revoke' | 'listOfAccount'>;
  members: Pick<Members, 'organizationsOf'>;
  /** The account that the session cookie of a request says, once all steps of signing in were done; else null. */
  signedIn(request: IncomingMessage): Promise<string | null>;
  /** The client's address, as visitors() of src/http/client-info-reader.ts finds it. */
  addressOf(request: IncomingMessage): string;
  /** The service's base address. A path in it is ignored: the issuer has none. */
  baseUrl: string;
  now: () => Date;
  /** Says when documents of clients are fetched, and clients are told so. */
  metadataFetch: MetadataFetchMode;
  /** Told what went wrong on our side. */
  report(error: unknown): void;
  /** Told what became of documents of clients. */
  log: DocumentLog;
  /** The world outside, for the documents of clients. */
  outside?: OutboundNetwork;
}

/** An assistant that an account connected. */
export type Assistant = TokenListItem;

/** The OAuth 2.1 authorization server, and what pages need of it. */
export interface OAuth {
  addresses: OAuthAddresses;
  documents: Pick<ClientDocuments, 'areAdvertised'>;
  consent: Consent;
  /**
   * Serves one of the protocol's endpoints. Never rejects. Leaves a request unanswered that `authorizationError` then
   * knows of.
   */
  serve(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Says why an authorization request was refused that our own page has to answer; null where none has to. */
  authorizationError(request: IncomingMessage): AuthorizationError | null;
  /** The account that a browser's session says, or null. */
  signedIn(request: IncomingMessage): Promise<string | null>;
  /** In how many seconds this request may register a client; 0: now. */
  waitToRegister(request: IncomingMessage): number;
  /** An account's connected assistants, newest first; those that have ended are left out. */
  assistantsOf(accountId: string): Promise<Assistant[]>;
  /** @throws Refusal not_found also for another account's */
  disconnect(tokenId: string, accountId: string): Promise<void>;
}

/** Puts the parts together. Keys are made where there are none. */
export async function createOAuth(options: OAuthOptions): Promise<OAuth> {
  const { accounts, tokens, now, addressOf } = options;
  const addresses = new OAuthAddresses(options.baseUrl);
  const clients = new Clients(accounts, now);
  const registrations = new Quota(REGISTRATION_LIMITS, now);
  const networkFrom = (request: IncomingMessage) => networkOf(addressOf(request));
  const documents = new ClientDocuments({
    ...{ mode: options.metadataFetch, outside: options.outside, now, log: options.log, networkOf: networkFrom },
    quota: new Quota(FETCH_LIMITS, now),
  });
  const refused = new WeakMap<IncomingMessage, AuthorizationError>();
  const provider = createAuthorizationServer({
    ...{ addresses, accounts, clients, models: adapterOptions(options), keys: await loadOAuthKeys(accounts) },
    signedIn: options.signedIn,
    waitToAsk: requestLimit(options),
    documents,
    refused: (request, error) => refused.set(request, error),
    report: options.report,
  });
  const callback = provider.callback();
  return {
    ...{ addresses, documents },
    consent: new Consent({ provider, addresses, accounts, clients, tokens, members: options.members, now }),
    serve: async (request, response) => {
      const { protocol, host } = new URL(addresses.issuer);
      // All addresses that it makes begin with the base address, whatever Host the client said.
      Object.assign(request.headers, { 'x-forwarded-proto': protocol.slice(0, -1), 'x-forwarded-host': host });
      await callback(request, response);
    },
    authorizationError: (request) => refused.get(request) ?? null,
    signedIn: options.signedIn,
    waitToRegister: (request) => registrations.take(networkFrom(request)),
    assistantsOf: async (accountId) =>
      (await tokens.listOfAccount(accountId)).filter(({ kind, state }) => kind === 'ASSISTANT' && state === 'ACTIVE'),
    disconnect: (tokenId, accountId) => tokens.revoke(tokenId, 'Disconnected by its owner.', accountActor(accountId)),
  };
}

/** Counts requests that are good and would be put to a person: by account where somebody has signed in, else by network. */
function requestLimit({ signedIn, addressOf, now }: OAuthOptions): (request: IncomingMessage) => Promise<number> {
  const strangers = new Quota(REQUEST_LIMITS, now);
  const accounts = new RateLimit(MAX_ACCOUNT_REQUESTS, REQUEST_LIMITS.ms, () => now().getTime());
  return async (request) => {
    const account = await signedIn(request);
    if (account === null) return strangers.take(networkOf(addressOf(request)));
    return Math.ceil(accounts.take(account) / 1_000);
  };
}

function adapterOptions({ accounts, tokens, now }: OAuthOptions): AdapterOptions {
  return {
    accounts,
    now,
    isGrantActive: async (tokenId) => {
      const record = await accounts.get<TokenRecord>('tokens', tokenId);
      return record !== null && record.revoked_at === null && Date.parse(record.expires_at) > now().getTime();
    },
    endGrant: async (tokenId) => {
      const record = await accounts.get<TokenRecord>('tokens', tokenId);
      if (record !== null && record.revoked_at === null) await tokens.revoke(tokenId, 'Its OAuth grant ended.');
    },
  };
}

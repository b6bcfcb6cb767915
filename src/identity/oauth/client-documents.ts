import type { IncomingMessage } from 'node:http';
import { FetchRefused, type MetadataFetchMode, metadataFetch, type OutboundNetwork } from './metadata-fetch.ts';
import { errors } from './oidc-provider.ts';
import type { Quota } from './quota.ts';

/**
 * Documents of the clients that use one wherever it is advertised, and then cannot sign in where it cannot be fetched:
 * Claude Code and Codex. Whether these can be fetched is what has to be known, so these are tried and nothing else.
 */
const PROBE_ADDRESSES = [
  'https://claude.ai/oauth/claude-code-client-metadata',
  'https://chatgpt.com/oauth/codex/client.json',
];

const MINUTE_MS = 60_000;
/** An attempt that worked is repeated after 6 hours, one that failed after 10 minutes. */
const PROBE_INTERVAL_MS = { worked: 360 * MINUTE_MS, failed: 10 * MINUTE_MS };

export interface ClientDocumentsOptions {
  mode: MetadataFetchMode;
  outside: OutboundNetwork | undefined;
  /** Fetches for clients; strangers can ask for any number. */
  quota: Quota;
  networkOf(request: IncomingMessage): string;
  now: () => Date;
  log: DocumentLog;
}

export interface DocumentLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** Nothing is fetched: CLIENT_METADATA_FETCH is off. */
export class FetchingDisabled extends Error {
  override readonly name = 'FetchIsOff';
}

/** Fetches what clients publish about themselves, and knows whether clients should be told that it does. */
export class ClientDocuments {
  private readonly get: ReturnType<typeof metadataFetch>;
  private readonly failed = new WeakMap<IncomingMessage, unknown>();
  /** Null before the first attempt. */
  private works: boolean | null = null;
  private probedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: ClientDocumentsOptions) {
    this.get = metadataFetch(options.outside);
  }

  /**
   * Tells whether server metadata says that documents are read. It never waits: by `auto` it says what the last attempt
   * showed, and begins another one where that is long ago. A client that is not told registers itself, which always works.
   */
  areAdvertised(): boolean {
    const { mode } = this.options;
    if (mode !== 'auto') return mode === 'on';
    this.probeAfter(this.works ? PROBE_INTERVAL_MS.worked : PROBE_INTERVAL_MS.failed);
    return this.works === true;
  }

  /**
   * Fetches a document, or keys, for a client's request.
   * @throws FetchIsOff, FetchRefused, TemporarilyUnavailable after too many, or what the network has thrown
   */
  async fetch(address: string | URL | Request, request: IncomingMessage | null): Promise<Response> {
    const { mode, quota, networkOf, log } = this.options;
    if (mode === 'off') throw new FetchingDisabled('Nothing is fetched for clients.');
    // The library asks again to tell the client of its error.
    if (request !== null && this.failed.has(request)) throw this.failed.get(request);
    if (quota.take(request === null ? '' : networkOf(request)) > 0) {
      throw new errors.TemporarilyUnavailable('too many documents');
    }
    try {
      return await this.get(address);
    } catch (error) {
      if (request !== null) this.failed.set(request, error);
      const { host } = new URL(address instanceof Request ? address.url : address);
      log.warn({ host, why: whyOf(error) }, 'the metadata of an OAuth client could not be fetched');
      // Anybody can name a host that is not there: it is no proof that nothing works.
      if (mode === 'auto' && this.works) this.probeAfter(PROBE_INTERVAL_MS.failed);
      throw error;
    }
  }

  private probeAfter(ms: number): void {
    const now = this.options.now().getTime();
    if (now - this.probedAt < ms) return;
    this.probedAt = now;
    void this.probe();
  }

  /** One after the other: names that are not answered each keep a thread waiting. */
  private async probe(): Promise<void> {
    let why: string | null = null;
    for (const address of PROBE_ADDRESSES) why ??= await this.faultOf(address);
    if (this.works === (why === null)) return;
    this.works = why === null;
    const { log } = this.options;
    if (this.works) log.info({}, 'client metadata documents can be fetched: they are advertised');
    else log.info({ why }, 'client metadata documents cannot be fetched: they are not advertised');
  }

  private async faultOf(address: string): Promise<string | null> {
    try {
      const document = (await (await this.get(address)).json()) as { client_id?: unknown } | null;
      return document?.client_id === address ? null : `${address} is no document of a client`;
    } catch (error) {
      return `${address}: ${whyOf(error)}`;
    }
  }
}

/** The reason of a failure, for the log: our own words, or the code of the network's fault. */
function whyOf(error: unknown): string {
  if (error instanceof FetchRefused) return error.message;
  return (error as NodeJS.ErrnoException).code ?? (error as Error).name;
}

import type { IncomingMessage } from 'node:http';
import { FetchRefused, type MetadataFetchMode, metadataFetch, type OutboundNetwork } from './metadata-fetch.ts';

/**
 * Documents of Claude Code and Codex. Both use a document wherever it is advertised, and then fail if the service can't
 * fetch it. So the service advertises documents only while it can fetch these two.
 */
const PROBE_ADDRESSES = [
  'https://claude.ai/oauth/claude-code-client-metadata',
  'https://chatgpt.com/oauth/codex/client.json',
];

const MINUTE_MS = 60_000;
const PROBE_INTERVAL_MS = { success: 360 * MINUTE_MS, failure: 10 * MINUTE_MS };

export interface ClientDocumentsOptions {
  mode: MetadataFetchMode;
  network: OutboundNetwork | undefined;
  /** Counts a fetch, because anybody can request them. Returns 0 if it is allowed, otherwise the seconds to wait. */
  countFetch(request: IncomingMessage): Promise<number>;
  now: () => Date;
  log: DocumentLog;
}

export interface DocumentLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** CLIENT_METADATA_FETCH is `off`. */
export class FetchingDisabled extends Error {
  override readonly name = 'FetchingDisabled';
}

/** Too many documents were fetched in the last minute. */
export class TooManyFetches extends Error {
  override readonly name = 'TooManyFetches';
}

/** Fetches the metadata documents of clients, and decides if server metadata advertises this. */
export class ClientDocuments {
  private readonly get: ReturnType<typeof metadataFetch>;
  private readonly failed = new WeakMap<IncomingMessage, unknown>();
  /** The last probe's result; null before the first. */
  private works: boolean | null = null;
  private probedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly options: ClientDocumentsOptions) {
    this.get = metadataFetch(options.network);
  }

  /**
   * Returns true if server metadata should advertise documents. In `auto` mode it returns the last probe's result, and
   * starts another probe in the background if that is old. Other clients register themselves, which always works.
   */
  areAdvertised(): boolean {
    const { mode } = this.options;
    if (mode !== 'auto') return mode === 'on';
    this.probeAfter(this.works ? PROBE_INTERVAL_MS.success : PROBE_INTERVAL_MS.failure);
    return this.works === true;
  }

  /**
   * Fetches a client's document or its keys.
   * @throws FetchingDisabled, FetchRefused, TooManyFetches, or a network error
   */
  async fetch(address: string | URL | Request, request: IncomingMessage | null): Promise<Response> {
    const { mode, countFetch, log } = this.options;
    if (mode === 'off') throw new FetchingDisabled('CLIENT_METADATA_FETCH is off.');
    // The library fetches once more while it reports the error.
    if (request !== null && this.failed.has(request)) throw this.failed.get(request);
    if (request !== null && (await countFetch(request)) > 0) {
      throw new TooManyFetches('too many fetches of client documents');
    }
    try {
      return await this.get(address);
    } catch (error) {
      if (request !== null) this.failed.set(request, error);
      const { host } = new URL(address instanceof Request ? address.url : address);
      log.warn({ host, why: reasonOf(error) }, 'the metadata of an OAuth client could not be fetched');
      // Anybody can name a host that doesn't exist, so a probe decides.
      if (mode === 'auto' && this.works) this.probeAfter(PROBE_INTERVAL_MS.failure);
      throw error;
    }
  }

  private probeAfter(ms: number): void {
    const now = this.options.now().getTime();
    if (now - this.probedAt < ms) return;
    this.probedAt = now;
    void this.probe();
  }

  /** Probes one after another, because each unanswered DNS query blocks a thread. */
  private async probe(): Promise<void> {
    let why: string | null = null;
    for (const address of PROBE_ADDRESSES) why ??= await this.faultOf(address);
    if (this.works === (why === null)) return;
    this.works = why === null;
    const { log } = this.options;
    if (this.works) log.info({}, 'client metadata documents can be fetched and are advertised');
    else log.info({ why }, 'client metadata documents cannot be fetched, so they are not advertised');
  }

  private async faultOf(address: string): Promise<string | null> {
    try {
      const document = (await (await this.get(address)).json()) as { client_id?: unknown } | null;
      return document?.client_id === address ? null : `${address} is not the client's own document`;
    } catch (error) {
      return `${address}: ${reasonOf(error)}`;
    }
  }
}

/** Returns the reason for the log: our own message, or the network's error code. */
function reasonOf(error: unknown): string {
  if (error instanceof FetchRefused) return error.message;
  return (error as NodeJS.ErrnoException).code ?? (error as Error).name;
}

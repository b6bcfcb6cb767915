import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { withTimeout } from '../clock/with-timeout.ts';
import { HttpError, unavailable } from '../http/http-errors.ts';

/** The response that a listener gets, which knows its request. */
type ListenerResponse = Parameters<RequestListener>[1];

/** The state of the service towards its clients. */
type GatewayState =
  /** Requests wait up to 5 s for the app. Then it answers probes. Calls of tools wait up to 5 s for `open`, and get 503. */
  | { name: 'starting' }
  /** Credentials are looked up. Until `markReady`, calls of tools and downloads wait some seconds. */
  | { name: 'open' }
  /** Everything but `/livez` gets 503 with this refusal. */
  | { name: 'closing'; refusal: HttpError };

/** Paths that are answered immediately, because orchestrators need the current state. */
const PROBES: ReadonlySet<string> = new Set(['/livez', '/readyz']);

/**
 * The listener of the HTTP server. The server must listen before the service is built, because its port isn't
 * known before.
 */
export class HttpGateway {
  private state: GatewayState = { name: 'starting' };
  private app: RequestListener | null = null;
  private readonly appReadiness = new Readiness();
  /** Ready once tools and downloads can be answered. */
  private readonly toolReadiness = new Readiness();

  /** @param headers of every answer */
  constructor(private readonly headers: Readonly<Record<string, string>>) {}

  readonly listener: RequestListener = (request, response) => {
    for (const [name, value] of Object.entries(this.headers)) response.setHeader(name, value);
    if (this.state.name === 'closing') answerWhileClosing(request.url, response, this.state.refusal);
    else if (this.app !== null) this.app(request, response);
    else void this.holdUntilServed(request, response);
  };

  /** True while credentials are looked up. */
  get isOpen(): boolean {
    return this.state.name === 'open';
  }

  /** Serves the app from now on. */
  serve(app: RequestListener): void {
    this.app = app;
    this.appReadiness.markReady();
  }

  /** Looks up credentials from now on, unless the service is closing. */
  open(): void {
    if (this.state.name === 'starting') this.state = { name: 'open' };
  }

  /** Answers calls of tools without a wait from now on. */
  markReady(): void {
    this.toolReadiness.markReady();
  }

  /** Returns null once tools can be answered. Before, it returns a promise that resolves then, or after 5 s. */
  readonly waitUntilReady = (): Promise<void> | null => this.toolReadiness.wait();

  /** Answers every request 503 with this reason from now on, except `/livez`. */
  close(reason: string): void {
    this.state = { name: 'closing', refusal: new HttpError(503, 'unavailable', reason) };
  }

  private async holdUntilServed(request: IncomingMessage, response: ListenerResponse): Promise<void> {
    if (!PROBES.has(request.url ?? '')) await this.appReadiness.wait();
    if (this.app === null) refuse(response, unavailable());
    else this.listener(request, response);
  }
}

function answerWhileClosing(url: string | undefined, response: ServerResponse, refusal: HttpError): void {
  if (url === '/livez') response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"status":"ok"}');
  else refuse(response, refusal);
}

function refuse(response: ServerResponse, refusal: HttpError): void {
  response.writeHead(refusal.status, { ...refusal.headers, 'Content-Type': 'application/json', Connection: 'close' });
  response.end(JSON.stringify(refusal));
}

/** The longest time that a call waits while the service starts. */
const MAX_HOLD_MS = 5_000;

/** Lets calls wait until they can be answered. During a restart, clients then see a slow answer instead of an error. */
class Readiness {
  private isReady = false;
  private release!: () => void;
  private readonly whenReady = new Promise<void>((resolve) => {
    this.release = resolve;
  });

  /** Releases all waiting calls. */
  markReady(): void {
    this.isReady = true;
    this.release();
  }

  /** Returns null once ready; before, a promise that resolves when ready, or after 5 s. */
  wait(): Promise<void> | null {
    return this.isReady ? null : withTimeout(MAX_HOLD_MS, this.whenReady, () => undefined);
  }
}

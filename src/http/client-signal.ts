import type { ServerResponse } from 'node:http';
import { ClientGone } from './http-errors.ts';

/** Returns a signal that aborts if the client disconnects before its answer is written. */
export function clientSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  if (response.destroyed) controller.abort();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
}

/** @throws ClientGone after the client disconnected */
export function throwIfClientGone(signal: AbortSignal): void {
  if (signal.aborted) throw new ClientGone();
}

import type { ServerResponse } from 'node:http';

/** A signal that ends when the client leaves before its answer is written. */
export function clientSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  if (response.destroyed) controller.abort();
  response.once('close', () => {
    if (!response.writableFinished) controller.abort();
  });
  return controller.signal;
}

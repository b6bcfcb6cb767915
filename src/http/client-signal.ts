import type { ServerResponse } from 'node:http';
import { ClientGone } from './http-errors.ts';

/** Returns a signal that aborts with `ClientGone` if the client disconnects before its answer is written. */
export function clientSignal(response: ServerResponse): AbortSignal {
  const controller = new AbortController();
  if (response.destroyed) controller.abort(new ClientGone());
  response.once('close', () => {
    if (!response.writableFinished) controller.abort(new ClientGone());
  });
  return controller.signal;
}

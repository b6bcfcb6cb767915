import type { ServerResponse } from 'node:http';

/** A signal that ends when the client leaves before its answer; made only when somebody asks for it. */
export function clientSignal(response: ServerResponse): () => AbortSignal {
  let controller: AbortController | undefined;
  return () => {
    if (controller === undefined) {
      const made = new AbortController();
      controller = made;
      if (response.destroyed) made.abort();
      response.once('close', () => {
        if (!response.writableFinished) made.abort();
      });
    }
    return controller.signal;
  };
}

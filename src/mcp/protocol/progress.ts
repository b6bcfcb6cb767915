import type { ServerContext } from '@modelcontextprotocol/server';
import { monotonicMs } from '../../clock/monotonic.ts';

/** Sends a notification that belongs to a request. */
export type Notify = ServerContext['mcpReq']['notify'];

/** The shortest time between two progress messages. */
const PROGRESS_INTERVAL_MS = 100;

/**
 * Reports progress to a client that sent a progress token. Progress only rises. The last report is always sent, and no
 * report after the end.
 */
export function progressReporter(progressToken: unknown, notify: Notify) {
  if (typeof progressToken !== 'string' && !Number.isSafeInteger(progressToken)) return undefined;
  let last = Number.NEGATIVE_INFINITY;
  let nextAt = 0;
  let delayed: (() => void) | null = null;
  const report = (progress: number, total?: number, message?: string) => {
    if (!(progress > last)) return;
    last = progress;
    const params = { progressToken, progress, total, message };
    // The SDK rejects when its connection is closed. An unhandled rejection would end the process.
    const send = () => void notify({ method: 'notifications/progress', params }).catch(() => undefined);
    const now = monotonicMs();
    delayed = now < nextAt ? send : null;
    if (delayed !== null) return;
    nextAt = now + PROGRESS_INTERVAL_MS;
    send();
  };
  return {
    report,
    end: () => {
      delayed?.();
      last = Number.POSITIVE_INFINITY;
    },
  };
}

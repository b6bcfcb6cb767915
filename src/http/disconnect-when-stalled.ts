import type { ServerResponse } from 'node:http';

const STALL_TIMEOUT_MS = 60_000;

/** Disconnects a client that reads nothing for this long. What it hasn't read would stay open, or in memory. */
export function disconnectWhenStalled(response: ServerResponse, stallTimeoutMs = STALL_TIMEOUT_MS): void {
  response.setTimeout(stallTimeoutMs, () => response.destroy());
}

import type { MongoClient, ServerHeartbeatStartedEvent } from 'mongodb';

/** A check that takes longer is stuck: the driver checks a server every few seconds, and each check has a time-out. */
const MAX_CHECK_MS = 8_000;
const RECONNECT_PAUSE_MS = 1_000;

/**
 * Reconnects a client when the driver has stopped monitoring a server. That happens for good (seen with 7.8.0) if a
 * check begins just as its connection breaks, as when a server goes down under load. The check never ends, no other
 * begins, and the server counts as down for ever. Databases and collections of the client stay usable.
 * @returns a function that ends the watch
 */
export function watchOver(client: MongoClient): () => void {
  const checks = new Map<string, NodeJS.Timeout>();
  let isEnded = false;
  let isBusy = false;

  const settle = ({ connectionId }: { connectionId: string }) => clearTimeout(checks.get(connectionId));
  const settleAll = () => {
    for (const timer of checks.values()) clearTimeout(timer);
  };
  const connectAnew = async () => {
    if (isBusy) return;
    isBusy = true;
    do {
      // Running checks end without a result.
      await client.close().catch(() => undefined);
      settleAll();
      if (isEnded || (await tryToConnect(client))) break;
      await new Promise((resolve) => setTimeout(resolve, RECONNECT_PAUSE_MS));
    } while (!isEnded);
    if (isEnded) await client.close().catch(() => undefined);
    isBusy = false;
  };
  client.on('serverHeartbeatStarted', (event: ServerHeartbeatStartedEvent) => {
    settle(event);
    checks.set(event.connectionId, setTimeout(connectAnew, MAX_CHECK_MS).unref());
  });
  client.on('serverHeartbeatSucceeded', settle);
  client.on('serverHeartbeatFailed', settle);
  return () => {
    isEnded = true;
    settleAll();
  };
}

function tryToConnect(client: MongoClient): Promise<boolean> {
  return client.connect().then(
    () => true,
    () => false,
  );
}

import type { MongoClient, ServerHeartbeatStartedEvent } from 'mongodb';

/** A server is asked for a sign of life every few seconds, and each question has a time-out; this is well past both. */
const STUCK_MS = 8_000;
const AGAIN_MS = 1_000;

/**
 * Connects a client anew when the driver has stopped watching a server. That happens for good (seen with 7.8.0) when a
 * check begins just as its connection breaks, as it does when a server goes away under load: the check never ends, no
 * other begins, and the server counts as away for ever. What hangs on the client, databases and collections, stays good.
 * @returns what ends it
 */
export function watchOver(client: MongoClient): () => void {
  const checks = new Map<string, NodeJS.Timeout>();
  let ended = false;
  let busy = false;

  const settle = ({ connectionId }: { connectionId: string }) => clearTimeout(checks.get(connectionId));
  const settleAll = () => {
    for (const timer of checks.values()) clearTimeout(timer);
  };
  const connectAnew = async () => {
    if (busy) return;
    busy = true;
    do {
      // Checks that this cuts off are not heard of again.
      await client.close().catch(() => undefined);
      settleAll();
      if (ended || (await isConnected(client))) break;
      await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
    } while (!ended);
    if (ended) await client.close().catch(() => undefined);
    busy = false;
  };
  client.on('serverHeartbeatStarted', (event: ServerHeartbeatStartedEvent) => {
    settle(event);
    checks.set(event.connectionId, setTimeout(connectAnew, STUCK_MS).unref());
  });
  client.on('serverHeartbeatSucceeded', settle);
  client.on('serverHeartbeatFailed', settle);
  return () => {
    ended = true;
    settleAll();
  };
}

function isConnected(client: MongoClient): Promise<boolean> {
  return client.connect().then(
    () => true,
    () => false,
  );
}

import { randomUUID } from 'node:crypto';
import type { EventStore } from '../../../src/stores/event-store.ts';
import { chainEvents } from '../../../src/trail/hash.ts';
import { nodeCrypto } from '../../../src/trail/node/node-crypto.ts';

/** Appends an event of an unknown type straight to the log, as a newer version might write it. */
export async function appendUnknownEvent(events: EventStore, stream: string, organization_id: string): Promise<void> {
  const before = (await events.readStream(stream)).at(-1);
  const revision = before?.revision ?? -1;
  const unknownEvents = chainEvents(nodeCrypto, {
    stream,
    revision,
    previousHash: before?.metadata.hash ?? null,
    input: {},
    newEvents: [{ type: 'SomethingElseHappened', data: { what: 'nobody knows' } }],
    metadata: {
      organization_id,
      actor_id: 'SYSTEM',
      token_id: null,
      client: null,
      command_id: randomUUID(),
      correlation_id: randomUUID(),
      causation_id: null,
      recorded_at: new Date().toISOString(),
    },
    schemaVersion: () => 1,
  });
  await events.append(stream, unknownEvents, revision);
}

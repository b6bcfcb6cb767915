import { randomUUID } from 'node:crypto';
import type { MetadataInput, TrailEvent } from '../../../src/trail/event.ts';
import { chainEvents } from '../../../src/trail/hash.ts';
import { nodeCrypto } from '../../../src/trail/node/node-crypto.ts';

export interface EventOptions {
  /** The stream's last event. Absent for a new stream. */
  after?: Pick<TrailEvent, 'revision' | 'metadata'> | undefined;
  count?: number;
  data?: Record<string, unknown>;
  type?: string;
  schemaVersion?: number;
  metadata?: Partial<MetadataInput>;
}

/** Creates valid events that continue a stream. */
export function makeEvents(stream: string, options: EventOptions = {}): TrailEvent[] {
  const { after, count = 1, data, type = 'VendorAdded', schemaVersion = 1 } = options;
  return chainEvents(nodeCrypto, {
    stream,
    revision: after?.revision ?? -1,
    previousHash: after?.metadata.hash ?? null,
    metadata: { ...makeMetadata(), ...options.metadata },
    input: { name: 'Kõrvits OÜ' },
    schemaVersion: () => schemaVersion,
    newEvents: Array.from({ length: count }, (_, index) => ({ type, data: data ?? { name: 'Kõrvits OÜ 🎃', index } })),
  });
}

function makeMetadata(): MetadataInput {
  return {
    organization_id: 'org_00000000000000000000000000',
    actor_id: 'SYSTEM',
    token_id: null,
    client: { name: 'test', version: '1' },
    command_id: randomUUID(),
    correlation_id: randomUUID(),
    causation_id: null,
    recorded_at: new Date().toISOString(),
  };
}

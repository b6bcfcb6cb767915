import type { SealEvent } from '../trail/seals/seal-events.ts';
import { event, nullable, number, string, type ValueSchema } from './event-schema.ts';

/** The schemas that fit the seal events' own types. Their exact shape is in src/trail/seals/seal-events.ts. */
type SealSchemas = {
  [Event in SealEvent as Event['type']]: readonly [
    { readonly [Name in keyof Event['data']]: ValueSchema<Event['data'][Name]> },
  ];
};

export const SEAL_EVENTS = {
  SealKeyIntroduced: event({ key_id: string(), public_key: string(), signature: string() }),
  LogSealed: event({
    size: number(),
    root: string(),
    sealed_at: string(),
    previous_seal: nullable(string()),
    key_id: string(),
    signature: string(),
  }),
  SealKeyRotated: event({
    from_key_id: string(),
    key_id: string(),
    public_key: string(),
    previous_seal: nullable(string()),
    old_signature: string(),
    new_signature: string(),
  }),
  SealKeyReplaced: event({
    key_id: string(),
    public_key: string(),
    previous_seal: nullable(string()),
    signature: string(),
  }),
} satisfies SealSchemas;

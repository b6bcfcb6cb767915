import type { CollectionSpec } from '../stores/read-store.ts';
import { CHANGES } from './changes.ts';
import { organizations } from './organizations.ts';
import { collectionsOf, type ReadModel } from './read-model.ts';
import { risks } from './risks.ts';
import { vendors } from './vendors.ts';

/** Raise it when a document, a key or an index changes: read models are then built anew beside the old ones. */
export const PROJECTIONS_VERSION = 1;

/** Every read model. Adding a family is adding its name. */
export const READ_MODELS: readonly ReadModel[] = [organizations, vendors, risks];

const BY_STREAM = new Map(READ_MODELS.map((model) => [model.stream, model]));

/** The model that a stream's events belong to, or null where this version knows none. */
export function modelOfStream(stream: string): ReadModel | null {
  return BY_STREAM.get(stream.slice(0, stream.indexOf('-'))) ?? null;
}

/** Events that no projection could digest. */
export const PARKED: CollectionSpec = { name: 'parked', keys: { position: 'number' }, indexes: [], searchable: false };

/** Every collection of a generation, with its keys and indexes: the one place where they are listed. */
export const COLLECTIONS: readonly CollectionSpec[] = [...READ_MODELS.flatMap(collectionsOf), CHANGES, PARKED];

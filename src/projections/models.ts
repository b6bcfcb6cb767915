import type { CollectionSpec } from '../stores/read-store.ts';
import { audits } from './audits.ts';
import { controls } from './controls.ts';
import { evidences } from './evidence.ts';
import { DAILY_FIGURES, FIGURE_EFFECTS } from './figures/daily-figures.ts';
import { frameworks } from './frameworks.ts';
import { CHANGES } from './history/change-document.ts';
import { measures } from './measures.ts';
import { nonconformities } from './nonconformities.ts';
import { obligations } from './obligations.ts';
import { organizations } from './organizations.ts';
import { collectionsOf } from './read-models/collections.ts';
import type { ReadModel } from './read-models/read-model.ts';
import { viewOf } from './read-models/views.ts';
import { LINKS, NEIGHBOURS } from './relations/neighbours.ts';
import { risks } from './risks.ts';
import { TREE } from './transparency/organization-tree.ts';
import { SEALS } from './transparency/seal-documents.ts';
import { vendors } from './vendors.ts';

/** Raise this number when a document, key, index or view changes. Read models are then rebuilt. */
export const PROJECTIONS_VERSION = 8;

/** Every family's read model. */
export const READ_MODELS: readonly ReadModel[] = [
  organizations,
  audits,
  controls,
  evidences,
  frameworks,
  measures,
  nonconformities,
  obligations,
  risks,
  vendors,
];

const BY_STREAM = new Map(READ_MODELS.map((model) => [model.family.singular, model]));
const BY_PREFIX = new Map(READ_MODELS.map((model) => [model.family.prefix, model]));

/** Returns the read model of a stream's records, or null if this version has none. */
export function modelOfStream(stream: string): ReadModel | null {
  return BY_STREAM.get(stream.slice(0, stream.indexOf('-'))) ?? null;
}

/** Returns the read model of a record id, or null if this version has none. */
export function modelOfId(id: string): ReadModel | null {
  return BY_PREFIX.get(id.slice(0, id.indexOf('_'))) ?? null;
}

/** Events that this version can't apply. */
export const PARKED: CollectionSpec = {
  name: 'parked',
  keys: { position: 'number' },
  indexes: [],
  searchable: false,
  views: [viewOf('parked', ['position', 'event_id', 'event_type', 'stream', 'error'])],
};

/** Every collection of a generation, with its keys and indexes. */
export const COLLECTIONS: readonly CollectionSpec[] = [
  ...READ_MODELS.flatMap(collectionsOf),
  LINKS,
  NEIGHBOURS,
  CHANGES,
  TREE,
  SEALS,
  DAILY_FIGURES,
  FIGURE_EFFECTS,
  PARKED,
];

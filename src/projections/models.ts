import { CROSSWALK_STREAM_PREFIX } from '../commands/crosswalk.ts';
import { FAMILIES } from '../commands/families.ts';
import { LINK_STREAM_PREFIX } from '../commands/link.ts';
import { FAMILY_DESCRIPTIONS, type FamilyName } from '../register/families.ts';
import type { CollectionSpec } from '../stores/read-store.ts';
import { DAILY_FIGURES, FIGURE_EFFECTS } from './figures/daily-figures.ts';
import { CHANGES } from './history/change-document.ts';
import { organizations } from './organizations.ts';
import { collectionsOf } from './read-models/collections.ts';
import { familyModel } from './read-models/family-model.ts';
import { MAP_ENTRIES } from './read-models/map-entries.ts';
import { proposals } from './read-models/proposal-model.ts';
import type { ReadModel } from './read-models/read-model.ts';
import { controlRelations } from './relations/control-relations.ts';
import { evidenceRelations } from './relations/evidence-relations.ts';
import { frameworkRelations } from './relations/framework-relations.ts';
import { LINKS, NEIGHBOURS } from './relations/neighbours.ts';
import { TREE } from './transparency/organization-tree.ts';
import { OUT_OF_ORDER } from './transparency/out-of-order-events.ts';
import { SEALS } from './transparency/seal-documents.ts';

/** Raise this number when a document, key or index changes. Read models are then rebuilt. */
export const PROJECTIONS_VERSION = 19;

/** Relations between records that don't follow from a family's description. */
const SPECIAL_RELATIONS: Partial<Record<FamilyName, Partial<ReadModel>>> = {
  CONTROL: controlRelations,
  EVIDENCE: evidenceRelations,
  FRAMEWORK: frameworkRelations,
};

export const FAMILY_MODELS = FAMILY_DESCRIPTIONS.map(({ type }) => ({
  family: FAMILIES[type],
  model: familyModel(FAMILIES[type], SPECIAL_RELATIONS[type]),
}));

/** Every read model of records, and those of organizations and proposals. */
export const READ_MODELS: readonly ReadModel[] = [organizations, proposals, ...FAMILY_MODELS.map(({ model }) => model)];

const BY_STREAM = new Map(READ_MODELS.map((model) => [model.family.singular, model]));
const BY_PREFIX = new Map(READ_MODELS.map((model) => [model.family.prefix, model]));

/** Returns the read model of a stream's records, or null if this version has none. */
export function modelOfStream(stream: string): ReadModel | null {
  return BY_STREAM.get(stream.slice(0, stream.indexOf('-'))) ?? null;
}

/** Returns the record id in the name of a record's stream: `<family>-<id>`. */
export function recordIdOf(stream: string): string {
  return stream.slice(stream.indexOf('-') + 1);
}

/** Returns true for the stream of a link between two records. */
export function isLinkStream(stream: string): boolean {
  return stream.startsWith(LINK_STREAM_PREFIX);
}

/** Returns true for the stream of the crosswalk of two frameworks. */
export function isCrosswalkStream(stream: string): boolean {
  return stream.startsWith(CROSSWALK_STREAM_PREFIX);
}

/** Returns true for a stream that names the two records that its events connect. */
export function isPairStream(stream: string): boolean {
  return isLinkStream(stream) || isCrosswalkStream(stream);
}

/** Returns the two ids in the name of a link's or crosswalk's stream: `link-<id>-<id>`. */
export function idsOfPairStream(stream: string): [string, string] {
  const [, a = '', b = ''] = stream.split('-');
  return [a, b];
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
};

/** Every collection of a generation, with its keys and indexes. */
export const COLLECTIONS: readonly CollectionSpec[] = [
  ...READ_MODELS.flatMap(collectionsOf),
  LINKS,
  NEIGHBOURS,
  MAP_ENTRIES,
  CHANGES,
  TREE,
  SEALS,
  OUT_OF_ORDER,
  DAILY_FIGURES,
  FIGURE_EFFECTS,
  PARKED,
];

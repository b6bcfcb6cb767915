import { type ControlState, control, type IMPLEMENTATIONS } from '../commands/control.ts';
import { filtered, filteredText, orderedNaturally } from './keys.ts';
import type { ReadModel } from './read-model.ts';
import { countOf, FRAMEWORK_ARCHIVED, isInDoubt, latestTime, type Tally } from './tally.ts';

/** A control's own archived_at stands beside the one in force, which may be its framework's. */
interface Derived {
  archived_at: string | null;
  self_archived_at: string | null;
  measure_count: number;
  implementation: (typeof IMPLEMENTATIONS)[number];
}

function derive({ archived_at }: ControlState, tally: Tally): Derived {
  return {
    archived_at: later(archived_at, latestTime(tally, FRAMEWORK_ARCHIVED)),
    self_archived_at: archived_at,
    measure_count: countOf(tally, 'MEASURE'),
    implementation: implementationOf(tally),
  };
}

function later(one: string | null, other: string | null): string | null {
  return one === null || (other !== null && other > one) ? other : one;
}

/** Compares its measures with those that are IMPLEMENTED. Archived and NOT_APPLICABLE measures don't count. */
function implementationOf(tally: Tally): Derived['implementation'] {
  const counting = countOf(tally, 'MEASURE') - countOf(tally, 'MEASURE:NOT_APPLICABLE');
  const implemented = countOf(tally, 'MEASURE:IMPLEMENTED');
  if (implemented > 0) return implemented === counting ? 'FULL' : 'PARTIAL';
  return countOf(tally, 'MEASURE:IN_PROGRESS') > 0 ? 'STARTED' : 'NONE';
}

export const controls: ReadModel<ControlState> = {
  family: control,
  derive,
  // A control is known by its number: its name alone says little among links and changes.
  nameOf: ({ section_title, name }) => `${section_title} ${name}`,
  stateOf: (document) => ({ ...document, archived_at: (document as unknown as Derived).self_archived_at }),
  keys: {
    framework_id: filtered('framework_id'),
    section_title: orderedNaturally('section_title'),
    section: filteredText('section_title'),
    status: filtered('status'),
    implementation: filtered('implementation'),
  },
  orders: ['section_title'],
  narrowing: ['framework_id'],
  lookups: ['section'],
  lacks: ['OWNER', 'MEASURES', 'RISKS', 'EVIDENCE'],
  texts: { short: ['section_title', 'name'], long: ['description'] },
  labels: (document) => {
    if (document.status !== 'INCLUDED') return [];
    const full = (document as unknown as Derived).implementation === 'FULL';
    return full ? ['CONTROL:INCLUDED', 'CONTROL:INCLUDED:FULL'] : ['CONTROL:INCLUDED'];
  },
  doubted: (tally) => {
    if (isInDoubt(tally, 'FRAMEWORK')) return 'LIVE';
    return isInDoubt(tally, 'MEASURE') || isInDoubt(tally, 'LINK') ? 'LABELS' : null;
  },
  keeps: ['MEASURE:IMPLEMENTED', 'MEASURE:IN_PROGRESS', 'MEASURE:NOT_APPLICABLE', FRAMEWORK_ARCHIVED],
};

import type { ControlState, IMPLEMENTATIONS } from '../../register/control.ts';
import type { ReadModel } from '../read-models/read-model.ts';
import { FRAMEWORK_ARCHIVED, isUncertain, latestTime, type RelatedCounts, relatedCount } from './related-counts.ts';

/** `archived_at` may be the framework's. The control's own is then in `self_archived_at`. */
interface Derived {
  archived_at: string | null;
  self_archived_at: string | null;
  implementation: (typeof IMPLEMENTATIONS)[number];
}

function derive({ archived_at }: ControlState, relatedCounts: RelatedCounts): Derived {
  return {
    archived_at: laterDate(archived_at, latestTime(relatedCounts, FRAMEWORK_ARCHIVED)),
    self_archived_at: archived_at,
    implementation: implementationOf(relatedCounts),
  };
}

function laterDate(first: string | null, second: string | null): string | null {
  return first === null || (second !== null && second > first) ? second : first;
}

/** Compares its measures with those that are IMPLEMENTED. Archived and NOT_APPLICABLE measures don't count. */
function implementationOf(relatedCounts: RelatedCounts): Derived['implementation'] {
  const counting = relatedCount(relatedCounts, 'MEASURE') - relatedCount(relatedCounts, 'MEASURE:NOT_APPLICABLE');
  const implemented = relatedCount(relatedCounts, 'MEASURE:IMPLEMENTED');
  if (implemented > 0) return implemented === counting ? 'FULL' : 'PARTIAL';
  return relatedCount(relatedCounts, 'MEASURE:IN_PROGRESS') > 0 ? 'STARTED' : 'NONE';
}

export const controlRelations: Partial<ReadModel<ControlState>> = {
  derive,
  // With the number, because people know controls by it.
  nameOf: ({ section_title, name }) => `${section_title} ${name}`,
  stateOf: (document) => ({ ...document, archived_at: (document as unknown as Derived).self_archived_at }),
  exposedLabels: (document) => {
    if (document.status !== 'INCLUDED') return [];
    const full = (document as unknown as Derived).implementation === 'FULL';
    return full ? ['CONTROL:INCLUDED', 'CONTROL:INCLUDED:FULL'] : ['CONTROL:INCLUDED'];
  },
  uncertain: (relatedCounts) => {
    if (isUncertain(relatedCounts, 'FRAMEWORK')) return 'LIVE';
    return isUncertain(relatedCounts, 'MEASURE') || isUncertain(relatedCounts, 'LINK') ? 'LABELS' : null;
  },
  countedLabels: ['MEASURE:IMPLEMENTED', 'MEASURE:IN_PROGRESS', 'MEASURE:NOT_APPLICABLE', FRAMEWORK_ARCHIVED],
};

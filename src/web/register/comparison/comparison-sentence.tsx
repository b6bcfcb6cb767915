/** @jsxRuntime automatic @jsxImportSource preact */
import { familyOfType } from '../../../register/families.ts';
import type { Comparison } from '../../../reports/comparison/compare-moments.ts';
import { LongDay } from '../../components/components.tsx';
import { familyHeading } from '../rail-links.ts';

/**
 * The comparison in words, such as "Between 30 Jun 2026 and 30 Sep 2026: 4 risks added, 2 closed, 3 scores down, 1 up.
 * Coverage of ISO 27001 61 % → 68 %."
 * @param props.owner the name of the person whose records are compared; null for everyone's
 */
export function ComparisonSentence({ comparison, owner }: { comparison: Comparison; owner: string | null }) {
  const { before, after } = comparison;
  return (
    <p class="lead">
      Between <LongDay at={before.today} /> and <LongDay at={after.today} />
      {scopeText(comparison, owner)}: {changesText(comparison)}
    </p>
  );
}

function changesText({ changes, listed, coverage }: Comparison): string {
  const risks = listed?.families.find(({ family }) => family.type === 'RISK')?.records ?? [];
  const changeOf = (name: string) =>
    risks.flatMap(({ outcome, fields }) => (outcome === 'CHANGED' ? fields.filter(({ field }) => field === name) : []));
  const scores = changeOf('score').filter(({ from, to }) => typeof from === 'number' && typeof to === 'number');
  const outcomes = (wanted: string) => risks.filter(({ outcome }) => outcome === wanted).length;
  const body = [
    ...phrases('risk', [
      [outcomes('ADDED'), 'added'],
      [changeOf('status').filter(({ to }) => to === 'CLOSED').length, 'closed'],
      [outcomes('ARCHIVED'), 'archived'],
    ]),
    ...phrases('score', [
      [scores.filter(({ from, to }) => Number(to) < Number(from)).length, 'down'],
      [scores.filter(({ from, to }) => Number(to) > Number(from)).length, 'up'],
    ]),
  ];
  const summary = body.length > 0 ? body.join(', ') : counted(changes, 'change');
  const known = coverage.filter(({ before, after }) => before !== null || after !== null);
  return [`${summary}.`, ...known.map(coverageText)].join(' ');
}

/** Returns the filters in words, such as ", only risks owned by Mateo Vargas". */
function scopeText({ recordTypes }: Comparison, owner: string | null): string {
  if (recordTypes === undefined && owner === null) return '';
  const families = recordTypes?.map((type) =>
    familyHeading(familyOfType(type) ?? { type, plural: type }).toLowerCase(),
  );
  return `, only ${families?.join(', ') ?? 'records'}${owner === null ? '' : ` owned by ${owner}`}`;
}

/** Names the noun in the first phrase only: "3 scores down", "1 up". Counts of 0 are left out. */
function phrases(noun: string, counts: readonly (readonly [number, string])[]): string[] {
  return counts
    .filter(([count]) => count > 0)
    .map(([count, what], index) => `${index === 0 ? counted(count, noun) : count} ${what}`);
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function coverageText({ framework, before, after }: Comparison['coverage'][number]): string {
  const text = (share: number | null) => (share === null ? '–' : `${Math.round(share * 100)} %`);
  const [from, to] = [text(before), text(after)];
  return `Coverage of ${framework} ${from === to ? `${to}, as before` : `${from} → ${to}`}.`;
}

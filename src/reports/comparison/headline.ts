import { recordCount } from '../../texts/record-count.ts';
import { shareText } from '../../texts/words.ts';
import { HOME_FIGURES } from '../figures/home-figures.ts';
import { recordsAtMoment } from '../sections/linked-records.ts';
import type { CoverageDifference } from './coverage-differences.ts';
import type { FigureMovement } from './figure-movement.ts';
import type { ComparedMoments, MovedRecord } from './moved-records.ts';
import type { FamilyDifferences, RecordDifference } from './record-differences.ts';

/** A comparison in phrases, such as `overdue 0 → 18` and `11 controls lost their full implementation`. */
export interface Headline {
  worse: readonly string[];
  better: readonly string[];
  /** News that is neither, such as `6 risks added`. */
  other: readonly string[];
}

/** A phrase, and the direction of its news. */
type News = readonly [outcome: keyof Headline, phrase: string];

/** The figures that the headline names. Further ones that got worse or better are counted. */
const NAMED_FIGURES: ReadonlySet<string> = new Set(Object.values(HOME_FIGURES).map(({ name }) => name));

/** The parts of a comparison from which its headline follows. */
interface ComparedParts {
  changes: number;
  figures: readonly FigureMovement[];
  coverage: readonly CoverageDifference[];
  /** Null if the changed records are not listed. */
  listed: { families: readonly FamilyDifferences[] } | null;
}

/** Returns the headline of a comparison. */
export async function headlineOf(
  moments: ComparedMoments,
  { figures, coverage, listed, changes }: ComparedParts,
): Promise<Headline> {
  const risks = listed?.families.find(({ family }) => family.type === 'RISK')?.records ?? [];
  const implementation = await implementationNews(moments, figures);
  const news: News[] = [
    ...figures.filter(({ figure }) => NAMED_FIGURES.has(figure.name)).flatMap(figureNews),
    ...implementation,
    ...scoreNews(risks),
    ...coverage.flatMap(coverageNews),
    ...recordNews(listed?.families ?? []),
  ];
  news.push(...furtherNews(figures, news, implementation));
  if (news.length === 0) news.push(['other', counted(changes, 'change')]);
  const phrases = (wanted: keyof Headline) => news.flatMap(([outcome, phrase]) => (outcome === wanted ? [phrase] : []));
  return { worse: phrases('worse'), better: phrases('better'), other: phrases('other') };
}

/** Returns the direction of a figure's difference. */
export function outcomeOf({ figure: { better }, before, after }: FigureMovement): keyof Headline {
  if (better === null || before === after) return 'other';
  return after > before === (better === 'MORE') ? 'better' : 'worse';
}

function figureNews(movement: FigureMovement): News[] {
  const { figure, before, after } = movement;
  const label = figure.label.charAt(0).toLowerCase() + figure.label.slice(1);
  return before === after ? [] : [[outcomeOf(movement), `${label} ${before} → ${after}`]];
}

/** Counts the figures that got worse or better and that no phrase tells. Controls may have told their implementation. */
function furtherNews(
  figures: readonly FigureMovement[],
  news: readonly News[],
  implementation: readonly News[],
): News[] {
  return (['worse', 'better'] as const).flatMap((wanted): News[] => {
    const tells = (list: readonly News[]) => list.some(([outcome]) => outcome === wanted);
    const isTold = (name: string) => NAMED_FIGURES.has(name) || (name === 'controls_full' && tells(implementation));
    const count = figures.filter((moved) => outcomeOf(moved) === wanted && !isTold(moved.figure.name)).length;
    if (count === 0) return [];
    const phrase = tells(news) ? `and ${counted(count, 'more figure')}` : counted(count, 'figure');
    return [[wanted, `${phrase} in the table`]];
  });
}

/**
 * Returns the numbers of controls that lost and gained their full implementation. Controls that were excluded, included,
 * added or archived don't count.
 */
async function implementationNews(
  { before, after }: ComparedMoments,
  figures: readonly FigureMovement[],
): Promise<News[]> {
  const part = figures.find(({ figure }) => figure.name === 'controls_full')?.parts[0];
  const moved = part?.moved.records ?? null;
  if (moved === null) return [];
  const notFull = async (context: ComparedMoments['before'], records: readonly MovedRecord[]) => {
    const ids = records.map(({ id }) => id);
    const controls = await recordsAtMoment(context, 'CONTROL', ids);
    return controls.filter(({ status, implementation }) => status === 'INCLUDED' && implementation !== 'FULL').length;
  };
  const [lost, gained] = [await notFull(after, moved.left), await notFull(before, moved.entered)];
  return [
    ...(lost === 0 ? [] : [['worse', `${counted(lost, 'control')} lost ${theirs(lost)} full implementation`] as const]),
    ...(gained === 0 ? [] : [['better', `${counted(gained, 'control')} gained full implementation`] as const]),
  ];
}

function scoreNews(risks: readonly RecordDifference[]): News[] {
  const scores = changesOf(risks, 'score').filter(({ from, to }) => typeof from === 'number' && typeof to === 'number');
  const up = scores.filter(({ from, to }) => Number(to) > Number(from)).length;
  const down = scores.filter(({ from, to }) => Number(to) < Number(from)).length;
  return [
    ...(up === 0 ? [] : [['worse', `${counted(up, 'risk score')} up`] as const]),
    ...(down === 0 ? [] : [['better', `${counted(down, 'risk score')} down`] as const]),
  ];
}

function coverageNews({ framework, before, after }: CoverageDifference): News[] {
  const [from, to] = [before, after].map((share) => (share === null ? 'none' : shareText(share)));
  if (from === to) return [];
  const outcome = before === null || after === null ? 'other' : after > before ? 'better' : 'worse';
  return [[outcome, `coverage of ${framework} ${from} → ${to}`]];
}

/** Counts what was added and archived, of all families, and the closed risks. */
function recordNews(families: readonly FamilyDifferences[]): News[] {
  const ofEach = (count: (family: FamilyDifferences) => number) =>
    families.flatMap((differences) => {
      const total = count(differences);
      return total === 0 ? [] : [recordCount(differences.family, total)];
    });
  const withOutcome = (outcome: RecordDifference['outcome']) =>
    ofEach(({ records }) => records.filter((record) => record.outcome === outcome).length);
  const closed = ofEach(({ family, records }) =>
    family.type === 'RISK' ? changesOf(records, 'status').filter(({ to }) => to === 'CLOSED').length : 0,
  );
  const counts = [
    [withOutcome('ADDED'), 'added'],
    [closed, 'closed'],
    [withOutcome('ARCHIVED'), 'archived'],
  ] as const;
  return counts.flatMap(([count, what]) => (count.length === 0 ? [] : [['other', `${LIST.format(count)} ${what}`]]));
}

const LIST = new Intl.ListFormat('en-GB');

/** Returns a field's differences in records that are there at both moments. */
const changesOf = (records: readonly RecordDifference[], name: string) =>
  records.flatMap(({ outcome, fields }) => (outcome === 'CHANGED' ? fields.filter(({ field }) => field === name) : []));

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

const theirs = (count: number): string => (count === 1 ? 'its' : 'their');

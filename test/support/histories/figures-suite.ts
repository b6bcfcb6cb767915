/** Compares the daily figures with counts in the naive register, at the end of every day. */
import fc from 'fast-check';
import { suite, type uvu } from 'uvu';
import * as assert from 'uvu/assert';
import { addDays } from '../../../src/commands/engine/dates.ts';
import { Applier } from '../../../src/projections/engine/applier.ts';
import { FIGURE_DEFINITIONS } from '../../../src/projections/figures/figure-definitions.ts';
import { COLLECTIONS } from '../../../src/projections/models.ts';
import { dailyFigures } from '../../../src/queries/figures/daily-figures.ts';
import type { StoredEvent } from '../../../src/stores/event-store.ts';
import type { ReadModels } from '../../../src/stores/read-store.ts';
import { applyInBatches, readEverything } from './derived-checks.ts';
import { derivedHistory } from './derived-histories.ts';
import { playHistory } from './derived-player.ts';
import type { DerivedContext, SuiteSize } from './derived-suite.ts';
import { factsOf } from './naive-facts.ts';
import type { NaiveRegister } from './naive-register.ts';
import { naiveAt, naiveCoverage, naiveDueItems, naiveFigures, positionOn } from './naive-reports.ts';

const NAMES = new Set(Object.values(FIGURE_DEFINITIONS).flatMap((figures) => figures.map(({ name }) => name)));

type Counts = Record<string, number>;

/** Counts every figure in the plain register, and leaves out those that are 0. */
function countFigures(register: NaiveRegister): Counts {
  const items = naiveDueItems(register, register.today);
  const counts: Record<string, number | null> = {
    ...naiveFigures(register),
    changes: register.position,
    risks_score_total: scoreTotal(register),
    overdue: items.filter((item) => item.split(' ')[1] === 'true').length,
    evidence_expiring_in_30_days: naiveDueItems(register, addDays(register.today, 30)).filter(
      (item) => item.includes(' EVIDENCE_ENDS ') && item.slice(0, 10) >= register.today,
    ).length,
  };
  const stored = Object.entries(counts).filter(([name, value]) => (NAMES.has(name) || name === 'changes') && value);
  return Object.fromEntries(stored) as Counts;
}

function scoreTotal(register: NaiveRegister): number {
  const open = register
    .ofType('RISK')
    .filter((risk) => register.archivedAt(risk) === null && risk.fields.status !== 'CLOSED');
  return open.reduce((sum, risk) => sum + Number(factsOf(register, risk).score ?? 0), 0);
}

/** Returns all days of a history, from the one before it to 70 days after it, and one in another year. */
function daysOf(log: readonly StoredEvent[]): string[] {
  const days = [addDays(log[0]!.metadata.recorded_at, -1)];
  const last = addDays(log.at(-1)!.metadata.recorded_at, 70);
  while (days.at(-1)! < last) days.push(addDays(days.at(-1)!, 1));
  return [...days, '2027-06-02'];
}

async function assertEveryDay(models: ReadModels, organizationId: string, log: readonly StoredEvent[]) {
  const days = daysOf(log);
  const someDays = days.filter((_, index) => index % 7 === 3);
  const sparse = await dailyFigures(models, { organizationId }, someDays);
  const figures: (object | null)[] = [];
  for (let start = 0; start < days.length; start += 100)
    figures.push(...(await dailyFigures(models, { organizationId }, days.slice(start, start + 100))));
  for (const [index, day] of days.entries()) {
    const position = positionOn(log, day);
    const register = naiveAt(log, position, day);
    assert.equal(figures[index], position === 0 ? null : countFigures(register), `figures on ${day}`);
    if (someDays.includes(day)) assert.equal(sparse[someDays.indexOf(day)], figures[index], `one of few days, ${day}`);
    for (const [name, coverage] of Object.entries(naiveCoverage(register))) {
      const frameworkId = name.slice('coverage:'.length);
      const [ofFramework] = await dailyFigures(models, { organizationId, frameworkId }, [day]);
      const { controls_included = 0, controls_full = 0 } = ofFramework as Counts;
      assert.is(controls_included === 0 ? null : controls_full / controls_included, coverage, `${name} on ${day}`);
    }
  }
}

/** Tests daily figures on a read store. */
export function figuresSuite(
  name: string,
  open: () => Promise<Pick<DerivedContext, 'reads' | 'close'>>,
  { runs: numRuns, actions }: SuiteSize,
): uvu.Test<DerivedContext> {
  const test = suite<DerivedContext>(`daily figures, on ${name}`);
  test.before(async (context) => {
    Object.assign(context, await open());
    context.models = await context.reads.open('one', COLLECTIONS);
    context.others = await context.reads.open('two', COLLECTIONS);
    await context.models.buildIndexes();
  });
  test.after(({ close }) => close());

  test('they equal counting at the end of every day, for two organizations', async ({ models }) => {
    const history = derivedHistory(actions);
    const property = fc.asyncProperty(history, history, fc.integer({ min: 1, max: 9 }), async (first, second, size) => {
      const plays = [await playHistory(first), await playHistory(second)];
      const appliers = plays.map(({ store }) => new Applier(store, models, 'i'));
      const longest = Math.max(...plays.map(({ store }) => store.log.length));
      for (let start = 0; start < longest; start += size) {
        for (const [index, applier] of appliers.entries())
          await applier.apply(plays[index]!.store.log.slice(start, start + size));
      }
      for (const { store, organization } of plays) await assertEveryDay(models, organization, store.log);
    });
    await fc.assert(property, { numRuns });
  });

  test('they are the same for every batch size, after every event, and read from the store again', async (context) => {
    const property = fc.asyncProperty(derivedHistory(actions), async (steps) => {
      const { store, organization } = await playHistory(steps);
      await applyInBatches(store, context.models);
      for (const event of store.log) {
        const applier = new Applier(store, context.others, 'i');
        await applier.prepare();
        await applier.apply([event]);
      }
      const { daily_figures, figure_effects } = await readEverything(context.models, organization);
      const again = await readEverything(context.others, organization);
      assert.ok(daily_figures!.length > 1);
      assert.ok(figure_effects!.length > 0);
      assert.equal([again.daily_figures, again.figure_effects], [daily_figures, figure_effects]);
    });
    await fc.assert(property, { numRuns });
  });
  return test;
}

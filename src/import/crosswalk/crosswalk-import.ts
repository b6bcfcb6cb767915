import {
  type CrosswalkCommand,
  crosswalkAggregate,
  MAX_CROSSWALK_PAIRS,
  type PairChange,
  pairKey,
} from '../../commands/crosswalk.ts';
import type { Rehearsal } from '../../commands/engine/handler.ts';
import { frameworkOfControl, itemCommandId } from '../../commands/engine/ids.ts';
import { requireLiveRecord } from '../../commands/engine/references.ts';
import { Refusal } from '../../commands/engine/refusal.ts';
import { requirePermission } from '../../commands/organization/permissions.ts';
import type { Snapshot } from '../../queries/moments/snapshot.ts';
import { type AdoptedFramework, AdoptedFrameworks } from '../../queries/records/adopted-frameworks.ts';
import type { CrosswalkPair } from '../../register/crosswalk.ts';
import { RELATIONS, type Relation, sortedPair } from '../../register/link.ts';
import {
  type BulkItem,
  catchRefusal,
  mapConcurrently,
  rehearseAll,
  throwRefusals,
  writeAll,
} from '../../tools/bulk-write.ts';
import { callIdOf } from '../../tools/selection.ts';
import type { WriteContext } from '../../tools/tool.ts';
import { envelopeFor } from '../../tools/write.ts';
import { type RowError, toRowErrors } from '../import-rows.ts';
import { type ComparedPairs, comparePairs } from './compare-pairs.ts';
import { type CrosswalkRow, pairOfControls, readCrosswalkRow } from './crosswalk-row.ts';

export interface CrosswalkCall {
  organization_id: string;
  reason?: string | undefined;
  idempotency_key?: string | undefined;
  selection?: string | undefined;
}

interface RefusedPair {
  readonly errors: readonly RowError[];
}

/** A row after it was checked: its pair, or its errors. */
export type CheckedPair = RefusedPair | { readonly pair: CrosswalkPair };

/** A row after it was written or rehearsed, with the difference that it makes. None if an equal row comes before. */
export type WrittenPair = RefusedPair | { readonly pair: CrosswalkPair; readonly result: PairChange };

export const isRefusedPair = (row: CheckedPair): row is RefusedPair => 'errors' in row;

/** The number of pairs of two frameworks that an import has, by relation and by result. */
export type CrosswalkSummary = { frameworks: { id: string; name: string }[] } & Record<
  Relation | 'created' | 'updated' | 'unchanged',
  number
>;

/** The items that an import writes, one for each two frameworks, and its answer. */
export interface CrosswalkPlan {
  rows: WrittenPair[];
  crosswalks: CrosswalkSummary[];
  items: readonly BulkItem[];
  rehearsals: readonly Rehearsal[];
  /** By item: the number of existing links that get another relation. */
  changedLinks: readonly number[];
}

const COUNTED_AS = { NEW: 'created', CHANGED: 'updated', UNCHANGED: 'unchanged' } as const;

/**
 * Imports pairs of controls of two frameworks, with one event for each pair of frameworks. Check the rows first, then write
 * those that are right. Tools and the command line use it.
 */
export class CrosswalkImport {
  readonly callId: string;

  private constructor(
    private readonly context: WriteContext,
    private readonly call: CrosswalkCall,
    readonly frameworks: AdoptedFrameworks,
    private readonly models: Snapshot['models'],
  ) {
    this.callId = callIdOf(context, call.organization_id, call);
  }

  /** @throws Refusal if the caller may not write in the organization */
  static async open(
    context: WriteContext,
    call: CrosswalkCall,
    snapshot: Pick<Snapshot, 'models'>,
  ): Promise<CrosswalkImport> {
    requirePermission(context.caller, call.organization_id, context.tool.permission);
    const frameworks = await AdoptedFrameworks.read(context.service.handler, snapshot, call.organization_id);
    return new CrosswalkImport(context, call, frameworks, snapshot.models);
  }

  /** Checks all rows, and writes nothing. @throws Refusal too_large */
  async check(inputs: readonly object[]): Promise<CheckedPair[]> {
    if (inputs.length > MAX_CROSSWALK_PAIRS) {
      const message = `One import takes at most ${MAX_CROSSWALK_PAIRS} pairs. Split the rest off into another.`;
      throw new Refusal('too_large', message, { field: 'rows' });
    }
    const rows = await mapConcurrently(inputs, (input) => this.findPair(input), this.context);
    return refuseContradictions(await this.refuseEndedControls(rows));
  }

  /** Rehearses the pairs of the rows without errors. */
  async plan(rows: readonly CheckedPair[]): Promise<CrosswalkPlan> {
    const { context, call, models } = this;
    const groups = groupByFrameworks(rows.flatMap((row) => (isRefusedPair(row) ? [] : [row.pair])));
    const source = { context, models, organizationId: call.organization_id };
    const compared = await mapConcurrently(
      groups,
      ({ frameworkIds, pairs }) => comparePairs(source, frameworkIds, pairs),
      context,
    );
    const results = new Map(compared.flatMap((one) => [...one.results]));
    const items = groups.map((group, index) => this.itemOf(group, compared[index]!));
    return {
      rows: rows.map((row) => (isRefusedPair(row) ? row : { ...row, result: results.get(row.pair)! })),
      crosswalks: groups.map((group, index) => this.summaryOf(group, compared[index]!)),
      items,
      rehearsals: throwRefusals(await rehearseAll(context, items), () => 'rows'),
      changedLinks: compared.map(({ changedLinks }) => changedLinks),
    };
  }

  /** Writes a plan that needs no selection. */
  async write({ items }: CrosswalkPlan): Promise<void> {
    throwRefusals((await writeAll(this.context, this.call.organization_id, items)).outcomes, () => 'rows');
  }

  private async findPair(input: object): Promise<CheckedPair> {
    const reading = readCrosswalkRow(input);
    if ('errors' in reading) return reading;
    const [from, to] = await Promise.all([this.findEnd(reading.row, 'from'), this.findEnd(reading.row, 'to')]);
    if ('errors' in from || 'errors' in to) {
      return { errors: [from, to].flatMap((end) => ('errors' in end ? end.errors : [])) };
    }
    if (frameworkOfControl(from.id) === frameworkOfControl(to.id)) {
      const message = 'Both controls belong to one framework. Link them with linkRecords.';
      return { errors: [{ field: 'to_control', message }] };
    }
    return { pair: pairOfControls(from.id, to.id, reading.row.relation) };
  }

  private async findEnd(row: CrosswalkRow, end: 'from' | 'to'): Promise<{ id: string } | { errors: RowError[] }> {
    const { [`${end}_framework` as const]: word, [`${end}_control` as const]: control } = row;
    let framework: AdoptedFramework | null = null;
    if (word !== undefined) {
      const found = this.frameworks.find(word);
      if ('problem' in found) return { errors: [{ field: `${end}_framework`, message: found.problem }] };
      framework = found;
    }
    const found = await this.frameworks.findControl(control, framework);
    return 'problem' in found ? { errors: [{ field: `${end}_control`, message: found.problem }] } : found;
  }

  /** Refuses rows whose controls or frameworks aren't live in the log. */
  private async refuseEndedControls(rows: readonly CheckedPair[]): Promise<CheckedPair[]> {
    const { context, call } = this;
    const endsOf = (row: CheckedPair) => (isRefusedPair(row) ? [] : [row.pair.from_id, row.pair.to_id]);
    const ids = [...new Set(rows.flatMap(endsOf))];
    const checked = await mapConcurrently(
      ids,
      (id) => catchRefusal(() => requireLiveRecord(context.service.handler, call.organization_id, id, 'control')),
      context,
    );
    const refusals = new Map(ids.map((id, index) => [id, checked[index]?.refusal]));
    return rows.map((row) => {
      const refused = endsOf(row).flatMap((id) => refusals.get(id) ?? []);
      return refused.length > 0 ? { errors: refused.flatMap(toRowErrors) } : row;
    });
  }

  private summaryOf({ frameworkIds, pairs }: FrameworkPairs, { results }: ComparedPairs): CrosswalkSummary {
    const frameworks = frameworkIds.map((id) => ({ id, name: this.frameworks.all.find((one) => one.id === id)!.name }));
    const summary = { frameworks, EQUIVALENT: 0, SUPPORTS: 0, PARTLY: 0, created: 0, updated: 0, unchanged: 0 };
    const seen = new Set<string>();
    for (const pair of pairs) {
      if (seen.has(pairKey(pair))) continue;
      seen.add(pairKey(pair));
      summary[pair.relation] += 1;
      summary[COUNTED_AS[results.get(pair)!]] += 1;
    }
    return summary;
  }

  private itemOf({ frameworkIds, pairs }: FrameworkPairs, { restated, linked }: ComparedPairs): BulkItem {
    const { caller, tool } = this.context;
    const { organization_id, reason } = this.call;
    const aggregate = crosswalkAggregate(...frameworkIds);
    const role = requirePermission(caller, organization_id, tool.permission);
    const optionalReason = reason ? { reason } : {};
    const command: CrosswalkCommand = {
      type: 'ImportCrosswalk',
      framework_ids: frameworkIds,
      pairs,
      restated,
      linked,
      ...optionalReason,
    };
    return {
      aggregate: aggregate as unknown as BulkItem['aggregate'],
      command,
      envelope: {
        ...envelopeFor(caller, organization_id, role, tool.permission, this.callId),
        command_id: itemCommandId(this.callId, aggregate.stream),
        input: { framework_ids: frameworkIds, pairs, ...optionalReason },
      },
    };
  }
}

interface FrameworkPairs {
  frameworkIds: readonly [string, string];
  pairs: CrosswalkPair[];
}

function groupByFrameworks(pairs: readonly CrosswalkPair[]): FrameworkPairs[] {
  const groups = new Map<string, FrameworkPairs>();
  for (const pair of pairs) {
    const frameworkIds = sortedPair(frameworkOfControl(pair.from_id), frameworkOfControl(pair.to_id));
    const group = groups.get(frameworkIds.join()) ?? { frameworkIds, pairs: [] };
    group.pairs.push(pair);
    groups.set(frameworkIds.join(), group);
  }
  return [...groups.values()];
}

/** Refuses rows that give one pair two relations. */
function refuseContradictions(rows: readonly CheckedPair[]): CheckedPair[] {
  const relations = new Map<string, Set<string>>();
  for (const row of rows) {
    if (isRefusedPair(row)) continue;
    const key = pairKey(row.pair);
    relations.set(key, (relations.get(key) ?? new Set()).add(describe(row.pair)));
  }
  const message = `Several rows give these two controls different relations. Keep one of them.`;
  return rows.map((row) =>
    !isRefusedPair(row) && relations.get(pairKey(row.pair))!.size > 1
      ? { errors: [{ field: 'relation', message }] }
      : row,
  );
}

/** Returns a text that is the same for the same relation of the same controls. */
function describe({ from_id, relation }: CrosswalkPair): string {
  return relation === 'EQUIVALENT' ? relation : `${relation} ${from_id}`;
}

/** Returns the names of relations with their numbers, such as "EQUIVALENT 12, PARTLY 3". */
export function relationCountsText(summary: Readonly<Record<Relation, number>>): string {
  return RELATIONS.filter((relation) => summary[relation] > 0)
    .map((relation) => `${relation} ${summary[relation]}`)
    .join(', ');
}

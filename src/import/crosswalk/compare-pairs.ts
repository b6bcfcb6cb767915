import { crosswalkAggregate, type PairChange, pairChange, pairKey } from '../../commands/crosswalk.ts';
import { linkAggregate } from '../../commands/link.ts';
import type { Snapshot } from '../../queries/moments/snapshot.ts';
import { readRelations } from '../../queries/records/read-relations.ts';
import { type CrosswalkPair, relationOfPair } from '../../register/crosswalk.ts';
import { type DirectedRelation, isSameRelation } from '../../register/link.ts';
import { type BulkItem, mapConcurrently } from '../../tools/bulk-write.ts';
import type { WriteContext } from '../../tools/tool.ts';

/** Where pairs are compared: the log, and the read models for links that may differ. */
export interface PairSource {
  context: WriteContext;
  models: Snapshot['models'];
  organizationId: string;
}

/** The pairs of two frameworks, compared with what there is. */
export interface ComparedPairs {
  /** A pair that comes again is UNCHANGED. */
  results: ReadonlyMap<CrosswalkPair, PairChange>;
  /** By `pairKey`: pairs that an earlier import stated, and whose import was undone since. They count as new or changed. */
  restated: readonly string[];
  /** By `pairKey`: the relations of the pairs that are linked now. */
  linked: ReadonlyMap<string, DirectedRelation>;
  changedLinks: number;
}

/** Compares pairs of controls of two frameworks with the earlier imports, and with undos of these. */
export async function comparePairs(
  source: PairSource,
  frameworkIds: readonly [string, string],
  pairs: readonly CrosswalkPair[],
): Promise<ComparedPairs> {
  const { handler } = source.context.service;
  const { state } = await handler.load(crosswalkAggregate(...frameworkIds), true);
  const unique = new Map([...pairs].reverse().map((pair) => [pairKey(pair), pair]));
  const links = await readRelations(source.models, source.organizationId, [...unique.values()]);
  const isAsStated = (pair: CrosswalkPair) => {
    const relation = links.get(pairKey(pair));
    return relation !== undefined && isSameRelation(relation, relationOfPair(pair));
  };
  const suspects = [...unique.values()].filter((pair) => pairChange(state, pair) === 'UNCHANGED' && !isAsStated(pair));
  const restated = await undonePairs(source, frameworkIds, suspects);
  const results = new Map<CrosswalkPair, PairChange>();
  let changedLinks = 0;
  for (const pair of pairs) {
    const key = pairKey(pair);
    const again: PairChange = links.has(key) ? 'CHANGED' : 'NEW';
    const result = restated.includes(key) ? again : pairChange(state, pair);
    results.set(pair, unique.get(key) === pair ? result : 'UNCHANGED');
    if (results.get(pair) !== 'UNCHANGED' && links.has(key) && !isAsStated(pair)) changedLinks += 1;
  }
  return { results, restated, linked: links, changedLinks };
}

/** Returns the keys of pairs whose link was last set by an undo of the import that stated them. */
async function undonePairs(
  { context }: PairSource,
  frameworkIds: readonly [string, string],
  pairs: readonly CrosswalkPair[],
): Promise<string[]> {
  if (pairs.length === 0) return [];
  const { handler } = context.service;
  const aggregate = crosswalkAggregate(...frameworkIds);
  const { events } = await handler.readPast(aggregate as unknown as BulkItem['aggregate']);
  const { state } = await handler.load(aggregate);
  const undone = await mapConcurrently(
    pairs,
    async (pair) => {
      const { revision } = state!.pairs.get(pairKey(pair))!;
      const stating = events.find((event) => event.revision === revision);
      const link = linkAggregate(pair.from_id, pair.to_id) as unknown as BulkItem['aggregate'];
      const newest = (await handler.readPast(link)).events.at(-1);
      return newest !== undefined && newest.metadata.causation_id === stating?.metadata.correlation_id;
    },
    context,
  );
  return pairs.filter((_, index) => undone[index]).map(pairKey);
}

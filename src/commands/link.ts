import type { Aggregate } from './aggregate.ts';
import type { Decider, DecisionContext } from './decider.ts';
import { recordAggregate } from './families.ts';
import { kindOf } from './ids.ts';
import { because, type Reasoned } from './record.ts';
import { Refusal } from './refusal.ts';

/** Which kinds can be linked, besides evidence with any. */
const PAIRS: readonly (readonly [string, string])[] = [
  ['rsk', 'msr'],
  ['rsk', 'vnd'],
  ['rsk', 'obl'],
  ['rsk', 'ctl'],
  ['msr', 'ctl'],
  ['msr', 'obl'],
  ['msr', 'vnd'],
  ['ncf', 'rsk'],
  ['ncf', 'msr'],
  ['ncf', 'ctl'],
  ['ncf', 'vnd'],
  ['ncf', 'obl'],
  ['obl', 'vnd'],
  ['obl', 'ctl'],
];
const EVIDENCE = 'evd';
const RECORD_KINDS = ['rsk', 'vnd', 'msr', 'obl', 'ncf', 'frm', 'ctl', 'aud'];

/** Two records of one organization, without direction. Its stream bears both ids, the lower one first. */
export interface LinkState {
  linked: boolean;
}

export type LinkEvent =
  | { type: 'RecordsLinked'; data: { ids: readonly [string, string] } & Reasoned }
  | { type: 'RecordsUnlinked'; data: { ids: readonly [string, string] } & Reasoned };

export type LinkCommand = { type: 'Link' | 'Unlink'; ids: readonly [string, string] } & Reasoned;

export const LINK_STREAM = 'link-';

/** The kinds that a record of this kind can be linked with. */
export function linkableWith(kind: string): string[] {
  if (kind === EVIDENCE) return RECORD_KINDS;
  const kinds = PAIRS.flatMap(([a, b]) => (a === kind ? [b] : b === kind ? [a] : []));
  return [...kinds, EVIDENCE];
}

/** Two ids in the order in which their link's stream has them. */
export function lowerFirst(a: string, b: string): readonly [string, string] {
  return a < b ? [a, b] : [b, a];
}

/** @throws Refusal invalid_input on `field` when these two cannot be linked, naming the kinds that could */
export function refuseUnlinkable(from: string, to: string, field = 'links'): void {
  const allowed = linkableWith(kindOf(from) ?? '');
  if (from !== to && allowed.includes(kindOf(to) ?? '')) return;
  const kinds = allowed.map((kind) => `${kind}_…`);
  const problem = `${from} cannot be linked with ${from === to ? 'itself' : to}`;
  throw new Refusal('invalid_input', `${problem}: give the id of one of ${kinds.join(', ')}.`, {
    field,
    allowed: kinds,
  });
}

/** The link of two records. Its first state may stand in the evidence that was added with it. */
export function linkAggregate(one: string, other: string): Aggregate<LinkState, LinkCommand, LinkEvent> {
  const ids = lowerFirst(one, other);
  const stream = `${LINK_STREAM}${ids.join('-')}`;
  const evidence = ids.find((id) => kindOf(id) === EVIDENCE);
  if (evidence === undefined) return { stream, decider: link };
  const record = evidence === one ? other : one;
  const first = (state: { record_ids: readonly string[] }) =>
    state.record_ids.includes(record) ? { linked: true } : null;
  return { stream, decider: link, origin: { aggregate: recordAggregate(evidence), first } };
}

function decide(command: LinkCommand, state: LinkState | null, _context: DecisionContext): LinkEvent[] {
  const { ids, reason } = command;
  const linked = state?.linked ?? false;
  switch (command.type) {
    case 'Link':
      return linked ? [] : [{ type: 'RecordsLinked', data: { ids, ...because(reason) } }];
    case 'Unlink':
      return linked ? [{ type: 'RecordsUnlinked', data: { ids, ...because(reason) } }] : [];
  }
}

function evolve(_state: LinkState | null, event: LinkEvent): LinkState {
  switch (event.type) {
    case 'RecordsLinked':
      return { linked: true };
    case 'RecordsUnlinked':
      return { linked: false };
  }
}

export const link: Decider<LinkState, LinkCommand, LinkEvent> = { decide, evolve };

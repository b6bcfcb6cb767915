import { type ChangeDocument, changeId } from '../../projections/history/change-document.ts';
import {
  RecomputedChanges,
  type RecomputedEvent,
  rowDigest,
  toRecomputedRow,
} from '../../projections/history/recomputed-changes.ts';
import { matchesConditions } from '../../projections/read-models/matches-conditions.ts';
import { RecomputedSeals } from '../../projections/transparency/recomputed-seals.ts';
import type { StorePosition } from '../../stores/event-store.ts';
import type { Condition, MatchingDocument } from '../../stores/read-store.ts';
import type { ChainFault } from '../../trail/chain.ts';
import { sealStream } from '../../trail/seals/seal-events.ts';
import { isIncomplete, type Snapshot } from '../moments/snapshot.ts';
import { type ChangeFault, differences, MAX_FAULTS } from './change-fault.ts';
import { AllowanceExhausted, type EventAllowance } from './event-allowance.ts';
import type { VerifyRequest } from './verify-request.ts';

/** Rows per read of the read models. */
const ROWS_PER_WINDOW = 500;

/** One position's rows, as the read models have them. */
interface PositionRows {
  position: number;
  rows: MatchingDocument[];
}

/** A change that agrees with its event. */
export interface CheckedChange {
  position: number;
  hash: string;
  storePosition: StorePosition;
}

/**
 * Compares change rows with the log, from the newest down. It computes each row again from its event and the earlier ones.
 * Then it checks that the filter finds exactly the rows it should.
 */
export class ChangeVerifier {
  readonly faults: ChangeFault[] = [];
  /** Events whose rows were checked, as `stream@revision`. */
  readonly checkedEvents = new Set<string>();
  readonly changes: RecomputedChanges;
  private readonly seals: RecomputedSeals;
  private readonly brokenStreams = new Set<string>();
  /** The number of rows that the filter should find, by position. */
  private expected = new Map<number, number>();
  private newerChange: (CheckedChange & { logTime: string; recordedAt: string }) | null = null;
  private erasedEvents = 0;

  constructor(
    private readonly snapshot: Snapshot,
    private readonly request: VerifyRequest,
    private readonly allowance: EventAllowance,
  ) {
    this.changes = new RecomputedChanges(snapshot.events, allowance, request.organizationId);
    this.seals = new RecomputedSeals(snapshot.events, allowance, request.organizationId);
  }

  /** The number of checked events whose data was erased. */
  get erased(): number {
    return this.erasedEvents;
  }

  /**
   * Checks changes from the newest down.
   * @param onWindow gets the checked changes, some hundred at a time
   * @returns the lowest covered position; `to + 1` if none was covered
   */
  async run(onWindow: (checked: readonly CheckedChange[]) => Promise<void>): Promise<number> {
    const { from, to } = this.request;
    for (let next = to; next >= from; ) {
      const { groups, isLast } = await this.readWindow(next);
      const checked: CheckedChange[] = [];
      const covered = await this.checkGroups(groups, isLast, next, checked);
      await this.checkFilter(covered, next);
      await onWindow(checked);
      const isStopped = covered > (isLast ? from : groups.at(-1)!.position);
      if (isStopped || this.isFull) return covered;
      next = covered - 1;
    }
    return from;
  }

  report(fault: ChangeFault): void {
    if (!this.isFull) this.faults.push(fault);
  }

  private get isFull(): boolean {
    return this.faults.length >= MAX_FAULTS;
  }

  private async readWindow(next: number): Promise<{ groups: PositionRows[]; isLast: boolean }> {
    const { organizationId, recordKeys, from } = this.request;
    const where: Condition[] = [{ key: 'position', op: 'range', gte: from, lte: next }];
    if (recordKeys !== null) where.unshift({ key: 'record_id', op: 'in', values: [...recordKeys] });
    const order = { key: 'position', direction: 'DESC' } as const;
    const query = { collection: 'changes', organizationId, where, order, limit: ROWS_PER_WINDOW };
    const rows = await this.snapshot.models.find(query);
    const groups: PositionRows[] = [];
    for (const row of rows) {
      const last = groups.at(-1);
      if (last?.position === row.key) last!.rows.push(row);
      else groups.push({ position: Number(row.key), rows: [row] });
    }
    const isLast = rows.length < ROWS_PER_WINDOW;
    // The last position may have more rows in the next window.
    return { groups: isLast ? groups : groups.slice(0, -1), isLast };
  }

  /** @returns the lowest covered position */
  private async checkGroups(
    groups: PositionRows[],
    isLast: boolean,
    next: number,
    checked: CheckedChange[],
  ): Promise<number> {
    let covered = next + 1;
    for (const group of groups) {
      covered = this.checkGap(group.position, covered);
      if (this.isFull) return covered;
      try {
        const change = await this.checkGroup(group);
        if (change !== null) checked.push(change);
      } catch (error) {
        if (error instanceof AllowanceExhausted) return covered;
        throw error;
      }
      covered = group.position;
      await this.allowance.pause();
      if (this.isFull) return covered;
    }
    return isLast ? this.checkGap(this.request.from - 1, covered) : covered;
  }

  /** Reports missing positions: a list of all changes has one for each. @returns the lowest covered position */
  private checkGap(position: number, covered: number): number {
    if (this.request.recordKeys !== null) return position + 1;
    for (let missing = covered - 1; missing > position; missing -= 1) {
      if (this.isFull) return missing + 1;
      this.report({ why: 'HIDDEN', position: String(missing) });
      this.newerChange = null;
    }
    return position + 1;
  }

  private async checkGroup({ position, rows }: PositionRows): Promise<CheckedChange | null> {
    const document = rows[0]!.doc as unknown as ChangeDocument;
    const { stream, stream_revision: revision, event_id, hash, log_time: logTime } = document;
    const location = { position: String(position), stream: String(stream), revision: Number(revision), event_id };
    const event = await this.eventAt(location.stream, location.revision, location.position);
    if (event === null || event.id !== event_id) {
      if (event !== null || !this.brokenStreams.has(location.stream)) this.report({ why: 'NOT_IN_LOG', ...location });
      this.expected.delete(position);
      this.newerChange = null;
      return null;
    }
    this.checkedEvents.add(`${stream}@${revision}`);
    if (event.isErased) this.erasedEvents += 1;
    const isSame = await this.checkRows(event, location, rows);
    if (isSame) this.expectMatches(event, document, position);
    const change = { position, hash, storePosition: event.storePosition };
    this.checkOrder({ ...change, logTime, recordedAt: event.recordedAt }, location);
    return isSame ? change : null;
  }

  /** Returns the event of the log, and reports a broken chain once. */
  private async eventAt(stream: string, revision: number, position: string): Promise<RecomputedEvent | null> {
    const { organizationId } = this.request;
    if (!Number.isSafeInteger(revision) || revision < 0) return null;
    if (stream === sealStream(organizationId)) {
      const seal = await this.seals.at(revision);
      this.reportBroken(this.seals.fault, revision, position);
      return seal;
    }
    const chain = await this.changes.upToRevision(stream, revision);
    if (chain.events.length <= revision) this.reportBroken(chain.fault, revision, position);
    return chain.events[revision] ?? null;
  }

  private reportBroken(fault: ChainFault | null, revision: number, position: string): void {
    if (fault === null || this.brokenStreams.has(fault.stream)) return;
    this.brokenStreams.add(fault.stream);
    this.report({ ...fault, position: fault.revision === revision ? position : null });
  }

  /** Compares stored rows with those computed from the event. @returns true if they are the same */
  private async checkRows(
    event: RecomputedEvent,
    location: Required<Omit<ChangeFault, 'why' | 'differs'>>,
    rows: MatchingDocument[],
  ) {
    const { recordKeys, organizationId } = this.request;
    const id = changeId(organizationId, Number(location.position));
    const stored = new Map(rows.map((row) => [row.id, row.doc as unknown as ChangeDocument]));
    const expectedRows = event.rows.filter(({ recordId }) => recordKeys === null || recordKeys.has(recordId));
    const idOf = (row: (typeof expectedRows)[number]) => (row.rowIndex <= 0 ? id : `${id}~${row.recordId}`);
    const ids = new Set(expectedRows.map(idOf));
    const hasUnexpected = rows.some((row) => !ids.has(row.id));
    const isMissing = expectedRows.some((row) => !stored.has(idOf(row)));
    const differing = expectedRows.find(
      (row) => stored.has(idOf(row)) && rowDigest(stored.get(idOf(row))!) !== row.digest,
    );
    const isMoved = rows.some(({ key, doc }) => doc.position !== key);
    if (!hasUnexpected && !isMissing && !differing && !isMoved) return true;
    const { applied, parked } = await this.recomputeRows(location.stream, location.revision);
    // A parked event has rows that say so, and no others.
    const parkedRows = parked.filter(
      (put) => recordKeys === null || recordKeys.has(String(put.document.keys.record_id)),
    );
    const isParked =
      isIncomplete(this.snapshot, organizationId) &&
      parkedRows.length === rows.length &&
      parkedRows
        .map(toRecomputedRow)
        .every((row) => stored.has(idOf(row)) && rowDigest(stored.get(idOf(row))!) === row.digest);
    if (isParked && !isMoved) return true;
    if (hasUnexpected) this.report({ why: 'ADDED', ...location });
    if (isMissing) this.report({ why: 'HIDDEN', ...location });
    const put = differing && applied.find(({ document }) => document.keys.record_id === differing.recordId);
    const differs = put ? differences(stored.get(idOf(differing!))!, put.document.doc as ChangeDocument) : [];
    if (isMoved) differs.unshift('position');
    if (differing || isMoved) this.report({ why: 'DIFFERS', ...location, differs });
    return false;
  }

  private async recomputeRows(stream: string, revision: number) {
    try {
      if (stream === sealStream(this.request.organizationId)) {
        const row = await this.seals.rowOf(revision);
        return { applied: row ? [row] : [], parked: [] };
      }
      return (await this.changes.rowsOf(stream, revision)) ?? { applied: [], parked: [] };
    } catch (error) {
      if (error instanceof AllowanceExhausted) return { applied: [], parked: [] };
      throw error;
    }
  }

  /** Checks that log times never decrease, and that positions follow the log's order. */
  private checkOrder(change: NonNullable<typeof this.newerChange>, location: Omit<ChangeFault, 'why'>): void {
    const { newerChange } = this;
    this.newerChange = change;
    if (change.logTime < change.recordedAt) this.report({ why: 'DIFFERS', ...location, differs: ['log_time'] });
    if (newerChange === null) return;
    if (this.snapshot.events.compareStorePositions(change.storePosition, newerChange.storePosition) >= 0) {
      this.report({ why: 'MISPLACED', ...location });
    }
    const isNext = newerChange.position === change.position + 1;
    const logTime = newerChange.recordedAt > change.logTime ? newerChange.recordedAt : change.logTime;
    if (isNext ? newerChange.logTime !== logTime : newerChange.logTime < logTime) {
      this.report({ why: 'DIFFERS', position: String(newerChange.position), differs: ['log_time'] });
    }
  }

  private expectMatches(event: RecomputedEvent, document: ChangeDocument, position: number): void {
    const { actor_id, token_id, event_type, revision, log_time } = document;
    const common = { position, log_time, actor_id, token_id, event_type };
    const matchingRows = event.rows.filter(({ recordId: record_id, recordType: record_type, rowIndex: row_index }) => {
      const keys = { ...common, record_id, record_type, row_index, revision: row_index === 0 ? revision : null };
      return matchesConditions(this.request.where, keys);
    });
    this.expected.set(position, matchingRows.length);
  }

  /** Counts the rows that the filter finds between two positions, and compares them with the expected ones. */
  private async checkFilter(from: number, to: number): Promise<void> {
    const { organizationId, where } = this.request;
    const range = { key: 'position', op: 'range', gte: from, lte: to } as const;
    const query = { collection: 'changes', organizationId, where: [...where, range] };
    const counts = from > to ? [] : await this.snapshot.models.count(query, ['position']);
    const totals = new Map(counts.map(({ values, total }) => [Number(values[0]), total]));
    for (const [position, expectedTotal] of this.expected) {
      const total = totals.get(position) ?? 0;
      if (total !== expectedTotal)
        this.report({ why: total < expectedTotal ? 'HIDDEN' : 'ADDED', position: String(position) });
    }
    this.expected = new Map();
  }
}

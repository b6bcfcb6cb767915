import { CHANGES, type ChangeDocument, changeId, changeRowId } from '../../projections/history/change-document.ts';
import {
  EVENTS_PER_READ,
  RecomputedChanges,
  type RecomputedEvent,
  type RecomputedStream,
  rowDigest,
  toRecomputedRow,
} from '../../projections/history/recomputed-changes.ts';
import { idsOfPairStream, isPairStream, recordIdOf } from '../../projections/models.ts';
import { matchesConditions } from '../../projections/read-models/read-model.ts';
import { RecomputedSeals } from '../../projections/transparency/recomputed-seals.ts';
import type { StorePosition } from '../../stores/event-store.ts';
import type { Condition, MatchingDocument } from '../../stores/read-store.ts';
import type { ChainFault } from '../../trail/chain.ts';
import { sealStream } from '../../trail/seals/seal-events.ts';
import { readKeysetPages } from '../lists/keyset-page.ts';
import { isIncomplete, type Snapshot } from '../moments/snapshot.ts';
import { type ChangeFault, differences, MAX_FAULTS } from './change-fault.ts';
import { AllowanceExhausted, type EventAllowance } from './event-allowance.ts';
import { ReadAhead } from './read-ahead.ts';

const ROWS_PER_WINDOW = 500;

/** The part of an organization's changes to verify. */
export interface VerifyRequest {
  organizationId: string;
  where: readonly Condition[];
  /** Keys of the only records whose changes are verified; null for all changes. */
  recordKeys: ReadonlySet<string> | null;
  from: number;
  to: number;
}

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

/** A change's place in the history and in its stream. */
interface ChangeLocation {
  position: string;
  stream: string;
  revision: number;
  event_id: string;
}

/** A change with the times that its order is checked by. */
interface OrderedChange extends CheckedChange {
  logTime: string;
  recordedAt: string;
}

/**
 * Compares change rows with the log, from the newest down. Recomputes each row from its event and the earlier ones, then
 * checks that the filter finds exactly the expected rows.
 */
export class ChangeVerifier {
  readonly faults: ChangeFault[] = [];
  /** Events whose rows were checked, as `stream@revision`. */
  readonly checkedEvents = new Set<string>();
  readonly recomputedChanges: RecomputedChanges;
  erasedCount = 0;
  private readonly recomputedSeals: RecomputedSeals;
  private readonly readAhead: ReadAhead;
  private readonly brokenStreams = new Set<string>();
  /** The number of rows that the filter should find, by position. */
  private expectedCounts = new Map<number, number>();
  private newerChange: OrderedChange | null = null;

  constructor(
    private readonly snapshot: Snapshot,
    private readonly request: VerifyRequest,
    private readonly allowance: EventAllowance,
  ) {
    this.readAhead = new ReadAhead(snapshot.events);
    this.recomputedChanges = new RecomputedChanges(this.readAhead, allowance, request.organizationId);
    this.recomputedSeals = new RecomputedSeals(snapshot.events, allowance, request.organizationId);
  }

  /**
   * Checks changes from the newest down.
   * @param onWindow gets the checked changes, up to ROWS_PER_WINDOW at a time
   * @returns the lowest covered position; `to + 1` if none was covered
   */
  async run(onWindow: (checkedChanges: readonly CheckedChange[]) => Promise<void>): Promise<number> {
    const { from, to } = this.request;
    for (let next = to; next >= from; ) {
      const { positions, isLast } = await this.readWindow(next);
      this.readAhead.expect(this.streamsToRead(positions));
      const checkedChanges: CheckedChange[] = [];
      const covered = await this.checkPositions(positions, isLast, next, checkedChanges);
      await this.checkFilter(covered, next);
      await onWindow(checkedChanges);
      const hasStoppedEarly = covered > (isLast ? from : positions.at(-1)!.position);
      if (hasStoppedEarly || this.hasMaxFaults) return covered;
      next = covered - 1;
    }
    return from;
  }

  /** Returns streams, each read at least up to a store position. */
  async readUpToPosition(streams: Iterable<string>, storePosition: StorePosition): Promise<RecomputedStream[]> {
    const all = [...streams];
    this.readAhead.expect(all.map((stream) => [stream, EVENTS_PER_READ]));
    const read: RecomputedStream[] = [];
    for (const stream of all) read.push(await this.recomputedChanges.upToPosition(stream, storePosition));
    return read;
  }

  /** Yields the streams that checking these positions will read, with the number of events. */
  private *streamsToRead(positions: readonly PositionRows[]): Generator<[stream: string, events: number]> {
    for (const { rows } of positions) {
      const { stream, stream_revision: revision } = rows[0]!.doc as unknown as ChangeDocument;
      // The rows may have been tampered with.
      const isValid = typeof stream === 'string' && Number.isSafeInteger(revision) && Number(revision) >= 0;
      if (!isValid || stream === sealStream(this.request.organizationId) || this.recomputedChanges.has(stream))
        continue;
      yield [stream, Number(revision) + 1];
    }
  }

  addFault(fault: ChangeFault): void {
    if (!this.hasMaxFaults) this.faults.push(fault);
  }

  private get hasMaxFaults(): boolean {
    return this.faults.length >= MAX_FAULTS;
  }

  private async readWindow(next: number): Promise<{ positions: PositionRows[]; isLast: boolean }> {
    const { organizationId, recordKeys, from } = this.request;
    const where: Condition[] = [{ key: 'position', op: 'range', gte: from, lte: next }];
    if (recordKeys !== null) where.unshift({ key: 'record_id', op: 'in', values: [...recordKeys] });
    const order = { key: 'position', direction: 'DESC' } as const;
    const query = { collection: 'changes', organizationId, where, order };
    const rows = await this.snapshot.models.find({ ...query, limit: ROWS_PER_WINDOW });
    const isLast = rows.length < ROWS_PER_WINDOW;
    const positions = byPosition(rows);
    if (isLast) return { positions, isLast };
    // The last position may have more rows. They belong to the next window, unless this one has no other.
    if (positions.length > 1) return { positions: positions.slice(0, -1), isLast };
    const { position } = positions[0]!;
    const ofPosition = { ...query, where: [...where, { key: 'position', op: 'eq', value: position } as const] };
    const models = () => this.snapshot.models;
    const allRows: MatchingDocument[] = [];
    for await (const page of readKeysetPages(models, { ...ofPosition, size: ROWS_PER_WINDOW, after: null }))
      allRows.push(...page);
    return { positions: byPosition(allRows), isLast };
  }

  /** Checks a window's positions and adds the correct changes to `checked`. @returns the lowest covered position */
  private async checkPositions(
    positions: readonly PositionRows[],
    isLast: boolean,
    next: number,
    checkedChanges: CheckedChange[],
  ): Promise<number> {
    let lowestCovered = next + 1;
    for (const positionRows of positions) {
      lowestCovered = this.checkGap(positionRows.position, lowestCovered);
      if (this.hasMaxFaults) return lowestCovered;
      try {
        const change = await this.checkPosition(positionRows);
        if (change !== null) checkedChanges.push(change);
      } catch (error) {
        if (error instanceof AllowanceExhausted) return lowestCovered;
        throw error;
      }
      lowestCovered = positionRows.position;
      await this.allowance.pause();
      if (this.hasMaxFaults) return lowestCovered;
    }
    return isLast ? this.checkGap(this.request.from - 1, lowestCovered) : lowestCovered;
  }

  /**
   * Reports positions without a row. Only a list of all changes must have a row at every position.
   * @returns the lowest covered position
   */
  private checkGap(position: number, lowestCovered: number): number {
    if (this.request.recordKeys !== null) return position + 1;
    for (let missing = lowestCovered - 1; missing > position; missing -= 1) {
      if (this.hasMaxFaults) return missing + 1;
      this.addFault({ why: 'HIDDEN', position: String(missing) });
      this.newerChange = null;
    }
    return position + 1;
  }

  private async checkPosition({ position, rows }: PositionRows): Promise<CheckedChange | null> {
    const document = rows[0]!.doc as unknown as ChangeDocument;
    const { stream, stream_revision: revision, event_id, hash, log_time: logTime } = document;
    const location = { position: String(position), stream: String(stream), revision: Number(revision), event_id };
    const event = await this.eventAt(location);
    if (event === null || event.id !== event_id) {
      if (event !== null || !this.brokenStreams.has(location.stream)) this.addFault({ why: 'NOT_IN_LOG', ...location });
      this.expectedCounts.delete(position);
      this.newerChange = null;
      return null;
    }
    this.checkedEvents.add(`${stream}@${revision}`);
    if (event.isErased) this.erasedCount += 1;
    const isSame = await this.checkRows(event, location, rows);
    if (isSame) this.expectMatches(event, document, position);
    const change = { position, hash, storePosition: event.storePosition };
    this.checkOrder({ ...change, logTime, recordedAt: event.recordedAt }, location);
    return isSame ? change : null;
  }

  /** Returns the event of the log, and reports a broken chain once. */
  private async eventAt(location: ChangeLocation): Promise<RecomputedEvent | null> {
    const { stream, revision } = location;
    if (!Number.isSafeInteger(revision) || revision < 0) return null;
    if (stream === sealStream(this.request.organizationId)) {
      const seal = await this.recomputedSeals.at(revision);
      await this.reportBroken(this.recomputedSeals.fault, location);
      return seal;
    }
    const chain = await this.recomputedChanges.upToRevision(stream, revision);
    if (chain.events.length <= revision) await this.reportBroken(chain.fault, location);
    return chain.events[revision] ?? null;
  }

  private async reportBroken(fault: ChainFault | null, { position, revision }: ChangeLocation): Promise<void> {
    if (fault === null || this.brokenStreams.has(fault.stream)) return;
    this.brokenStreams.add(fault.stream);
    const isHere = fault.revision === revision;
    this.addFault({ ...fault, position: isHere ? position : await this.positionOf(fault, position) });
  }

  /** Returns the position of a stream's earlier event, as its change's row has it; null without a row. */
  private async positionOf({ stream, revision }: ChainFault, before: string): Promise<string | null> {
    const recordIds = isPairStream(stream) ? idsOfPairStream(stream) : [stream, recordIdOf(stream)];
    const where: Condition[] = [
      { key: 'record_id', op: 'in', values: recordIds },
      { key: 'position', op: 'range', lt: Number(before) },
    ];
    const order = { key: 'position', direction: 'DESC' } as const;
    const { organizationId } = this.request;
    const query = { collection: CHANGES.name, organizationId, where, order, size: ROWS_PER_WINDOW, after: null };
    for await (const page of readKeysetPages(() => this.snapshot.models, query)) {
      const row = page.find(({ doc }) => doc.stream === stream && doc.stream_revision === revision);
      if (row !== undefined) return String(row.key);
    }
    return null;
  }

  /** Compares stored rows with those computed from the event. @returns true if they are the same */
  private async checkRows(event: RecomputedEvent, location: ChangeLocation, rows: MatchingDocument[]) {
    const { recordKeys, organizationId } = this.request;
    const id = changeId(organizationId, Number(location.position));
    const stored = new Map(rows.map((row) => [row.id, row.doc as unknown as ChangeDocument]));
    const expectedRows = event.rows.filter(({ recordId }) => recordKeys === null || recordKeys.has(recordId));
    const idOf = (row: (typeof expectedRows)[number]) => changeRowId(id, row);
    const ids = new Set(expectedRows.map(idOf));
    const hasUnexpected = rows.some((row) => !ids.has(row.id));
    const isMissing = expectedRows.some((row) => !stored.has(idOf(row)));
    const differingRow = expectedRows.find(
      (row) => stored.has(idOf(row)) && rowDigest(stored.get(idOf(row))!) !== row.digest,
    );
    const isMoved = rows.some(({ key, doc }) => doc.position !== key);
    if (!hasUnexpected && !isMissing && !differingRow && !isMoved) return true;
    const { applied, parked } = await this.recomputeRows(location.stream, location.revision);
    // A parked event has only rows that are marked stale.
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
    if (hasUnexpected) this.addFault({ why: 'ADDED', ...location });
    if (isMissing) this.addFault({ why: 'HIDDEN', ...location });
    const recomputed =
      differingRow && applied.find(({ document }) => document.keys.record_id === differingRow.recordId);
    const differingFields = recomputed
      ? differences(stored.get(idOf(differingRow!))!, recomputed.document.doc as ChangeDocument)
      : [];
    if (isMoved) differingFields.unshift('position');
    if (differingRow || isMoved) this.addFault({ why: 'DIFFERS', ...location, differs: differingFields });
    return false;
  }

  private async recomputeRows(stream: string, revision: number) {
    try {
      if (stream === sealStream(this.request.organizationId)) {
        const row = await this.recomputedSeals.rowOf(revision);
        return { applied: row ? [row] : [], parked: [] };
      }
      return (await this.recomputedChanges.rowsOf(stream, revision)) ?? { applied: [], parked: [] };
    } catch (error) {
      if (error instanceof AllowanceExhausted) return { applied: [], parked: [] };
      throw error;
    }
  }

  /** Checks that log times never decrease, and that positions follow the log's order. */
  private checkOrder(change: OrderedChange, location: Omit<ChangeFault, 'why'>): void {
    const { newerChange } = this;
    this.newerChange = change;
    if (change.logTime < change.recordedAt) this.addFault({ why: 'DIFFERS', ...location, differs: ['log_time'] });
    if (newerChange === null) return;
    if (this.snapshot.events.compareStorePositions(change.storePosition, newerChange.storePosition) >= 0) {
      this.addFault({ why: 'MISPLACED', ...location });
    }
    const isNext = newerChange.position === change.position + 1;
    // A change's log time is the highest recorded_at up to its position. Changes between these two may raise it.
    const lowestLogTime = newerChange.recordedAt > change.logTime ? newerChange.recordedAt : change.logTime;
    if (isNext ? newerChange.logTime !== lowestLogTime : newerChange.logTime < lowestLogTime) {
      this.addFault({ why: 'DIFFERS', position: String(newerChange.position), differs: ['log_time'] });
    }
  }

  private expectMatches(event: RecomputedEvent, document: ChangeDocument, position: number): void {
    const { actor_id, token_id, call_id, event_type, revision, log_time } = document;
    const matchingRows = event.rows.filter(({ recordId, recordType, rowIndex, fields }) =>
      matchesConditions(this.request.where, {
        position,
        log_time,
        actor_id,
        token_id,
        call_id,
        event_type,
        record_id: recordId,
        record_type: recordType,
        row_index: rowIndex,
        fields,
        revision: rowIndex === 0 ? revision : null,
      }),
    );
    this.expectedCounts.set(position, matchingRows.length);
  }

  /** Counts the rows that the filter finds between two positions, and compares them with the expected ones. */
  private async checkFilter(from: number, to: number): Promise<void> {
    const { organizationId, where } = this.request;
    const range = { key: 'position', op: 'range', gte: from, lte: to } as const;
    const query = { collection: 'changes', organizationId, where: [...where, range] };
    const counts = from > to ? [] : await this.snapshot.models.count(query, ['position']);
    const totals = new Map(counts.map(({ values, total }) => [Number(values[0]), total]));
    for (const [position, expectedTotal] of this.expectedCounts) {
      const total = totals.get(position) ?? 0;
      if (total !== expectedTotal)
        this.addFault({ why: total < expectedTotal ? 'HIDDEN' : 'ADDED', position: String(position) });
    }
    this.expectedCounts = new Map();
  }
}

function byPosition(rows: readonly MatchingDocument[]): PositionRows[] {
  const positions: PositionRows[] = [];
  for (const row of rows) {
    const last = positions.at(-1);
    if (last !== undefined && last.position === row.key) last.rows.push(row);
    else positions.push({ position: Number(row.key), rows: [row] });
  }
  return positions;
}

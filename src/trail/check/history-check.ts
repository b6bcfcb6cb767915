import { linkFault } from '../chain.ts';
import type { TrailCrypto } from '../crypto.ts';
import type { TrailEvent } from '../event.ts';
import { addOutOfOrder, IN_ORDER, RecordedOrder } from '../recorded-order.ts';
import type { KeptSeal } from '../seals/kept-seal.ts';
import { KeptSealCheck } from '../seals/kept-seal-check.ts';
import type { PublicKey } from '../seals/key.ts';
import { SealCheck } from '../seals/seal-check.ts';
import { isHash, isSealEventType, sealStream, type TreeHead } from '../seals/seal-events.ts';
import { TreeWindow } from '../seals/tree-window.ts';
import type { ExportEnd, ExportHeader, ExportLine } from './line.ts';
import { StreamTips, type Tip } from './stream-tips.ts';
import {
  type CountedSeal,
  type EventFault,
  type ExportFault,
  MAX_NOTES,
  type RedactionNote,
  type SealNote,
  type Verdict,
} from './verdict.ts';

const ZERO_HASH = '0'.repeat(64);

type EventLine = ExportLine & { kind: 'EVENT' };

/** Verifies one organization's history, event by event. */
export class HistoryCheck {
  private readonly tips: StreamTips;
  private readonly keptSealCheck: KeptSealCheck;
  private readonly window: TreeWindow;
  private readonly sealCheck: SealCheck;
  private readonly sealStream: string;
  private readonly redactions: RedactionNote[] = [];
  private redactedTotal = 0;
  private readonly order: RecordedOrder;
  private outOfOrder = IN_ORDER;
  private fault: EventFault | null = null;

  constructor(
    private readonly crypto: TrailCrypto,
    private readonly header: ExportHeader,
    private readonly keys: readonly PublicKey[],
    keptSeals: readonly KeptSeal[],
    now: Date | null,
  ) {
    this.order = new RecordedOrder('', now);
    this.tips = new StreamTips(crypto);
    this.keptSealCheck = new KeptSealCheck(header.organization_id, keptSeals);
    this.window = new TreeWindow(crypto, this.keptSealCheck.sizeListeners);
    const trustedTexts = new Set(keys.map(({ text }) => text));
    this.sealCheck = new SealCheck(
      crypto,
      header.organization_id,
      (text) => trustedTexts.has(text),
      this.window,
      this.keptSealCheck.keyIds,
    );
    this.sealStream = sealStream(header.organization_id);
  }

  /** Checks the next event. @param number its line's number in the file */
  checkEvent(line: EventLine, number: number): void {
    const { event } = line;
    const { stream, metadata } = event;
    const position = this.window.size + 1;
    const tip = this.tips.get(stream);
    const revision = tip === null ? 0 : tip.revision + 1;
    const why = this.findFault(line, position, tip, revision);
    if (why !== null) this.fault ??= toEventFault(why, event, position, number);
    if (metadata.salt === '') this.recordRedaction(event, position);
    const finding = this.order.take(event);
    if (finding !== null)
      this.outOfOrder = addOutOfOrder(this.outOfOrder, finding, position, metadata.recorded_at, this.order.logTime);
    const inSealStream = stream === this.sealStream;
    // A seal after a faulty event would only repeat that something is wrong.
    if (inSealStream && this.fault === null && isSealEventType(event.type))
      this.sealCheck.checkEvent(event.type, event, position);
    // The hash of a faulty event may be any text.
    const hash = why === null || isHash(metadata.hash) ? metadata.hash : ZERO_HASH;
    this.window.add(hash, inSealStream);
    this.tips.set(stream, revision, hash);
  }

  private findFault(
    { event, position: statedPosition, texts }: EventLine,
    position: number,
    tip: Tip | null,
    revision: number,
  ): EventFault['why'] | null {
    if (statedPosition !== position) return 'ORDER';
    if (event.metadata.organization_id !== this.header.organization_id) return 'FOREIGN';
    return linkFault(this.crypto, event, revision, tip?.hash ?? null, texts);
  }

  private recordRedaction({ id, type, stream }: TrailEvent, position: number): void {
    this.redactedTotal += 1;
    if (this.redactions.length < MAX_NOTES) this.redactions.push({ position, event_id: id, type, stream });
  }

  /** Returns the verdict after the last event. @param end null if the export's last line is missing */
  verdict(end: ExportEnd | null): Verdict {
    const { sealCheck, fault: event_fault, header } = this;
    const events = this.window.size;
    // Growing the tree to its end also passes the size of every kept seal.
    const root = this.window.rootAt(events)!;
    const faultless = event_fault === null ? events : event_fault.position - 1;
    const keptVerdict = this.keptSealCheck.verdict(events, faultless, [
      ...this.keys,
      ...sealCheck.wantedTrustedKeys.values(),
    ]);
    const seal_fault = sealCheck.faultBeyond(keptVerdict.proved?.size ?? 0) ?? keptVerdict.fault;
    // If a kept seal doesn't match, somebody with the key sealed another history. Then its own seals prove nothing.
    const validSeal = keptVerdict.fault ? keptVerdict.proved : largerSeal(sealCheck.newest, keptVerdict.proved);
    const why =
      findExportFault(end, { size: events, root }) ??
      keptVerdict.exportFault ??
      (validSeal || seal_fault ? null : 'NO_SEAL');
    const export_fault = why && { why, position: events };
    return {
      valid: event_fault === null && seal_fault === null && export_fault === null,
      header,
      events,
      streams: this.tips.size,
      seals: { total: sealCheck.total, unchecked: sealCheck.unchecked },
      proved: validSeal && toSealNote(validSeal),
      unsealed: this.window.nonSealEvents.total - (validSeal?.nonSealEvents ?? 0),
      keys: { total: sealCheck.keysTotal, first: sealCheck.keys },
      redactions: { total: this.redactedTotal, first: this.redactions },
      recorded_out_of_order: this.outOfOrder,
      event_fault,
      seal_fault,
      export_fault,
    };
  }
}

function findExportFault(end: ExportEnd | null, { size, root }: TreeHead): ExportFault['why'] | null {
  if (end === null) return 'CUT';
  return end.position === size && end.head.size === size && end.head.root === root ? null : 'HEAD';
}

function largerSeal(a: CountedSeal | null, b: CountedSeal | null): CountedSeal | null {
  return (a?.size ?? 0) >= (b?.size ?? 0) ? a : b;
}

function toSealNote({ nonSealEvents: _, ...note }: CountedSeal): SealNote {
  return note;
}

function toEventFault(why: EventFault['why'], event: TrailEvent, position: number, line: number): EventFault {
  const { id: event_id, type, stream, revision } = event;
  return { why, position, line, event_id, type, stream, revision };
}

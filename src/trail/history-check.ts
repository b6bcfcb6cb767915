import { linkFault } from './chain.ts';
import type { TrailEvent } from './event.ts';
import type { KeptSeal } from './kept-seal.ts';
import { KeptSealCheck } from './kept-seal-check.ts';
import type { PublicKey } from './key.ts';
import type { ExportEnd, ExportHeader, ExportLine } from './line.ts';
import { SealCheck } from './seal-check.ts';
import { isHash, isSealEventType, sealStream, type TreeHead } from './seal-events.ts';
import { StreamTips, type Tip } from './stream-tips.ts';
import { TreeWindow } from './tree-window.ts';
import {
  type CountedSeal,
  type EventFault,
  type ExportFault,
  MAX_NOTES,
  type RedactionNote,
  type SealNote,
  type Verdict,
} from './verdict.ts';

const ZERO_HASH = Buffer.alloc(32);

type EventLine = ExportLine & { kind: 'EVENT' };

/** One organization's history on its way through a verification. */
export class HistoryCheck {
  private readonly tips = new StreamTips();
  private readonly kept: KeptSealCheck;
  private readonly window: TreeWindow;
  private readonly seals: SealCheck;
  private readonly sealStream: string;
  private readonly redactions: RedactionNote[] = [];
  private redacted = 0;
  private fault: EventFault | null = null;

  constructor(
    private readonly header: ExportHeader,
    private readonly keys: readonly PublicKey[],
    kept: readonly KeptSeal[],
  ) {
    this.kept = new KeptSealCheck(header.organization_id, kept);
    this.window = new TreeWindow(this.kept.watched);
    this.seals = new SealCheck(
      header.organization_id,
      new Set(keys.map(({ text }) => text)),
      this.window,
      this.kept.keyIds,
    );
    this.sealStream = sealStream(header.organization_id);
  }

  /** Takes the next event. */
  checkEvent(line: EventLine, number: number): void {
    const { event } = line;
    const { stream, metadata } = event;
    const position = this.window.size + 1;
    const tip = this.tips.get(stream);
    const revision = tip === null ? 0 : tip.revision + 1;
    const why = this.findFault(line, position, tip, revision);
    if (why !== null) this.fault ??= toEventFault(why, event, position, number);
    if (metadata.salt === '') this.recordRedaction(event, position);
    const isOfSeals = stream === this.sealStream;
    // Judged by what stands before it. Behind an event that does not fit, seals say no more than that.
    if (isOfSeals && this.fault === null && isSealEventType(event.type))
      this.seals.checkEvent(event.type, event, position);
    // One that fits has a hash of its own; what another says need not be one.
    const hash = why === null || isHash(metadata.hash) ? Buffer.from(metadata.hash, 'hex') : ZERO_HASH;
    this.window.add(hash, isOfSeals);
    this.tips.set(stream, revision, hash);
  }

  private findFault(
    { event, position: stated, texts }: EventLine,
    position: number,
    tip: Tip | null,
    revision: number,
  ): EventFault['why'] | null {
    if (stated !== position) return 'ORDER';
    if (event.metadata.organization_id !== this.header.organization_id) return 'FOREIGN';
    return linkFault(event, revision, tip?.hash.toString('hex') ?? null, texts);
  }

  private recordRedaction({ id, type, stream }: TrailEvent, position: number): void {
    this.redacted += 1;
    if (this.redactions.length < MAX_NOTES) this.redactions.push({ position, event_id: id, type, stream });
  }

  /** What came out, when there is no further event. `end` is null where the last line is missing. */
  verdict(end: ExportEnd | null): Verdict {
    const { seals, fault: event_fault, header } = this;
    const events = this.window.size;
    // The tree takes in all that waits, and so passes every size that kept seals are of.
    const root = this.window.rootAt(events)!.toString('hex');
    const fitting = event_fault === null ? events : event_fault.position - 1;
    const kept = this.kept.verdict(events, fitting, [...this.keys, ...seals.vouchedKeys.values()]);
    const seal_fault = seals.faultBeyond(kept.proved?.size ?? 0) ?? kept.fault;
    // Against whoever holds the key, its seals are worth nothing: what was kept elsewhere is.
    const good = kept.fault ? kept.proved : largerSeal(seals.newest, kept.proved);
    const why = findExportFault(end, { size: events, root }) ?? kept.lack ?? (good || seal_fault ? null : 'NO_SEAL');
    const whole_fault = why && { why, position: events };
    return {
      valid: event_fault === null && seal_fault === null && whole_fault === null,
      header,
      events,
      streams: this.tips.size,
      seals: { total: seals.total, unchecked: seals.unchecked },
      proved: good && toSealNote(good),
      unsealed: this.window.nonSealEvents.all - (good?.nonSealEvents ?? 0),
      keys: { total: seals.keysTotal, first: seals.keys },
      redactions: { total: this.redacted, first: this.redactions },
      event_fault,
      seal_fault,
      export_fault: whole_fault,
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

function toSealNote({ nonSealEvents: _others, ...note }: CountedSeal): SealNote {
  return note;
}

function toEventFault(why: EventFault['why'], event: TrailEvent, position: number, line: number): EventFault {
  const { id: event_id, type, stream, revision } = event;
  return { why, position, line, event_id, type, stream, revision };
}

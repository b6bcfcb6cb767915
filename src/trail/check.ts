import { linkFault } from './chain.ts';
import type { TrailEvent } from './event.ts';
import { KeptCheck } from './kept-check.ts';
import type { KeptSeal } from './kept-seal.ts';
import type { PublicKey } from './key.ts';
import type { ExportEnd, ExportHeader, ExportLine } from './line.ts';
import { isHash, isSealFactType, sealStream, type TreeHead } from './seal.ts';
import { SealCheck } from './seal-check.ts';
import { StreamTips, type Tip } from './tips.ts';
import {
  type CountedSeal,
  type EventFault,
  MOST_NOTES,
  type RedactionNote,
  type SealNote,
  type Verdict,
  type WholeFault,
} from './verdict.ts';
import { TreeWindow } from './window.ts';

const NO_HASH = Buffer.alloc(32);

type EventLine = ExportLine & { kind: 'EVENT' };

/** One organization's history on its way through a verification. */
export class Check {
  private readonly tips = new StreamTips();
  private readonly kept: KeptCheck;
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
    this.kept = new KeptCheck(header.organization_id, kept);
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
  take(line: EventLine, number: number): void {
    const { event } = line;
    const { stream, metadata } = event;
    const position = this.window.size + 1;
    const tip = this.tips.get(stream);
    const revision = tip === null ? 0 : tip.revision + 1;
    const why = this.judge(line, position, tip, revision);
    if (why !== null) this.fault ??= faultOf(why, event, position, number);
    if (metadata.salt === '') this.note(event, position);
    const isOfSeals = stream === this.sealStream;
    // Judged by what stands before it. Behind an event that does not fit, seals say no more than that.
    if (isOfSeals && this.fault === null && isSealFactType(event.type)) this.seals.take(event.type, event, position);
    // One that fits has a hash of its own; what another says need not be one.
    const hash = why === null || isHash(metadata.hash) ? Buffer.from(metadata.hash, 'hex') : NO_HASH;
    this.window.add(hash, isOfSeals);
    this.tips.set(stream, revision, hash);
  }

  private judge(
    { event, position: stated, texts }: EventLine,
    position: number,
    tip: Tip | null,
    revision: number,
  ): EventFault['why'] | null {
    if (stated !== position) return 'ORDER';
    if (event.metadata.organization_id !== this.header.organization_id) return 'FOREIGN';
    return linkFault(event, revision, tip?.hash.toString('hex') ?? null, texts);
  }

  private note({ id, type, stream }: TrailEvent, position: number): void {
    this.redacted += 1;
    if (this.redactions.length < MOST_NOTES) this.redactions.push({ position, event_id: id, type, stream });
  }

  /** What came out, when there is no further event. `end` is null where the last line is missing. */
  verdict(end: ExportEnd | null): Verdict {
    const { seals, fault: event_fault, header } = this;
    const events = this.window.size;
    // The tree takes in all that waits, and so passes every size that kept seals are of.
    const root = this.window.rootAt(events)!.toString('hex');
    const fitting = event_fault === null ? events : event_fault.position - 1;
    const kept = this.kept.verdict(events, fitting, [...this.keys, ...seals.followers.values()]);
    const seal_fault = seals.faultBeyond(kept.proved?.size ?? 0) ?? kept.fault;
    // Against whoever holds the key, its seals are worth nothing: what was kept elsewhere is.
    const good = kept.fault ? kept.proved : larger(seals.newest, kept.proved);
    const why = wholeFault(end, { size: events, root }) ?? kept.lack ?? (good || seal_fault ? null : 'NO_SEAL');
    const whole_fault = why && { why, position: events };
    return {
      valid: event_fault === null && seal_fault === null && whole_fault === null,
      header,
      events,
      streams: this.tips.size,
      seals: { total: seals.total, unchecked: seals.unchecked },
      proved: good && noteOf(good),
      unsealed: this.window.others.all - (good?.others ?? 0),
      keys: { total: seals.keysTotal, first: seals.keys },
      redactions: { total: this.redacted, first: this.redactions },
      event_fault,
      seal_fault,
      whole_fault,
    };
  }
}

function wholeFault(end: ExportEnd | null, { size, root }: TreeHead): WholeFault['why'] | null {
  if (end === null) return 'CUT';
  return end.position === size && end.head.size === size && end.head.root === root ? null : 'HEAD';
}

function larger(a: CountedSeal | null, b: CountedSeal | null): CountedSeal | null {
  return (a?.size ?? 0) >= (b?.size ?? 0) ? a : b;
}

function noteOf({ others: _others, ...note }: CountedSeal): SealNote {
  return note;
}

function faultOf(why: EventFault['why'], event: TrailEvent, position: number, line: number): EventFault {
  const { id: event_id, type, stream, revision } = event;
  return { why, position, line, event_id, type, stream, revision };
}

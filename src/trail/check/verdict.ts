import type { OutOfOrder } from '../recorded-order.ts';
import type { KeptSeal } from '../seals/kept-seal.ts';
import type { ExportHeader } from './line.ts';

/** The first faulty event. */
export interface EventFault {
  /**
   * - `ORDER`: its line doesn't have the next position.
   * - `FOREIGN`: it belongs to another organization.
   * - `OUT_OF_ORDER`: it doesn't have the next revision of its stream.
   * - `ALTERED`: its content doesn't match its hashes.
   * - `BROKEN_LINK`: it doesn't follow the event before it in its stream.
   */
  why: 'ORDER' | 'FOREIGN' | 'OUT_OF_ORDER' | 'ALTERED' | 'BROKEN_LINK';
  /** Place in the file, which may differ from the position in the event's line. */
  position: number;
  line: number;
  event_id: string;
  type: string;
  stream: string;
  revision: number;
}

/** The first faulty seal. An event between `from` and `until` isn't as it was sealed. */
export interface SealFault {
  /**
   * - `MALFORMED`: its data has another shape.
   * - `KEY`: its key isn't the active one.
   * - `SIGNATURE`: its key didn't sign it.
   * - `PREVIOUS_SEAL`: it doesn't follow the seal before it.
   * - `SIZE`: it covers no more events than the seal before it, or it covers itself.
   * - `ROOT`: the events that it covers aren't those that were sealed.
   * - `NOT_GIVEN`: the key of the newest seals isn't trusted.
   * - `KEPT`: a kept seal doesn't match this history.
   */
  why: 'MALFORMED' | 'KEY' | 'SIGNATURE' | 'PREVIOUS_SEAL' | 'SIZE' | 'ROOT' | 'NOT_GIVEN' | 'KEPT';
  /** Position of the event with the seal, null for a kept seal. */
  position: number | null;
  event_id: string | null;
  key_id: string | null;
  /** The positions in question. They begin after those that the last valid seal covers. */
  from: number;
  until: number;
}

/** A fault of the whole export. */
export interface ExportFault {
  /**
   * - `CUT`: the last line is missing.
   * - `HEAD`: the last line doesn't match the events.
   * - `NO_SEAL`: no seal proves anything.
   * - `KEPT_BEYOND`: a kept seal covers more events than there are.
   * - `KEPT_KEY`: a kept seal isn't signed with a trusted key, or belongs to another organization.
   */
  why: 'CUT' | 'HEAD' | 'NO_SEAL' | 'KEPT_BEYOND' | 'KEPT_KEY';
  /** Position of the last event there is. */
  position: number;
}

export interface SealNote {
  size: number;
  root: string;
  sealed_at: string;
  key_id: string;
  /** Position of the event with the seal, null for a kept seal. */
  position: number | null;
}

/** A valid seal, and the number of events outside the seal stream that it covers. */
export interface CountedSeal extends SealNote {
  nonSealEvents: number;
}

/** A key of the seal stream, and how it became active. */
export interface KeyNote {
  position: number;
  key_id: string;
  public_key: string;
  how: 'INTRODUCED' | 'ROTATED' | 'REPLACED';
  /** True for a key that the caller trusts, and for one that a trusted key rotated to. */
  trusted: boolean;
}

export interface RedactionNote {
  position: number;
  event_id: string;
  type: string;
  stream: string;
}

/** Limit of listed keys and of listed redactions. All of them are counted. */
export const MAX_NOTES = 100;

/** The outcome of verifying an export. */
export interface Verdict {
  /** True if every chain, seal and signature matches and the file is complete. */
  valid: boolean;
  header: ExportHeader;
  events: number;
  streams: number;
  /** The number of seals in the history. `unchecked` ones cover events too far behind them to be checked. */
  seals: { total: number; unchecked: number };
  /** The largest valid seal before any fault. The events that it covers are proved. */
  proved: SealNote | null;
  /** The number of later events, without those of the seal stream. */
  unsealed: number;
  keys: { total: number; first: KeyNote[] };
  redactions: { total: number; first: RedactionNote[] };
  /** Events that somebody may have added with another time. A history with them can be valid. */
  recorded_out_of_order: OutOfOrder;
  event_fault: EventFault | null;
  seal_fault: SealFault | null;
  export_fault: ExportFault | null;
}

/** A fault of a seal without its history, or of its proof since an older one. */
export interface ExtensionFault {
  /**
   * - `KEY`: its key isn't trusted, or was rotated away before.
   * - `SIGNATURE`: its key didn't sign it.
   * - `KEPT_KEY`: the kept seal isn't signed with a trusted key, or belongs to another organization.
   * - `KEPT_BEYOND`: the kept seal covers more events.
   * - `NO_PROOF`: the file has no proof since the kept seal.
   * - `KEPT`: the proof doesn't hold.
   */
  why: 'KEY' | 'SIGNATURE' | 'KEPT_KEY' | 'KEPT_BEYOND' | 'NO_PROOF' | 'KEPT';
  /** Size of the kept seal in question, null for the seal itself. */
  size: number | null;
}

/** The outcome of verifying a seal without its history. */
export interface SealVerdict {
  /** True if a trusted key signed the seal, and its history begins with the history of each kept seal. */
  valid: boolean;
  seal: KeptSeal;
  /** Sizes of the kept seals that it was checked against. */
  kept_sizes: number[];
  fault: ExtensionFault | null;
}

import type { KeptSeal } from './kept-seal.ts';
import type { ExportHeader } from './line.ts';

/** The first event that does not fit, as a chain, its place or its own hashes show it. */
export interface EventFault {
  /**
   * `ORDER`: its line's position is not the next one. `FOREIGN`: it is another organization's. `OUT_OF_ORDER`,
   * `ALTERED`, `BROKEN_LINK`: as of verifyChain.
   */
  why: 'ORDER' | 'FOREIGN' | 'OUT_OF_ORDER' | 'ALTERED' | 'BROKEN_LINK';
  /** Its place in the file: the position that comes next, whatever its line says. */
  position: number;
  line: number;
  event_id: string;
  type: string;
  stream: string;
  revision: number;
}

/** The first seal that does not fit. Something between `from` and `until` is not as it was sealed. */
export interface SealFault {
  /**
   * `MALFORMED`: no seal or key of this format. `KEY`: of a key that is not in force there. `SIGNATURE`: not signed by
   * its key. `PREVIOUS_SEAL`: it does not follow the seal before it. `SIZE`: it covers no more than that, or itself.
   * `ROOT`: what it covers is not what was sealed. `NOT_GIVEN`: the newest seals are of a key that nobody vouches for.
   * `KEPT`: a seal kept elsewhere is not of this history.
   */
  why: 'MALFORMED' | 'KEY' | 'SIGNATURE' | 'PREVIOUS_SEAL' | 'SIZE' | 'ROOT' | 'NOT_GIVEN' | 'KEPT';
  /** Position of the event that holds it; null for a seal kept elsewhere. */
  position: number | null;
  event_id: string | null;
  key_id: string | null;
  /** The positions that it is about, after what the last good seal covers. */
  from: number;
  until: number;
}

/**
 * What is wrong with the whole: `CUT`: the last line is missing. `HEAD`: the last line counts other events than there
 * are. `NO_SEAL`: no seal says anything of them. `KEPT_BEYOND`: a seal kept elsewhere covers more than there is.
 * `KEPT_KEY`: one is not signed with a given key, or is another organization's.
 */
export interface ExportFault {
  why: 'CUT' | 'HEAD' | 'NO_SEAL' | 'KEPT_BEYOND' | 'KEPT_KEY';
  /** Position of the last event there is. */
  position: number;
}

export interface SealNote {
  size: number;
  root: string;
  sealed_at: string;
  key_id: string;
  /** Position of the event that holds it; null for a seal kept elsewhere. */
  position: number | null;
}

/** A good seal, and how many events but those of the seal stream it covers. */
export interface CountedSeal extends SealNote {
  nonSealEvents: number;
}

/** How a key came into force. */
export interface KeyNote {
  position: number;
  key_id: string;
  public_key: string;
  how: 'INTRODUCED' | 'ROTATED' | 'REPLACED';
  /** Whether it was given, or follows with its predecessor's signature from one that was. */
  trusted: boolean;
}

export interface RedactionNote {
  position: number;
  event_id: string;
  type: string;
  stream: string;
}

/** At most so many keys and redactions are listed; all are counted. */
export const MAX_NOTES = 100;

/** What came out of a verification. */
export interface Verdict {
  /** Every chain, seal and signature holds, and the file is whole. */
  valid: boolean;
  header: ExportHeader;
  events: number;
  streams: number;
  /** Seals in the history, and those of them that were too far behind to be worked out. */
  seals: { total: number; unchecked: number };
  /** The largest good seal before any fault: what it covers is proved. */
  proved: SealNote | null;
  /** Events after what it covers, those of the seal stream apart. */
  unsealed: number;
  keys: { total: number; first: KeyNote[] };
  redactions: { total: number; first: RedactionNote[] };
  event_fault: EventFault | null;
  seal_fault: SealFault | null;
  export_fault: ExportFault | null;
}

/** What is wrong with a seal by itself, or with what it says of one that was kept earlier. */
export interface ExtensionFault {
  /**
   * `KEY`: it is of a key that nobody vouches for, or of one that was replaced before. `SIGNATURE`: it is not signed by its
   * key. `KEPT_KEY`: the kept one is not signed with a trusted key, or is another organization's. `KEPT_BEYOND`: that one
   * covers more. `NO_PROOF`: no proof since that one is there. `KEPT`: the proof does not hold.
   */
  why: 'KEY' | 'SIGNATURE' | 'KEPT_KEY' | 'KEPT_BEYOND' | 'NO_PROOF' | 'KEPT';
  /** Of the kept seal that it is about; null where it is about the seal itself. */
  size: number | null;
}

/** What came out of the verification of a seal without its history. */
export interface SealVerdict {
  /** It is signed with a trusted key, and what it covers begins with what each seal that was kept covers. */
  valid: boolean;
  seal: KeptSeal;
  /** Sizes of the kept seals that it was held against. */
  kept: number[];
  fault: ExtensionFault | null;
}

/**
 * Verifies events, chains, seals and exports, without a server, a store or a package. docs/trail-format.md describes the
 * format. Functions that write events, seals and exports aren't part of this entry.
 */
export { canonical } from './canonical.ts';
export { type ChainFault, verifyChain } from './chain.ts';
export { EXPORT_FORMAT, type ExportEnd, type ExportHeader, type ExportLine, readLine } from './check/line.ts';
export { LineSplitter, MAX_LINE_BYTES, NotAnExport } from './check/line-splitter.ts';
export type {
  EventFault,
  ExportFault,
  ExtensionFault,
  KeyNote,
  RedactionNote,
  SealFault,
  SealNote,
  SealVerdict,
  Verdict,
} from './check/verdict.ts';
export { Verifier, type VerifierOptions, verifyExport } from './check/verifier.ts';
export type { EventMetadata, TrailEvent } from './event.ts';
export { type Extension, readSealFile, type SealFile, verifySeal } from './extension.ts';
export { eventHash, eventId, isAuthentic, saltedHash } from './hash.ts';
export { isKeptSealSigned, type KeptSeal, readKeptSeal } from './seals/kept-seal.ts';
export { keyIdOf, type PublicKey, publicKeyOf, readPublicKey } from './seals/key.ts';
export { GrowingTree, isConsistent, isIncluded, leafHash, nodeHash } from './seals/merkle.ts';
export { type ConsistencyProof, type InclusionProof, provesConsistency, provesInclusion } from './seals/proof.ts';
export {
  isSigned,
  type LogSealed,
  readSealEvent,
  type SealEvent,
  type SealEventType,
  type SealKeyIntroduced,
  type SealKeyReplaced,
  type SealKeyRotated,
  sealStream,
  type TreeHead,
} from './seals/seal-events.ts';

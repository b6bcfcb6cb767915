/**
 * What an event is, how it is hashed and chained, how a history is sealed and exported, and how all of that is verified:
 * without a server, a store or a package. docs/trail-format.md is the format in words.
 */
export { canonical } from './canonical.ts';
export { type ChainFault, verifyChain } from './chain.ts';
export type { EventMetadata, TrailEvent } from './event.ts';
export { eventHash, eventId, isAuthentic, saltedHash } from './hash.ts';
export { isKeptSealSigned, type KeptSeal, keptSealText, readKeptSeal } from './kept-seal.ts';
export { keyId, type PublicKey, publicKeyOf, publicPem, readPublicKey, type SigningKey, signingKey } from './key.ts';
export {
  EXPORT_FORMAT,
  type ExportEnd,
  type ExportHeader,
  type ExportLine,
  endLine,
  eventLine,
  headerLine,
  readLine,
} from './line.ts';
export {
  consistencyPath,
  EMPTY_ROOT,
  GrowingTree,
  inclusionPath,
  isConsistent,
  isIncluded,
  leafHash,
  type NodeHash,
  type NodeId,
  nodeHash,
  rangeHash,
} from './merkle.ts';
export {
  type ConsistencyProof,
  consistencyProof,
  type InclusionProof,
  inclusionProof,
  provesConsistency,
  provesInclusion,
} from './proof.ts';
export {
  introduceKey,
  isSigned,
  type LogSealed,
  makeSeal,
  readSealFact,
  replaceKey,
  rotateKey,
  type SealFact,
  type SealFactType,
  type SealKeyIntroduced,
  type SealKeyReplaced,
  type SealKeyRotated,
  sealStream,
  type TreeHead,
} from './seal.ts';
export { LineSplitter, MAX_LINE_BYTES, NotAnExport } from './split.ts';
export type {
  EventFault,
  KeyNote,
  RedactionNote,
  SealFault,
  SealNote,
  Verdict,
  WholeFault,
} from './verdict.ts';
export { Verifier, type VerifierOptions, verifyExport } from './verifier.ts';
export { WINDOW } from './window.ts';

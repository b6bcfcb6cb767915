/**
 * Verifies events, chains, seals and exports in Node.js, without a server, a store or a package. docs/trail-format.md
 * describes the format. Functions that write events, seals and exports aren't part of this entry.
 *
 * The functions and classes that need cryptography take it as their first argument where they are defined. Here they
 * have that of Node.js.
 */
import * as chain from './chain.ts';
import * as verifier from './check/verifier.ts';
import * as extension from './extension.ts';
import * as hash from './hash.ts';
import { nodeCrypto } from './node/node-crypto.ts';
import * as eventProof from './seals/event-proof.ts';
import * as publicKey from './seals/key.ts';
import * as merkle from './seals/merkle.ts';
import * as proof from './seals/proof.ts';

export { canonical } from './canonical.ts';
export type { ChainFault } from './chain.ts';
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
export type { VerifierOptions } from './check/verifier.ts';
export type { EventMetadata, TrailEvent } from './event.ts';
export { type Extension, readSealFile, type SealFile } from './extension.ts';
export { publicKeyOf } from './node/signing-key.ts';
export { type OutOfOrder, type OutOfOrderRun, outOfOrderText } from './recorded-order.ts';
export type { EventProof, ProofVerdict, SealAt } from './seals/event-proof.ts';
export { isKeptSealSigned, type KeptSeal, readKeptSeal } from './seals/kept-seal.ts';
export type { PublicKey, VerificationKey } from './seals/key.ts';
export type { ConsistencyProof, InclusionProof } from './seals/proof.ts';
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

export const eventHash = hash.eventHash.bind(null, nodeCrypto);
export const eventId = hash.eventId.bind(null, nodeCrypto);
export const saltedHash = hash.saltedHash.bind(null, nodeCrypto);
export const isAuthentic = hash.isAuthentic.bind(null, nodeCrypto);
export const verifyChain = chain.verifyChain.bind(null, nodeCrypto);
export const verifyExport = verifier.verifyExport.bind(null, nodeCrypto);
export const verifySeal = extension.verifySeal.bind(null, nodeCrypto);
export const keyIdOf = publicKey.keyIdOf.bind(null, nodeCrypto);
export const readPublicKey = publicKey.readPublicKey.bind(null, nodeCrypto);
export const leafHash = merkle.leafHash.bind(null, nodeCrypto);
export const nodeHash = merkle.nodeHash.bind(null, nodeCrypto);
export const isIncluded = merkle.isIncluded.bind(null, nodeCrypto);
export const isConsistent = merkle.isConsistent.bind(null, nodeCrypto);
export const provesInclusion = proof.provesInclusion.bind(null, nodeCrypto);
export const verifyProof = eventProof.verifyProof.bind(null, nodeCrypto);
export const provesConsistency = proof.provesConsistency.bind(null, nodeCrypto);

/** Verifies an export line by line, with the cryptography of Node.js. */
export class Verifier extends verifier.Verifier {
  constructor(options: verifier.VerifierOptions) {
    super(nodeCrypto, options);
  }
}

/** A Merkle tree that grows leaf by leaf, with the cryptography of Node.js. */
export class GrowingTree extends merkle.GrowingTree {
  constructor() {
    super(nodeCrypto);
  }
}

import { sealVerdictText, verdictText } from '../cli/proofs/verdict-text.ts';
import { CHANGE_PROOF_FORMAT, type ChangeProof } from '../queries/proofs/check-change.ts';
import { EXPORT_FORMAT } from '../trail/check/line.ts';
import type { EventProof } from '../trail/seals/event-proof.ts';
import { KEPT_SEAL_FORMAT } from '../trail/seals/kept-seal.ts';
import { checkChangeOnPage, type PageCheckOutcome } from './check-change-on-page.ts';
import { isGzip, verifyEventProof, verifyExportFile, verifySealFile } from './verify-files.ts';

/** A seal or proof is far smaller. Only exports are longer, and they are read piece by piece. */
const MAX_TEXT_BYTES = 32 * 1_048_576;
/** Bytes at a file's beginning that are enough to recognise an export. */
const HEAD_BYTES = 4_096;

/**
 * Verifies a file of any kind that veritrail writes: an export, a seal, the JSON of an audit pack, or a change's saved
 * proof. Never throws: the outcome says why a file can't be read.
 * @param keys trusted public keys as text
 */
export async function verifyAnyFile(file: Blob, keys: string): Promise<PageCheckOutcome> {
  try {
    return (await isExport(file)) ? await verifyExportOf(file, keys) : verifySmallFile(await readText(file), keys);
  } catch (error) {
    return { result: 'MISMATCH', text: `This file can’t be verified: ${(error as Error).message}.` };
  }
}

async function isExport(file: Blob): Promise<boolean> {
  if (await isGzip(file)) return true;
  const head = await file.slice(0, HEAD_BYTES).arrayBuffer();
  return new TextDecoder().decode(head).split('\n')[0]!.includes(`"${EXPORT_FORMAT}"`);
}

async function verifyExportOf(file: Blob, keys: string): Promise<PageCheckOutcome> {
  const verdict = await verifyExportFile(file, { keys });
  return { result: verdict.valid ? 'SEALED' : 'MISMATCH', text: verdictText(verdict) };
}

async function readText(file: Blob): Promise<string> {
  if (file.size > MAX_TEXT_BYTES) throw new TypeError('it is neither an export nor a seal or proof');
  return file.text();
}

function verifySmallFile(text: string, keys: string): PageCheckOutcome {
  if (text.split('\n')[0]!.includes(`"${KEPT_SEAL_FORMAT}"`)) {
    const verdict = verifySealFile(text, { keys });
    return { result: verdict.valid ? 'SEALED' : 'MISMATCH', text: sealVerdictText(verdict) };
  }
  const value = readJson(text);
  if (value.format === CHANGE_PROOF_FORMAT) {
    // The file's own keys are not trusted: anybody can sign with a key of their own.
    const trustedKeys = keys.split('\n').filter((key) => key.trim() !== '');
    return checkChangeOnPage({ ...(value as unknown as ChangeProof), keys: trustedKeys }, null);
  }
  return verifyPack(value as { proof?: EventProof; organization?: { id: string } }, keys);
}

function readJson(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text));
  } catch {
    throw new TypeError('it is neither an export, a seal, the JSON of an audit pack nor a saved proof');
  }
}

/** Verifies the proof in an audit pack: a seal covers the position that the pack shows. */
function verifyPack(
  { proof, organization }: { proof?: EventProof; organization?: { id: string } },
  keys: string,
): PageCheckOutcome {
  if (proof === undefined || organization === undefined) throw new TypeError('it has no proof');
  const { fault } = verifyEventProof(proof, organization.id, keys);
  const { position } = proof.event;
  return fault === null
    ? {
        result: 'SEALED',
        text: `A seal covers position ${position} of this pack. Compare its digest with the service’s.`,
      }
    : { result: 'MISMATCH', text: `Does not match. The proof of position ${position} fails: ${fault}.` };
}

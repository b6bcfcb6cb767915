/**
 * Verifies a saved listChanges answer (`verify: true`) with only the public key:
 *
 *   npx tsx examples/check-changes.ts ANSWER.json ORGANIZATION KEY
 */
import { readFileSync } from 'node:fs';
import { type InclusionProof, isSigned, type LogSealed, provesInclusion, readPublicKey } from '../src/trail/index.ts';

interface Answer {
  changes: { event_type: string; hash: string }[];
  verification: {
    seal: LogSealed & { position: string; event_id: string };
    /** The proof of each listed change. `path` is null while the seal does not cover the change. */
    inclusion: { position: string; path: InclusionProof['path'] | null }[];
  };
}

const [file = '', organization = '', key = ''] = process.argv.slice(2);
const { changes, verification } = JSON.parse(readFileSync(file, 'utf8')) as Answer;
// The signature doesn't cover position and event_id.
const { position: _position, event_id: _event, ...seal } = verification.seal;
const isSealSigned = isSigned(organization, 'LogSealed', seal, seal.signature, readPublicKey(key).key);

for (const [index, { position, path }] of verification.inclusion.entries()) {
  const { event_type, hash } = changes[index]!;
  const proof = { position: Number(position), size: seal.size, path: path ?? [] };
  const isProved = isSealSigned && provesInclusion(proof, hash, seal);
  const result = path === null ? 'not sealed yet' : isProved ? 'proved' : 'NOT PROVED';
  console.log(`${position} ${event_type}: ${result}`);
  if (path !== null && !isProved) process.exitCode = 1;
}

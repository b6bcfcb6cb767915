/**
 * Checks, with the public key alone, an audit pack as JSON, a file of it or what getReport answered: that its digest is of
 * what it says, and that the history it was drawn from is the one that was sealed.
 *
 *   npx tsx examples/check-pack.ts PACK.json KEY
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  canonical,
  type InclusionProof,
  isSigned,
  type LogSealed,
  provesInclusion,
  readPublicKey,
} from 'veritrail/trail';

interface Pack {
  organization: { id: string };
  position: string;
  digest: string;
  proof?: {
    event: { position: string; event_id: string; hash: string };
    seal: LogSealed & { position: string; event_id: string };
    inclusion: InclusionProof;
  };
}

const DIGESTED = ['type', 'title', 'organization', 'inputs', 'about', 'as_of', 'position', 'today', 'data'];

const [file = '', key = ''] = process.argv.slice(2);
const { report: pack } = JSON.parse(readFileSync(file, 'utf8')) as { report: Pack };

const digested = Object.fromEntries(Object.entries(pack).filter(([name]) => DIGESTED.includes(name)));
const digest = createHash('sha256').update(canonical(digested)).digest('hex');
say('The digest is of what it says', digest === pack.digest);
if (pack.proof === undefined) {
  console.log('No seal covers it yet: draw it again later.');
} else {
  const { event, inclusion } = pack.proof;
  // Where the seal stands in the log is not signed.
  const { position: _position, event_id: _event, ...seal } = pack.proof.seal;
  say('The seal is signed', isSigned(pack.organization.id, 'LogSealed', seal, seal.signature, readPublicKey(key).key));
  const isThere = event.position === pack.position && String(inclusion.position) === pack.position;
  say(`The event at position ${pack.position} is in it`, isThere && provesInclusion(inclusion, event.hash, seal));
}

function say(what: string, isSo: boolean): void {
  console.log(`${what}: ${isSo ? 'yes' : 'NO'}`);
  if (!isSo) process.exitCode = 1;
}

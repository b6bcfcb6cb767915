/**
 * Checks an audit pack with the public key alone: that its digest matches its data and, if the pack has a proof, that a
 * signed seal covers its position. The pack is a JSON file, or an answer of getReport that has the whole pack. KEY is the
 * public key's text.
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
} from '../src/trail/index.ts';

interface Pack extends Record<string, unknown> {
  organization: { id: string };
  position: string;
  digest: string;
  data: { figures: Record<string, unknown>[]; sections: Record<string, unknown>[] };
  proof?: {
    event: { position: string; event_id: string; hash: string };
    seal: LogSealed & { position: string; event_id: string };
    inclusion: InclusionProof;
  };
}

/** The digest covers these members. Titles, labels and notes are wording, which it does not cover. */
const DIGESTED_MEMBERS = ['report_version', 'type', 'organization', 'inputs', 'as_of', 'position', 'today'];
const FIGURE = ['name', 'kind', 'value', 'change'];
const SECTION = ['name', 'rows'];

const [file = '', key = ''] = process.argv.slice(2);
const { report: pack } = JSON.parse(readFileSync(file, 'utf8')) as { report: Pack };

const figures = pack.data.figures.map((figure) => pick(figure, FIGURE));
const sections = pack.data.sections.map((section) => pick(section, SECTION));
const digest = createHash('sha256')
  .update(canonical({ ...pick(pack, DIGESTED_MEMBERS), data: { figures, sections } }))
  .digest('hex');
printCheck('The digest matches the data', digest === pack.digest);
if (pack.proof === undefined) {
  console.log('No seal covers the pack yet. Generate it again later.');
} else {
  const { event, inclusion } = pack.proof;
  // The signature doesn't cover the seal's own position and event id.
  const { position: _position, event_id: _eventId, ...seal } = pack.proof.seal;
  printCheck(
    'The seal is signed',
    isSigned(pack.organization.id, 'LogSealed', seal, seal.signature, readPublicKey(key).key),
  );
  const isSamePosition = event.position === pack.position && String(inclusion.position) === pack.position;
  const isIncluded = isSamePosition && provesInclusion(inclusion, event.hash, seal);
  printCheck(`The seal covers the event at position ${pack.position}`, isIncluded);
}

function pick(value: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)));
}

function printCheck(check: string, isPassed: boolean): void {
  console.log(`${check}: ${isPassed ? 'yes' : 'NO'}`);
  if (!isPassed) process.exitCode = 1;
}

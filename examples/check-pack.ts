/**
 * Checks an audit pack with the public key alone: that its digest matches its data, and that a seal covers its history.
 * The pack is a JSON file, or an answer of getReport that has the whole pack.
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
const HEAD = ['report_version', 'type', 'organization', 'inputs', 'as_of', 'position', 'today'];
const FIGURE = ['name', 'kind', 'value', 'change'];
const SECTION = ['name', 'rows'];

const [file = '', key = ''] = process.argv.slice(2);
const { report: pack } = JSON.parse(readFileSync(file, 'utf8')) as { report: Pack };

const figures = pack.data.figures.map((figure) => pick(figure, FIGURE));
const sections = pack.data.sections.map((section) => pick(section, SECTION));
const digest = createHash('sha256')
  .update(canonical({ ...pick(pack, HEAD), data: { figures, sections } }))
  .digest('hex');
report('The digest matches the data', digest === pack.digest);
if (pack.proof === undefined) {
  console.log('No seal covers the pack yet. Generate it again later.');
} else {
  const { event, inclusion } = pack.proof;
  // The signature does not cover the seal's own place in the log.
  const { position: _position, event_id: _event, ...seal } = pack.proof.seal;
  report(
    'The seal is signed',
    isSigned(pack.organization.id, 'LogSealed', seal, seal.signature, readPublicKey(key).key),
  );
  const isSamePosition = event.position === pack.position && String(inclusion.position) === pack.position;
  const isIncluded = isSamePosition && provesInclusion(inclusion, event.hash, seal);
  report(`The seal covers the event at position ${pack.position}`, isIncluded);
}

function pick(value: Record<string, unknown>, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([name]) => names.includes(name)));
}

function report(check: string, isPassed: boolean): void {
  console.log(`${check}: ${isPassed ? 'yes' : 'NO'}`);
  if (!isPassed) process.exitCode = 1;
}

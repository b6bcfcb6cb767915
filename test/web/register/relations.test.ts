/** The pages of controls that are linked by a relation: the record's links, its timeline, and the list of what is shared. */

import * as assert from 'uvu/assert';
import { controlId } from '../../../src/commands/engine/ids.ts';
import { type PageContext, textIn, webSuite } from '../../support/web/web-suite.ts';

interface Context extends PageContext {
  /** The frameworks, and the only control of each. */
  iso: string;
  csf: string;
  isoControl: string;
  csfControl: string;
}

const test = webSuite<Context>('pages of related controls', async ({ web }) => {
  const organization_id = web.organizationId;
  const adopt = async (name: string, section_title: string) => {
    const controls = [{ section_title, name: `About ${section_title}` }];
    const answer = await web.call<{ framework: { id: string } }>('addFramework', { organization_id, name, controls });
    return answer.framework.id;
  };
  const [iso, csf] = [await adopt('ISO 27001', 'A.5.15'), await adopt('NIST CSF', 'PR.AA-01')];
  const [isoControl, csfControl] = [controlId(iso, 0), controlId(csf, 0)];
  for (const relation of ['SUPPORTS', 'EQUIVALENT']) {
    await web.call('linkRecords', { organization_id, links: [{ from_id: isoControl, to_id: csfControl, relation }] });
  }
  return { iso, csf, isoControl, csfControl };
});

test('a control’s page says the relation, the other’s number and its framework', async ({
  owner,
  base,
  csfControl,
}) => {
  const { text } = await owner.get(`${base}/controls/${csfControl}`);
  const card = /<section class="card" aria-labelledby="linked-controls">.*?<\/section>/s.exec(text)![0];
  assert.match(textIn(card), /Equivalent to A\.5\.15 .*\( ?ISO 27001 ?\)/);
});

test('the timeline says how controls were linked, and what the relation became', async ({
  owner,
  base,
  csfControl,
}) => {
  const history = textIn(
    /<ol class="timeline">.*<\/ol>/s.exec((await owner.get(`${base}/controls/${csfControl}`)).text)![0],
  );
  assert.match(history, /Supported by → Equivalent to A\.5\.15 About A\.5\.15/);
  assert.match(history, /Supported by A\.5\.15 About A\.5\.15/);
});

test('the timelines of controls and frameworks say what a crosswalk linked', async ({
  web,
  owner,
  base,
  ...context
}) => {
  const { csf, csfControl, isoControl } = context;
  const row = { from_control: isoControl, to_control: csfControl, relation: 'PARTLY' };
  const organization_id = web.organizationId;
  const input = { organization_id, type: 'CROSSWALK', rows: [row], reason: 'Mapped by the authority' };
  await web.call('importRecords', input);
  const timelineOf = async (path: string) =>
    textIn(/<ol class="timeline">.*<\/ol>/s.exec((await owner.get(`${base}${path}`)).text)![0]);
  const ofControl = await timelineOf(`/controls/${csfControl}`);
  assert.match(
    ofControl,
    /Crosswalk imported, with ISO 27001 · Mapped by the authority · .* Partly covered by A\.5\.15/,
  );
  assert.match(await timelineOf(`/frameworks/${csf}`), /Crosswalk imported, with ISO 27001 · .* Partly: 1/);
  const [, position] = /\/changes\/(\d+)/.exec((await owner.get(`${base}/controls/${csfControl}`)).text)!;
  const proof = textIn((await owner.get(`${base}/changes/${position}`)).text);
  assert.match(proof, /Linked: Partly/);
  const again = { ...row, relation: 'EQUIVALENT' };
  await web.call('importRecords', { ...input, rows: [again] });
});

test('the list of what two frameworks share shows the other’s numbers', async ({ owner, base, iso, csf }) => {
  const path = `${base}/controls?framework_id=${iso}&linked_framework_id=${csf}`;
  const { text } = await owner.get(path);
  assert.match(textIn(/<table class="records".*<\/table>/s.exec(text)![0]), /About A\.5\.15 Equivalent to PR\.AA-01/);
  assert.match(textIn(text), /Linked with framework: NIST CSF/);
  assert.match(textIn((await owner.get(`${path}&relation=PARTLY`)).text), /0 of /);
});

test.run();

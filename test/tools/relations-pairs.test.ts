import * as assert from 'uvu/assert';
import { controlId } from '../../src/commands/engine/ids.ts';
import { onBothPairs } from '../support/stores/pairs.ts';

/* Both pairs of stores find the controls that two frameworks share, now and in the past. */

await onBothPairs('shared controls', (test) => {
  test('are found now and as of a position', async ({ owner, organizationId: organization_id }) => {
    const adopt = async (name: string) => {
      const controls = ['2', '10'].map((section_title) => ({ section_title, name: `${name} ${section_title}` }));
      const answer = await owner.ok('addFramework', { organization_id, name, controls });
      return (answer as unknown as { framework: { id: string } }).framework.id;
    };
    const [one, other] = [await adopt('One'), await adopt('Other')];
    const links = [0, 1].map((index) => ({
      from_id: controlId(one, 0),
      to_id: controlId(other, index),
      relation: 'SUPPORTS',
    }));
    await owner.ok('linkRecords', { links });
    const filter = { framework_id: [one], linked_framework_id: [other] };
    const shared = async (more: object = {}) => {
      const answer: unknown = await owner.ok('listControls', { organization_id, filter, ...more });
      return (answer as { controls: { linked_controls: unknown }[] }).controls.map(
        ({ linked_controls }) => linked_controls,
      );
    };
    const both = ['2', '10'].map((section_title) => ({ section_title, relation: 'SUPPORTS' }));
    assert.equal(await shared(), [both]);
    const { changes } = await owner.ok('listChanges', { organization_id, size: 1 });
    const { position } = changes![0]!;
    await owner.ok('linkRecords', {
      links: [{ ...links[1]!, relation: undefined }],
      action: 'UNLINK',
      reason: 'Found out',
    });
    assert.equal(await shared(), [both.slice(0, 1)]);
    assert.equal(await shared({ as_of: position }), [both]);
  });
});

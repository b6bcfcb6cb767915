import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { replaceKey } from '../../../src/trail/seals/seal-events.ts';
import { resealAll } from '../../support/trail/insider.ts';
import { assertExpectedVerdict, EVENTS } from '../../support/trail/insider-suite.ts';
import { linesOf, ORGANIZATION, SealedHistory, testKey, verify } from '../../support/trail/sealed-history.ts';

const test = suite('an insider who seals with another key');

test('sealing an edited history with another key is detected at every position', () => {
  for (const index of EVENTS.keys()) assert.ok('sealed' in assertExpectedVerdict(resealAll, index), `${index + 1}`);
});

test('sealing later events with a key that claims to replace a lost one is detected at every position', () => {
  const insiderKey = testKey(66);
  for (const index of EVENTS.keys()) {
    const history = new SealedHistory();
    history.continue(EVENTS.slice(0, index));
    history.appendFact(replaceKey(ORGANIZATION, history.lastSeal, insiderKey));
    history.append('vendor-forged', 'SomethingHappened', {});
    history.seal(insiderKey);
    const { valid, proved, seal_fault } = verify(linesOf(history.events));
    const before = EVENTS.slice(0, index).findLast(({ type }) => type === 'LogSealed');
    assert.is(valid, false);
    assert.is(proved?.size, before?.data.size);
    // Without a first key, no key can be replaced.
    const [why, until] = index < 2 ? ['KEY', index + 1] : ['NOT_GIVEN', index + 2];
    assert.equal([seal_fault?.why, seal_fault?.key_id, seal_fault?.until], [why, insiderKey.key_id, until]);
  }
});

test.run();

/** The names of the figures on Home and in a comparison. */

import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { HOME_FIGURES } from '../../../src/reports/figures/home-figures.ts';

const test = suite('home figures');

test('what is overdue has ended: no part of it is still expiring, ending or starting', () => {
  const labels = HOME_FIGURES.overdue.parts.map(({ label }) => label);
  assert.ok(labels.includes('Evidence expired'));
  assert.equal(
    labels.filter((label) => /ing$/.test(label)),
    [],
  );
});

test.run();

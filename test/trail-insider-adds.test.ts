import { duplicate, insertAndRechain } from './support/insider.ts';
import { assertAlwaysDetected } from './support/insider-suite.ts';

assertAlwaysDetected('an insider who puts in what fits a stream', {
  'an event in a stream, and those after it chained on': insertAndRechain,
  'the same event twice': duplicate,
});

import { insert, swap } from './support/insider.ts';
import { assertAlwaysDetected } from './support/insider-suite.ts';

assertAlwaysDetected('an insider who moves and adds', {
  'two events that change places': swap,
  'an event of a stream of its own': insert,
});

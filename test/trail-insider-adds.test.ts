import { duplicate, insertAndRechain } from './support/insider.ts';
import { assertAlwaysDetected } from './support/insider-suite.ts';

assertAlwaysDetected('inserted events', {
  'inserting an event and chaining later events again': insertAndRechain,
  'repeating an event': duplicate,
});

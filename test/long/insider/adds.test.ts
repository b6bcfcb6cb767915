import { duplicate, insertAndRechain } from '../../support/trail/insider.ts';
import { assertAlwaysDetected } from '../../support/trail/insider-suite.ts';

assertAlwaysDetected('inserted events', {
  'inserting an event and chaining later events again': insertAndRechain,
  'repeating an event': duplicate,
});

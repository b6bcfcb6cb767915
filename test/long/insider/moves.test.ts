import { insert, swap } from '../../support/trail/insider.ts';
import { assertAlwaysDetected } from '../../support/trail/insider-suite.ts';

assertAlwaysDetected('moved and added events', {
  'swapping two events': swap,
  'inserting an event in a new stream': insert,
});

import { insert, swap } from './support/insider.ts';
import { assertAlwaysDetected } from './support/insider-suite.ts';

assertAlwaysDetected('moved and added events', {
  'swapping two events': swap,
  'inserting an event in a new stream': insert,
});

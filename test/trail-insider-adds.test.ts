import { duplicate, insertAndRechain } from './support/insider.ts';
import { alwaysShown } from './support/insider-suite.ts';

alwaysShown('an insider who puts in what fits a stream', {
  'an event in a stream, and those after it chained on': insertAndRechain,
  'the same event twice': duplicate,
});

import { insert, swap } from './support/insider.ts';
import { alwaysShown } from './support/insider-suite.ts';

alwaysShown('an insider who moves and adds', {
  'two events that change places': swap,
  'an event of a stream of its own': insert,
});

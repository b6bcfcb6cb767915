/** A thread that does what the tests of threads ask for. */
import { once } from 'node:events';
import { serveThread } from '../../../src/app/threads/serve-thread.ts';
import { StoreUnavailable } from '../../../src/stores/errors.ts';

export interface EchoMessages {
  request: { echo: string } | 'fail' | 'be unavailable' | 'wait for the abort' | 'end';
  answer: string;
  toThread: string;
  toMain: string;
}

await serveThread<EchoMessages, { greeting: string }>(async ({ greeting }, main) => ({
  async answer(request, signal) {
    if (typeof request === 'object') return `${greeting} ${request.echo}`;
    if (request === 'fail') throw new TypeError('asked to fail');
    if (request === 'be unavailable') throw new StoreUnavailable('asked to be unavailable');
    if (request === 'end') process.exit(1);
    main.notify('waiting');
    await once(signal, 'abort');
    main.notify('aborted');
    return '';
  },
  receive(notice) {
    main.log.warn({ err: new RangeError(notice) }, 'noticed');
    main.notify(notice.toUpperCase());
  },
  async stop() {
    main.notify('stopped');
  },
}));

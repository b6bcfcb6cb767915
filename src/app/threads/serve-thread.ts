import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { pino } from 'pino';
import {
  type MessageToMain,
  type MessageToThread,
  type SentError,
  THREAD_LOG_LEVELS,
  type ThreadLog,
  type ThreadMessages,
} from './messages.ts';
import type { ProgramData } from './start-program.ts';

/** The main thread, as another thread sees it. */
export interface MainThread<Messages extends ThreadMessages> {
  notify(notice: Messages['toMain']): void;
  /** The service's log. The main thread writes it. */
  log: ThreadLog;
}

export interface ThreadWork<Messages extends ThreadMessages> {
  /** Absent if there are no requests. @param signal is aborted when the caller has gone */
  answer?(request: Messages['request'], signal: AbortSignal): Promise<Messages['answer']>;
  /** Absent if there are no notices. */
  receive?(notice: Messages['toThread']): void;
  /** Called once, at the end. The thread ends when it is done. */
  stop(): Promise<void>;
}

/**
 * Does a thread's work until the main thread stops it. Messages that arrive before `open` is done wait for it.
 * @param open gets the settings of `startProgram`
 */
export async function serveThread<Messages extends ThreadMessages, Settings>(
  open: (settings: Settings, main: MainThread<Messages>) => Promise<ThreadWork<Messages>>,
): Promise<void> {
  const port = parentPort;
  if (port === null) throw new Error('this program runs in a thread only');
  const post = (message: MessageToMain<Messages>) => port.postMessage(message);
  const { settings } = workerData as ProgramData;
  const work = await open(settings as Settings, {
    notify: (notice) => post({ type: 'notice', notice }),
    log: forwardingLog(port),
  });
  const running = new Map<number, AbortController>();
  const answer = async (id: number, request: Messages['request']) => {
    const caller = new AbortController();
    running.set(id, caller);
    try {
      post({ type: 'answer', id, answer: await work.answer?.(request, caller.signal) });
    } catch (error) {
      post({ type: 'failure', id, error: toSentError(error) });
    } finally {
      running.delete(id);
    }
  };
  port.on('message', (message: MessageToThread<Messages>) => {
    switch (message.type) {
      case 'request':
        void answer(message.id, message.request);
        break;
      case 'abort':
        running.get(message.id)?.abort();
        break;
      case 'notice':
        work.receive?.(message.notice);
        break;
      case 'stop':
        // An error here ends the thread too, as an unhandled rejection.
        void work.stop().then(() => process.exit(0));
        break;
    }
  });
}

/** Returns a log that sends its lines to the main thread, with errors as the data that pino would write. */
function forwardingLog(port: MessagePort): ThreadLog {
  const toData = (_key: string, value: unknown) => (value instanceof Error ? pino.stdSerializers.err(value) : value);
  const lines = THREAD_LOG_LEVELS.map((level) => [
    level,
    (details: object, message: string) => {
      const data = JSON.parse(JSON.stringify(details, toData)) as object;
      port.postMessage({ type: 'log', level, details: data, message } satisfies MessageToMain<ThreadMessages>);
    },
  ]);
  return Object.fromEntries(lines) as ThreadLog;
}

function toSentError(error: unknown): SentError {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), stack: undefined };
  const { name, message, stack } = error;
  return { name, message, stack };
}

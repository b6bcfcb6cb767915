/** The types of messages between the main thread and one other thread. All must be cloneable. */
export interface ThreadMessages {
  /** The main thread asks for something. */
  request: unknown;
  /** The thread's answer to a request. */
  answer: unknown;
  /** Sent to the thread, without an answer. */
  toThread: unknown;
  /** Sent to the main thread, without an answer. */
  toMain: unknown;
}

export const THREAD_LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type ThreadLogLevel = (typeof THREAD_LOG_LEVELS)[number];
export type ThreadLog = Record<ThreadLogLevel, (details: object, message: string) => void>;

export type MessageToThread<Messages extends ThreadMessages> =
  | { type: 'request'; id: number; request: Messages['request'] }
  /** The caller of this request has gone. */
  | { type: 'abort'; id: number }
  | { type: 'notice'; notice: Messages['toThread'] }
  | { type: 'stop' };

export type MessageToMain<Messages extends ThreadMessages> =
  | { type: 'answer'; id: number; answer: Messages['answer'] }
  | { type: 'failure'; id: number; error: SentError }
  | { type: 'notice'; notice: Messages['toMain'] }
  | { type: 'log'; level: ThreadLogLevel; details: object; message: string };

/** An error as data. Threads copy only built-in errors with their class. */
export interface SentError {
  name: string;
  message: string;
  stack: string | undefined;
}

import { randomUUID } from 'node:crypto';
import type { ReportingState } from '../../reporting/reporting-projection.ts';
import type { StoreSettings } from '../../stores/open.ts';
import type { ThreadLog } from './messages.ts';
import { ServiceThread } from './service-thread.ts';
import { startProgram } from './start-program.ts';

export interface ReportingThreadSettings {
  stores: StoreSettings;
  reportsDir: string;
  installation: string;
  /** Id under which the thread, and another one after its end, leads. */
  holder: string;
  /** The clock of the main thread: see `followTime`. */
  time: SharedArrayBuffer;
}

export interface ReportingMessages {
  request: never;
  answer: never;
  toThread: never;
  toMain: ReportingState;
}

/** The thread that keeps the reporting database up to date, as the main thread sees it. */
export class ReportingThread {
  /** The newest state, for health. */
  state: ReportingState = { state: 'STARTING', lag_ms: 0 };
  private thread: ServiceThread<ReportingMessages> | null = null;
  private isStopped = false;

  constructor(
    private readonly settings: Omit<ReportingThreadSettings, 'holder' | 'installation'>,
    private readonly log: ThreadLog,
  ) {}

  /** Starts the thread, once the installation is known. */
  start(installation: string): void {
    // The service may be stopped while the read models still catch up.
    if (this.isStopped) return;
    const { stores, reportsDir, time } = this.settings;
    const settings: ReportingThreadSettings = { stores, reportsDir, time, installation, holder: randomUUID() };
    this.thread = new ServiceThread<ReportingMessages>({
      name: 'reporting',
      start: () => startProgram('reporting-thread', settings),
      log: this.log,
      onNotice: (state) => {
        this.state = state;
      },
      onCrash: () => {
        this.state = { state: 'FAILING', lag_ms: 0, problem: 'The service log has the error.' };
      },
    });
    this.thread.start();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.thread?.stop();
  }
}

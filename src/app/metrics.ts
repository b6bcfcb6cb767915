import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { asRefusal, Refusal } from '../commands/engine/refusal.ts';
import type { OnResponse } from '../http/request.ts';
import type { Identity } from '../identity/identity.ts';
import { decorateEventStore } from '../stores/decorate-event-store.ts';
import type { EventStore } from '../stores/event-store.ts';
import type { ToolBox } from '../tools/toolbox.ts';
import type { Register } from './create-register.ts';
import type { ReadsInThread } from './threads/reads-in-thread.ts';

/** Histogram buckets. Most calls take milliseconds; reports and large counts take up to seconds. */
const BUCKET_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Returns a gauge's current value; null if there is none now. */
type ReadGauge = () => number | null;

/**
 * The metrics of this instance, for Prometheus. Labels are the program's own names (tools, outcomes, queues), never names of
 * organizations, people or tokens.
 */
export class Metrics {
  private readonly registry = new Registry();
  private readonly requests = this.createCounter('veritrail_http_requests_total', 'HTTP requests answered.', [
    'tool',
    'status',
  ]);
  private readonly calls = this.createCounter(
    'veritrail_tool_calls_total',
    'Tool calls by outcome: ok, or the error code.',
    ['tool', 'outcome'],
  );
  private readonly callSeconds = this.histogram('veritrail_tool_call_duration_seconds', 'Time of a tool call.', 'tool');
  private readonly appendSeconds = this.histogram(
    'veritrail_append_duration_seconds',
    'Time of an append to the log, by outcome: ok, or the error code.',
    'outcome',
  );
  private readonly events = this.createCounter('veritrail_appended_events_total', 'Events appended to the log.', []);
  private appending = 0;

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  readonly contentType = this.registry.contentType;

  /** Returns all metrics in Prometheus' text format. Reads no store. */
  text(): Promise<string> {
    return this.registry.metrics();
  }

  /** Adds gauges that read the projections, the sealer and the queues at each scrape. */
  watch(
    { projections, sealer, clock }: Pick<Register, 'projections' | 'sealer' | 'clock'>,
    { people, accessLog }: Pick<Identity, 'people' | 'accessLog'>,
    heavyReads: Pick<ReadsInThread, 'waitingCount' | 'spool'>,
  ): void {
    const whenReady = (readFigure: ReadGauge) => () => (projections.ready ? readFigure() : null);
    const lag = whenReady(() => projections.progress.lag / 1_000);
    this.addGauge('veritrail_projection_lag_seconds', 'Age of the oldest event that is stored but not applied.', lag);
    // Absent too after a clock was ahead, until the next moment is known.
    const caughtUp = whenReady(() => seconds(projections.progress.caughtUpAt || null));
    this.addGauge(
      'veritrail_projection_caught_up_timestamp_seconds',
      'All events up to this time can be read.',
      caughtUp,
    );
    const countParked = whenReady(() => projections.progress.parked);
    this.addGauge('veritrail_parked_events', 'Events that could not be read.', countParked);
    const countOutOfOrder = whenReady(() => projections.progress.outOfOrder);
    this.addGauge('veritrail_out_of_order_events', 'Events that were recorded before the log time.', countOutOfOrder);
    const fails = whenReady(() => Number(projections.isFailing));
    this.addGauge('veritrail_projection_failing', '1 while events cannot be applied.', fails);
    const leads = whenReady(() => Number(projections.progress.role === 'LEADER'));
    this.addGauge('veritrail_projection_leader', '1 if this instance applies events and creates seals.', leads);
    this.addGauge(
      'veritrail_unsealed_events',
      'Events that no seal covers, on the leader.',
      () => sealer.state.unsealed,
    );
    this.addGauge(
      'veritrail_oldest_unsealed_event_timestamp_seconds',
      'Time of the oldest unsealed event, if any.',
      () => seconds(sealer.state.unsealedSince),
    );
    this.addGauge(
      'veritrail_sealing_stopped_organizations',
      'Organizations whose events cannot be sealed, because the read models differ from the log. On the leader.',
      () => sealer.state.stops.length,
    );
    this.addGauge('veritrail_newest_seal_timestamp_seconds', 'Time of the newest seal that the leader knows.', () =>
      seconds(sealer.state.newestSeal),
    );
    const isDoubted = () => Number(!clock.isTrusted());
    this.addGauge('veritrail_clock_in_doubt', '1 while writes wait because of the clock.', isDoubted);
    this.addGauge(
      'veritrail_spooled_bytes',
      'Disk space of report files that clients read now.',
      () => heavyReads.spool.bytes,
    );
    this.addQueueGauge({
      appends: () => this.appending,
      passwords: () => people.passwords.waiting,
      access_log: () => accessLog.pendingCount,
      reads: () => heavyReads.waitingCount,
    });
  }

  /** Adds a gauge that is read at each scrape. */
  private addGauge(name: string, help: string, read: ReadGauge): void {
    new Gauge({
      name,
      help,
      registers: [this.registry],
      collect() {
        const value = read();
        if (value === null) this.remove();
        else this.set(value);
      },
    });
  }

  private addQueueGauge(lengths: Readonly<Record<string, () => number>>): void {
    new Gauge({
      name: 'veritrail_queue_length',
      help: 'Entries waiting in a queue.',
      labelNames: ['queue'],
      registers: [this.registry],
      collect() {
        for (const [queue, length] of Object.entries(lengths)) this.set({ queue }, length());
      },
    });
  }

  /** Returns a listener that counts answered requests. `tool` is "other" for requests without one of these tools. */
  countRequestsOf(tools: ToolBox): OnResponse {
    return (status, { tool = '' }) => this.requests.inc({ tool: tools.has(tool) ? tool : 'other', status });
  }

  /** Returns the same tools, with calls counted and timed. */
  countTools(tools: ToolBox): ToolBox {
    return {
      ...tools,
      call: async (name, args, context) => {
        const started = performance.now();
        const result = await tools.call(name, args, context);
        this.calls.inc({ tool: name, outcome: result.outcome });
        this.callSeconds.observe({ tool: name }, secondsSince(started));
        return result;
      },
    };
  }

  /** Returns the same log, with appends counted and timed. */
  countAppends(events: EventStore): EventStore {
    return decorateEventStore(events, {
      append: async (stream, batch, ...rest) => {
        const started = performance.now();
        this.appending += 1;
        let outcome = 'ok';
        try {
          const position = await events.append(stream, batch, ...rest);
          this.events.inc(batch.length);
          return position;
        } catch (error) {
          const refusal = asRefusal(error);
          outcome = refusal instanceof Refusal ? refusal.code : 'internal';
          throw error;
        } finally {
          this.appending -= 1;
          this.appendSeconds.observe({ outcome }, secondsSince(started));
        }
      },
    });
  }

  private createCounter(name: string, help: string, labelNames: string[]): Counter {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  private histogram(name: string, help: string, label: string): Histogram {
    return new Histogram({ name, help, labelNames: [label], buckets: BUCKET_SECONDS, registers: [this.registry] });
  }
}

const seconds = (ms: number | null): number | null => (ms === null ? null : ms / 1_000);
const secondsSince = (started: number): number => (performance.now() - started) / 1_000;

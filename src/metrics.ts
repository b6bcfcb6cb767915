import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { asRefusal, Refusal } from './commands/refusal.ts';
import type { Identity } from './identity/identity.ts';
import type { ToolBox } from './mcp/toolbox.ts';
import type { Register } from './register.ts';
import type { EventStore } from './stores/event-store.ts';

/** Seconds: most calls take milliseconds, reports and large counts up to seconds. */
const SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** A figure that is looked at when somebody asks for it; null: there is none now. */
type ReadFigure = () => number | null;

/**
 * The figures of this instance, for Prometheus. Labels are names that the program has: of tools, outcomes and queues, never
 * of organizations, people or tokens. Whoever wants to be counted is given here and comes back measured.
 */
export class Metrics {
  private readonly registry = new Registry();
  private readonly requests = this.counter('veritrail_http_requests_total', 'HTTP requests answered.', [
    'tool',
    'status',
  ]);
  private readonly calls = this.counter('veritrail_tool_calls_total', 'Tool calls by outcome: ok, or the error code.', [
    'tool',
    'outcome',
  ]);
  private readonly callSeconds = this.histogram('veritrail_tool_call_duration_seconds', 'Time of a tool call.', 'tool');
  private readonly appendSeconds = this.histogram(
    'veritrail_append_duration_seconds',
    'Time of an append to the log, by outcome: ok, or the error code.',
    'outcome',
  );
  private readonly events = this.counter('veritrail_appended_events_total', 'Events appended to the log.', []);
  private appending = 0;

  constructor() {
    collectDefaultMetrics({ register: this.registry });
  }

  readonly contentType = this.registry.contentType;

  /** All figures, in Prometheus' text format. Asks no store. */
  text(): Promise<string> {
    return this.registry.metrics();
  }

  /** Looks at these parts with each answer. */
  watch({ projections, sealer }: Pick<Register, 'projections' | 'sealer'>, identity: Identity): void {
    const { people, accessLog } = identity;
    const whenReady = (look: () => number) => () => (projections.ready ? look() : null);
    const lag = whenReady(() => projections.runner.lag / 1_000);
    this.gauge('veritrail_projection_lag_seconds', 'Age of the oldest event that has come and is not applied.', lag);
    const caughtUp = whenReady(() => projections.runner.caughtUpAt / 1_000);
    this.gauge('veritrail_projection_caught_up_timestamp_seconds', 'Every event until then can be read.', caughtUp);
    const parked = whenReady(() => projections.runner.parked);
    this.gauge('veritrail_parked_events', 'Events that could not be digested.', parked);
    const leads = whenReady(() => Number(projections.runner.role === 'LEADER'));
    this.gauge('veritrail_projection_leader', '1 where this instance applies events and makes seals.', leads);
    this.gauge('veritrail_unsealed_events', 'Events that no seal covers, on the leader.', () => sealer.state.unsealed);
    this.gauge('veritrail_oldest_unsealed_event_timestamp_seconds', 'When the oldest of them came, if any.', () =>
      seconds(sealer.state.unsealedSince),
    );
    this.gauge('veritrail_newest_seal_timestamp_seconds', 'When the newest seal known to the leader was made.', () =>
      seconds(sealer.state.newestSeal),
    );
    this.queues({
      appends: () => this.appending,
      passwords: () => people.passwords.waiting,
      access_log: () => accessLog.pendingCount,
    });
  }

  /** A figure that is looked at with each answer. */
  private gauge(name: string, help: string, look: ReadFigure): void {
    new Gauge({
      ...{ name, help, registers: [this.registry] },
      collect() {
        const value = look();
        if (value === null) this.remove();
        else this.set(value);
      },
    });
  }

  /** The length of each queue, by its name. */
  private queues(looks: Readonly<Record<string, () => number>>): void {
    new Gauge({
      ...{ name: 'veritrail_queue_length', help: 'What waits in a queue.' },
      ...{ labelNames: ['queue'], registers: [this.registry] },
      collect() {
        for (const [queue, look] of Object.entries(looks)) this.set({ queue }, look());
      },
    });
  }

  /** Counts a request that was answered; `tool` is other where it calls none that is known. */
  request(tool: string, status: number): void {
    this.requests.inc({ tool, status });
  }

  /** The same tools, their calls counted and timed. */
  tools(tools: ToolBox): ToolBox {
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

  /** The same log, its appends counted and timed. */
  log(events: EventStore): EventStore {
    return {
      append: async (stream, batch, expectedRevision) => {
        const started = performance.now();
        this.appending += 1;
        let outcome = 'ok';
        try {
          const position = await events.append(stream, batch, expectedRevision);
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
      readStream: (...args) => events.readStream(...args),
      readAll: (after) => events.readAll(after),
      subscribeAll: (after, signal) => events.subscribeAll(after, signal),
      head: () => events.head(),
      compareStorePositions: (a, b) => events.compareStorePositions(a, b),
      close: () => events.close(),
    };
  }

  private counter(name: string, help: string, labelNames: string[]): Counter {
    return new Counter({ name, help, labelNames, registers: [this.registry] });
  }

  private histogram(name: string, help: string, label: string): Histogram {
    return new Histogram({ name, help, labelNames: [label], buckets: SECONDS, registers: [this.registry] });
  }
}

const seconds = (ms: number | null): number | null => (ms === null ? null : ms / 1_000);
const secondsSince = (started: number): number => (performance.now() - started) / 1_000;

import { randomUUID } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { commandId } from '../../../src/commands/engine/ids.ts';
import { callTool, callUntilAccepted, type Reply } from '../mcp/call-tool.ts';
import { until } from '../run/wait.ts';

/** A write, and the answer that acknowledged it. */
interface Write {
  tool: string;
  args: { idempotency_key: string; [field: string]: unknown };
  /** The vendor that it adds or changes. Null until an addition is acknowledged. */
  vendor: string | null;
  answer: Reply | null;
}

/**
 * Parallel writers that add, update and review vendors, partly on a shared vendor. Each write has its own idempotency key.
 * They record acknowledged writes, so that a test can check that none is lost or executed twice.
 */
export class Writers {
  readonly writes: Write[] = [];
  #stopped = new AbortController();
  #loops: Promise<void>[] = [];

  constructor(
    private readonly organizationId: string,
    private readonly shared: string,
  ) {}

  /** Adds the shared vendor and returns writers. */
  static async create(url: string, token: string, organizationId: string): Promise<Writers> {
    const args = { organization_id: organizationId, name: 'Shared', idempotency_key: randomUUID() };
    const answer = await callUntilAccepted(url, token, 'addVendor', args);
    const { id } = answer.body.vendor as { id: string };
    const writers = new Writers(organizationId, id);
    writers.writes.push({ tool: 'addVendor', args, vendor: id, answer });
    return writers;
  }

  get acknowledgedCount(): number {
    return this.writes.filter(({ answer }) => answer !== null).length;
  }

  /** Returns arguments for one more addition, which the test sends itself. */
  newAddition(name: string): Write['args'] {
    return this.#newWrite('addVendor', { organization_id: this.organizationId, name }).args;
  }

  /** The number of vendors, acknowledged or not. */
  get vendors(): number {
    return this.writes.filter(({ tool }) => tool === 'addVendor').length;
  }

  /**
   * Starts writing, through the services at these addresses in turn.
   * @param pauseMs how long each writer waits after each call, in milliseconds
   */
  start(urls: readonly string[], token: string, count: number, pauseMs = 0): void {
    this.#stopped = new AbortController();
    setMaxListeners(count, this.#stopped.signal);
    this.#loops = Array.from({ length: count }, (_, index) => this.#write(urls[index % urls.length]!, token, pauseMs));
  }

  /** Stops each writer after its current call. */
  async stop(): Promise<void> {
    this.#stopped.abort();
    await Promise.all(this.#loops);
  }

  /** Repeats writes with their keys. An acknowledged write must get the same answer again. */
  async repeat(url: string, token: string, writes: readonly Write[] = this.writes): Promise<void> {
    const queue = [...writes];
    const work = async () => {
      for (let write = queue.shift(); write !== undefined; write = queue.shift())
        await this.#repeatWrite(url, token, write);
    };
    await Promise.all(Array.from({ length: 8 }, work));
  }

  /** Returns the ids of acknowledged commands, which must be in the log once, and of unanswered ones, which may be. */
  commands(): { acknowledged: Set<string>; unanswered: Set<string> } {
    const commands = { acknowledged: new Set<string>(), unanswered: new Set<string>() };
    for (const { tool, args, answer } of this.writes) {
      const scope = typeof args.id === 'string' ? [this.organizationId, tool, args.id] : [this.organizationId, tool];
      const id = commandId(scope, args.idempotency_key);
      (answer === null ? commands.unanswered : commands.acknowledged).add(id);
    }
    return commands;
  }

  /** Adds a vendor, updates and reviews it, then updates the shared vendor. Repeats this until it is stopped. */
  async #write(url: string, token: string, pauseMs: number): Promise<void> {
    const { signal } = this.#stopped;
    const pause = () => pauseMs > 0 && setTimeout(pauseMs, undefined, { signal }).catch(() => {});
    while (!signal.aborted) {
      const add = this.#newWrite('addVendor', { organization_id: this.organizationId, name: `Vendor ${randomUUID()}` });
      const id = await this.#send(url, token, add);
      if (id === null) return;
      for (const write of [
        this.#newWrite('updateVendor', { id, description: randomUUID() }),
        this.#newWrite('reviewVendor', { id, outcome: 'APPROVED' }),
        this.#newWrite('updateVendor', { id: this.shared, description: randomUUID() }),
      ]) {
        await pause();
        if (signal.aborted) return;
        this.writes.push(write);
        if ((await this.#send(url, token, write)) === null) return;
      }
      await pause();
    }
  }

  #newWrite(tool: string, fields: { id?: string; [field: string]: unknown }): Write {
    const write = { tool, args: { ...fields, idempotency_key: randomUUID() }, vendor: fields.id ?? null, answer: null };
    if (tool === 'addVendor') this.writes.push(write);
    return write;
  }

  /** Sends a write, again after each conflict. @returns the vendor's id, or null without an answer */
  async #send(url: string, token: string, write: Write): Promise<string | null> {
    for (;;) {
      const reply = await callTool(url, token, write.tool, write.args).catch(() => null);
      if (reply === null || reply.status === 503) return null;
      if (reply.code === 'conflict') continue;
      return this.#recordAnswer(write, reply);
    }
  }

  #recordAnswer(write: Write, reply: Reply): string {
    assert.is(reply.status, 200, `${write.tool}: ${JSON.stringify(reply.body)}`);
    write.vendor = (reply.body.vendor as { id: string }).id;
    write.answer = reply;
    return write.vendor;
  }

  async #repeatWrite(url: string, token: string, write: Write): Promise<void> {
    const before = write.answer;
    const repeatUntilReadable = async () => {
      const reply = await callUntilAccepted(url, token, write.tool, write.args);
      return reply.body.pending ? null : reply;
    };
    // Just after an outage an answer may be pending. A later repeat must still find the record.
    const reply = await until(repeatUntilReadable, 20_000, `${write.tool} can be read`);
    const id = this.#recordAnswer(write, reply);
    if (before === null) return;
    assert.is(reply.body.repeated, true, `${write.tool} was acknowledged but was executed again`);
    assert.is(id, (before.body.vendor as { id: string }).id);
    assert.is(reply.body.revision, before.body.revision);
    assert.equal(reply.body.event_types, before.body.event_types);
    if (!before.body.pending) assert.is(reply.body.position, before.body.position);
  }
}

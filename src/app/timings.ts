import type { Aggregate, DomainEvent } from '../commands/engine/decider.ts';
import {
  type CommandEnvelope,
  CommandHandler,
  type CommandResult,
  type HandlerOptions,
} from '../commands/engine/handler.ts';
import { asRefusal, Refusal } from '../commands/engine/refusal.ts';
import type { EventStore } from '../stores/event-store.ts';
import type { ToolBox } from '../tools/toolbox.ts';

/** Called with what was done and how long it took: names and numbers, never inputs. */
export type OnTiming = (details: { ms: number; [name: string]: unknown }, message: string) => void;

/** A command handler that reports the time of each command. */
export class TimedHandler extends CommandHandler {
  constructor(
    store: EventStore,
    options: HandlerOptions,
    private readonly onTiming: OnTiming,
  ) {
    super(store, options);
  }

  override async execute<State extends object, Command, Event extends DomainEvent>(
    aggregate: Aggregate<State, Command, Event>,
    command: Command,
    envelope: CommandEnvelope,
  ): Promise<CommandResult<State>> {
    const started = performance.now();
    const { stream } = aggregate;
    const { type } = command as { type?: string };
    try {
      const result = await super.execute(aggregate, command, envelope);
      const { revision, event_types } = result;
      this.onTiming({ command: type, stream, revision, event_types, ms: msSince(started) }, 'command');
      return result;
    } catch (error) {
      this.onTiming({ command: type, stream, refused: codeOf(error), ms: msSince(started) }, 'command');
      throw error;
    }
  }
}

/** Returns tools that report the time of each call: a query, or a call that writes. */
export function timedTools(tools: ToolBox, onTiming: OnTiming): ToolBox {
  return {
    ...tools,
    call: async (tool, args, context) => {
      const started = performance.now();
      const result = await tools.call(tool, args, context);
      const { outcome, json } = result;
      onTiming({ tool, outcome, length: json.length, ms: msSince(started) }, tools.isReadOnly(tool) ? 'query' : 'call');
      return result;
    },
  };
}

function codeOf(error: unknown): string {
  const refusal = asRefusal(error);
  return refusal instanceof Refusal ? refusal.code : 'internal';
}

const msSince = (started: number): number => Math.round((performance.now() - started) * 10) / 10;

import { streamKey } from '../../register/proposal.ts';
import type { Aggregate, DomainEvent } from './decider.ts';
import type { CommandEnvelope, CommandHandler, CommandResult, Commands } from './handler.ts';
import { Refusal } from './refusal.ts';

/** A command of an approved call that was refused. */
export interface RefusedCommand {
  stream: string;
  refusal: Refusal;
}

/** An approval: its event, the account whose call it approves, the approved streams, and the keys of those left out. */
export interface ApprovedCall {
  approval_id: string;
  proposed_by: string;
  streams: ReadonlySet<string>;
  leftOut: ReadonlySet<string>;
}

/** Stands for the result of a command that the person left out. */
class LeftOut extends Refusal {
  constructor() {
    super('forbidden', 'The person who approved this call left this one out.');
  }
}

/**
 * Runs the commands of a call that a person approved. Their events name the approval as their cause, unless they have
 * another one, such as the call that an undo undoes. It refuses records that the person left out or didn't see, and keeps
 * what was done and what was refused.
 */
export class ApprovedHandler implements Commands {
  /** The streams that the call wrote to, now or in an earlier attempt. */
  readonly written = new Set<string>();
  readonly refused: RefusedCommand[] = [];
  /** The id of the call; null before its first command. */
  callId: string | null = null;

  constructor(
    private readonly handler: CommandHandler,
    private readonly approved: ApprovedCall,
  ) {}

  async execute<State extends object, Command, Event extends DomainEvent>(
    aggregate: Aggregate<State, Command, Event>,
    command: Command,
    envelope: CommandEnvelope,
  ): Promise<CommandResult<State>> {
    const { stream } = aggregate;
    this.callId = envelope.correlation_id;
    try {
      const { approval_id, proposed_by, streams, leftOut } = this.approved;
      if (leftOut.has(streamKey(stream))) throw new LeftOut();
      if (!streams.has(stream)) throw notSeen();
      const caused = { ...envelope, proposed_by, causation_id: envelope.causation_id ?? approval_id };
      const result = await this.handler.execute(aggregate, command, caused);
      if (result.event_types.length > 0) this.written.add(stream);
      return result;
    } catch (error) {
      const isRefused = error instanceof Refusal && error.code !== 'unavailable' && !(error instanceof LeftOut);
      if (isRefused) this.refused.push({ stream, refusal: error });
      throw error;
    }
  }

  rehearse: Commands['rehearse'] = (aggregate, command, envelope) =>
    this.handler.rehearse(aggregate, command, envelope);
  load: Commands['load'] = (aggregate, refresh) => this.handler.load(aggregate, refresh);
  readPast: Commands['readPast'] = (aggregate) => this.handler.readPast(aggregate);
  commandId: Commands['commandId'] = (scope, key) => this.handler.commandId(scope, key);
  now: Commands['now'] = () => this.handler.now();
}

function notSeen(): Refusal {
  return new Refusal(
    'conflict',
    'This record came in since the approval, so nobody approved its change. Propose it anew.',
  );
}

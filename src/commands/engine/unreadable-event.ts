import { Refusal } from './refusal.ts';

/** Refuses a command because a running instance of an older version would have to park its event. */
export class UnreadableEvent extends Refusal {
  constructor(type: string) {
    super(
      'unavailable',
      `An instance of an older version is running that cannot read ${type}. Upgrade all instances, then repeat the ` +
        'call with the same idempotency_key.',
    );
  }
}

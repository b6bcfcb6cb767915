import { Refusal } from './refusal.ts';

/** The refusal of a command whose event a running instance of an older version would have to set aside. */
export class UnreadableEvent extends Refusal {
  constructor(type: string) {
    super(
      'unavailable',
      `An instance of an older version is running that cannot read ${type}: upgrade all instances first, then repeat ` +
        'the call with the same idempotency_key.',
    );
  }
}

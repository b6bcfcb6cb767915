/** The reason why the machine's clock isn't trusted now. */
export type ClockDoubt =
  /** It moved away from the trusted time. */
  | 'JUMPED'
  | 'DIFFERS_FROM_LAST_RUN'
  | 'DIFFERS_FROM_DATABASE'
  | 'BEFORE_NEWEST_EVENT'
  /** At the start, nothing shows that it is right. */
  | 'NOT_CONFIRMED';

const CAUSES: Readonly<Record<ClockDoubt, string>> = {
  JUMPED: 'The clock of this machine jumped',
  DIFFERS_FROM_LAST_RUN: 'The clock of this machine differs from what it was in the last run',
  DIFFERS_FROM_DATABASE: 'The clock of this machine differs from that of the database',
  BEFORE_NEWEST_EVENT: 'The clock of this machine is before the newest event of the log',
  NOT_CONFIRMED: 'After a start, nothing shows yet that the clock of this machine is right',
};

/** Says why the machine's clock is in doubt, and how that ends. */
export function doubtText(doubt: ClockDoubt): string {
  return `${CAUSES[doubt]}. Writes wait until it is right, or has kept still for 30 s.`;
}

/** The machine's clock is in doubt, so nothing is written that would hold its time. Repeating the call later helps. */
export class ClockInDoubt extends Error {
  override readonly name = 'ClockInDoubt';
  constructor(
    doubt: ClockDoubt,
    readonly retryAfterSeconds: number,
  ) {
    super(
      `${doubtText(doubt)} Repeat the call in ${retryAfterSeconds} s with the same idempotency_key: nothing is done twice.`,
    );
  }
}

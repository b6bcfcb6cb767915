/** The errors of all stores. Adapters turn every other failure into one of these. */

/** The stream (or document, or batch) isn't at the expected revision. `actual` is its last revision, -1 for none. */
export class RevisionConflict extends Error {
  override readonly name = 'RevisionConflict';
  constructor(
    readonly stream: string,
    readonly actual: number,
  ) {
    super(`${stream} is at revision ${actual}`);
  }
}

/** The store is down, full or too slow. Nothing was written, or, if `ambiguous`, something may have been. */
export class StoreUnavailable extends Error {
  override readonly name: string = 'StoreUnavailable';
  constructor(
    message: string,
    readonly ambiguous = false,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * The store answers, but refuses this until its operator has removed the cause, such as a missing right. Nothing was
 * written, and repeating the call can't help before that.
 */
export class StoreRefused extends StoreUnavailable {
  override readonly name = 'StoreRefused';
  /**
   * @param finding a sentence for callers, without names and addresses: "The service has no right to write to its log."
   * @param advice a sentence for the operator
   * @param options `attempt` is for the log only: "append to vendor-vnd_1"
   */
  constructor(
    readonly finding: string,
    readonly advice: string,
    { attempt, ...options }: ErrorOptions & { attempt?: string } = {},
  ) {
    super(`${finding} ${advice}${attempt === undefined ? '' : ` It tried to ${attempt}.`}`, false, options);
  }
}

/**
 * A stream is not as veritrail wrote it: it was deleted, has a gap, or holds an event that doesn't follow. Nobody can
 * decide on it, so its record can't be changed until the operator has mended it.
 */
export class StreamDamaged extends Error {
  override readonly name = 'StreamDamaged';
  /** @param finding the damage, for callers too: "it was deleted" */
  constructor(
    readonly stream: string,
    readonly finding: string,
    /** The event that can't be read, if this is the damage, and why it can't. */
    readonly unreadable?: { eventId: string; organizationId: string; fault: string },
  ) {
    super(`The stream ${stream} is damaged: ${finding}. See "A damaged stream" in docs/operations.md.`);
  }
}

/**
 * The events were decided too long ago to get their place in the log now, or on rights that have changed. This call has written nothing; an earlier attempt
 * with the same events may have. Decide again on fresh state.
 */
export class DecisionExpired extends StoreUnavailable {
  override readonly name = 'DecisionExpired';
}

/** The store's disk is full. Nothing was written. Calls succeed again once there is space. */
export class DiskFull extends StoreUnavailable {
  override readonly name = 'DiskFull';
}

/**
 * The store doesn't hold the data that this process knows: an older copy, an empty store or another file took their place.
 * Nothing was written, and nothing will be until the operator acts. So this isn't StoreUnavailable, which is retried.
 */
export class StoreReplaced extends Error {
  override readonly name = 'StoreReplaced';
  /** @param finding a sentence for the operator, such as "The file events.db was replaced or deleted." */
  constructor(finding: string) {
    super(`${finding} Nothing is written any more. Stop the service, put the right data back, then start it again.`);
  }
}

/** The append or document is larger than the store's limit. Retrying can't help. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge';
}

/** Another runner has committed this batch already, so this runner's checkpoint is out of date. */
export class Fenced extends Error {
  override readonly name = 'Fenced';
}

/** What the stores may answer besides success. Everything else an adapter meets is turned into one of these. */

/** The stream (or document, or batch) was not at the expected revision. `actual` is its last revision, -1 for none. */
export class RevisionConflict extends Error {
  override readonly name = 'RevisionConflict';
  constructor(
    readonly stream: string,
    readonly actual: number,
  ) {
    super(`${stream} is at revision ${actual}`);
  }
}

/** The store is away, full or too slow. Nothing was done, or (`ambiguous`) it is unknown whether it was. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
  constructor(
    message: string,
    readonly ambiguous = false,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** The store will never take this: it is larger than one append or one document may be. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge';
}

/** Another runner has made this batch already, or holds the group now: what we know is old. */
export class Fenced extends Error {
  override readonly name = 'Fenced';
}

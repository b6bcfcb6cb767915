/** An organization whose events can't be sealed, because the read models don't match the log. */
export interface SealStop {
  organization_id: string;
  /**
   * - `LOG`: the log has other events there.
   * - `SEAL`: the newest seal covers other events there. Either the read models are wrong, or the seal is.
   */
  why: 'LOG' | 'SEAL';
  /** The positions in question. */
  from: number;
  until: number;
}

/** Returns what has happened, and what the operator does about it. */
export function sealStopText({ organization_id, why, from, until }: SealStop): string {
  const other = why === 'LOG' ? 'the log' : 'what the newest seal covers';
  return (
    `Sealing of ${organization_id} has stopped: its read models differ from ${other} between positions ${from} and ` +
    `${until}. Run "veritrail rebuild". If this message then stays, the log or a seal was altered: see "Sealing has ` +
    'stopped" in docs/operations.md.'
  );
}

/** A risk's row, as far as it says whether its acceptance is in force. */
interface AcceptableRow {
  status?: unknown;
  acceptance?: unknown;
}

/**
 * Returns `Accept (not in force)` for the plan to accept a risk that nobody accepts, or whose acceptance expired. The plan
 * stays when an acceptance ends, and alone it would read as if the risk were accepted.
 * @param text the field's value in words
 * @returns `text` for any other value, and for a closed risk, which needs no acceptance
 */
export function planText(field: string, value: unknown, text: string, { status, acceptance }: AcceptableRow): string {
  if (field !== 'treatment' || value !== 'ACCEPTED') return text;
  const { expired } = (acceptance ?? {}) as { expired?: boolean };
  const isInForce = status === 'ACCEPTED' && expired !== true;
  return isInForce || status === 'CLOSED' ? text : `${text} (not in force)`;
}

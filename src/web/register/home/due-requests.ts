/** The requests to owners, by the name of a kind of due item. */
const REQUESTS: Readonly<Record<string, string>> = {
  RISK_REVIEW: 'Review the risk: is its score still right?',
  RISK_ACCEPTANCE_ENDS: 'The acceptance ends: accept it again, or treat the risk.',
  MEASURE: 'Finish the measure, or move its date.',
  VENDOR_REVIEW: 'Review the vendor.',
  VENDOR_CONTRACT_ENDS: 'The contract ends: renew it, or leave the vendor.',
  OBLIGATION: 'Say whether you comply.',
  NONCONFORMITY: 'Finish the corrective action, and close the finding.',
  EVIDENCE_ENDS: 'Attach new evidence before this one expires.',
  AUDIT_STARTS: 'Prepare the audit.',
  CERTIFICATE_ENDS: 'Plan the next audit before the certificate ends.',
};

/** Returns what a due item asks of its owner. @param name the kind of item, such as RISK_REVIEW */
export function dueRequest(name: string): string {
  return REQUESTS[name] ?? '';
}

/** Returns a due date relative to a day, such as "4 days over", "today" or "in 12 days". */
export function dueDistance(due: string, today: string): string {
  const days = Math.round((Date.parse(due) - Date.parse(today)) / 86_400_000);
  if (days === 0) return 'today';
  const count = `${Math.abs(days)} ${Math.abs(days) === 1 ? 'day' : 'days'}`;
  return days < 0 ? `${count} over` : `in ${count}`;
}

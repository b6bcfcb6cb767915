/** Returns a record's name with its number, such as `R-005 Phishing mail`. Some names begin with the number. */
export function numberedName({ reference_id, name }: { reference_id?: unknown; name: string }): string {
  return typeof reference_id !== 'string' || name.startsWith(reference_id) ? name : `${reference_id} ${name}`;
}

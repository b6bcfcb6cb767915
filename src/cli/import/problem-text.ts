import type { RowError } from '../../import/import-rows.ts';

/** Returns a row's problem as a sentence. Some messages are clauses that follow the field's name. */
export function problemText(error: RowError): string {
  const message = messageText(error);
  const isSentence = error.field === '' || /^\p{Lu}/u.test(message) || message.startsWith(`${error.field} `);
  return isSentence ? message : `${error.field} ${message}`;
}

/** Returns a problem without its field. */
export function messageText({ message, hint }: RowError): string {
  return hint ? `${message} (${hint})` : message;
}

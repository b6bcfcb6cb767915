import { asRefusal, Refusal } from '../../commands/engine/refusal.ts';
import { HttpError } from '../../http/http-errors.ts';

/** Returns the message for an address that a person can correct; null for other errors. */
export function refusedInput(thrown: unknown): string | null {
  const error = asRefusal(thrown);
  const isRefusedInput =
    (error instanceof Refusal || error instanceof HttpError) && ['invalid_input', 'not_found'].includes(error.code);
  return isRefusedInput ? error.message : null;
}

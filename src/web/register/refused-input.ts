import { asRefusal, Refusal } from '../../commands/engine/refusal.ts';
import { HttpError } from '../../http/http-errors.ts';

/** The labels of a page's controls, by the names of the inputs. */
export type InputLabels = Readonly<Record<string, string>>;

/** Returns the message for an address that a person can correct; null for other errors. */
export function refusedInput(thrown: unknown, labels: InputLabels = {}): string | null {
  const error = asRefusal(thrown);
  const isRefusedInput =
    (error instanceof Refusal || error instanceof HttpError) && ['invalid_input', 'not_found'].includes(error.code);
  if (!isRefusedInput) return null;
  return error instanceof Refusal ? withLabel(error, labels).message : error.message;
}

/** Returns a refusal that calls its input by the label that people see. Messages begin with the input's name. */
export function withLabel(refusal: Refusal, labels: InputLabels): Refusal {
  const { field = '' } = refusal.more;
  // A list names its item too, such as `filter.record_types.0`.
  const label = labels[field.replace(/\.\d+$/, '')];
  if (label === undefined || !refusal.message.startsWith(`${field} `)) return refusal;
  return new Refusal(refusal.code, label + refusal.message.slice(field.length), refusal.more);
}

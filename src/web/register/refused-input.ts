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
  const { field } = error instanceof Refusal ? error.more : error.details;
  return labelledMessage(error.message, field, labels);
}

/** Returns a refusal that calls its input by the label that people see. Messages begin with the input's name. */
export function withLabel({ code, message, more }: Refusal, labels: InputLabels): Refusal {
  return new Refusal(code, labelledMessage(message, more.field, labels), more);
}

function labelledMessage(message: string, field: string | undefined, labels: InputLabels): string {
  if (field === undefined || !message.startsWith(`${field} `)) return message;
  // A list names its item too, such as `filter.record_types.0`.
  const name = field.replace(/\.\d+$/, '');
  return Object.hasOwn(labels, name) ? labels[name] + message.slice(field.length) : message;
}

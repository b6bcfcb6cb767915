import { asRefusal, Refusal } from '../../commands/engine/refusal.ts';
import { HttpError } from '../../http/http-errors.ts';
import { MOMENT_FORMS } from '../../queries/moments/moment.ts';
import { typeText } from '../texts/event-words.ts';

/** The labels of a page's controls, by the names of the inputs. */
export type InputLabels = Readonly<Record<string, string>>;

/** Returns the message for an address that a person can correct; null for other errors. */
export function refusedInput(thrown: unknown, labels: InputLabels = {}): string | null {
  const error = asRefusal(thrown);
  const isRefusedInput =
    (error instanceof Refusal || error instanceof HttpError) && ['invalid_input', 'not_found'].includes(error.code);
  if (!isRefusedInput) return null;
  return pageMessage(error.message, error instanceof Refusal ? error.more : error.details, labels);
}

/** Returns a refusal that calls its input by the label that people see. Messages begin with the input's name. */
export function withLabel({ code, message, more }: Refusal, labels: InputLabels): Refusal {
  return new Refusal(code, pageMessage(message, more, labels), more);
}

interface RefusedValue {
  field?: string;
  /** The values that the input takes, if they can be listed. */
  allowed?: readonly string[];
}

/** Returns a tool's message in the words of pages: values by their words, and a moment as a date. */
function pageMessage(message: string, { field, allowed = [] }: RefusedValue, labels: InputLabels): string {
  const labelled = labelledMessage(message, field, labels);
  if (allowed.length > 0) {
    return labelled.replace(` must be one of ${allowed.join(', ')}`, `: choose ${alternatives(allowed.map(typeText))}`);
  }
  return labelled
    .replace(` is not valid. ${MOMENT_FORMS}`, ' is not a date that we know. Choose one, for example 2025-10-23.')
    .replace(MOMENT_FORMS, 'Choose another date, for example 2025-10-23.');
}

/** Returns `Open, In treatment or Closed`. */
const alternatives = (words: readonly string[]): string =>
  [words.slice(0, -1).join(', '), ...words.slice(-1)].filter(Boolean).join(' or ');

function labelledMessage(message: string, field: string | undefined, labels: InputLabels): string {
  if (field === undefined || !message.startsWith(`${field} `)) return message;
  // A list names its item too, such as `filter.record_types.0`.
  const name = field.replace(/\.\d+$/, '');
  return Object.hasOwn(labels, name) ? labels[name] + message.slice(field.length) : message;
}

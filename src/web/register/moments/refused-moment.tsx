import { asRefusal, Refusal } from '../../../commands/engine/refusal.ts';
import { FormError, TextField } from '../../components/fields.tsx';
import { formWithRefusal } from '../../server/form-state.ts';
import type { WebPage } from '../../server/web-page.ts';
import { refusedInput, withLabel } from '../refused-input.ts';
import type { MomentChoice } from './moment-choice.ts';
import { MomentForm, momentAddress } from './moment-control.tsx';

/** The bar's field for the page's moment has the id `as_of`. */
const FIELD_IDS = { as_of: 'moment' };

/**
 * Returns the page for a moment that can't be read: the frame, and a field with what was typed and why it is refused. It
 * shows no records, because those of another moment could be taken for an answer. Returns null for other errors.
 */
export function refusedMomentPage(
  choice: MomentChoice,
  organization: NonNullable<WebPage['organization']>,
  typed: string,
  thrown: unknown,
): WebPage | null {
  const refusal = asRefusal(thrown);
  if (!(refusal instanceof Refusal) || refusedInput(refusal) === null) return null;
  const values = new Map([['as_of', [typed]]]);
  const form = formWithRefusal(withLabel(refusal, { as_of: 'Moment' }), values, ['as_of']);
  return {
    title: 'No such moment',
    section: choice.path.split('/').slice(0, 4).join('/'),
    organization,
    moment: choice,
    form,
    body: (
      <>
        <FormError form={form} ids={FIELD_IDS} />
        <div class="card">
          <MomentForm choice={choice}>
            <TextField
              form={form}
              name="as_of"
              id={FIELD_IDS.as_of}
              label="Moment"
              hint="A date or a time in UTC, for example 2025-10-23"
            />
          </MomentForm>
        </div>
        <p>
          <a class="button quiet" href={momentAddress(choice, null)}>
            Back to today
          </a>
        </p>
      </>
    ),
  };
}

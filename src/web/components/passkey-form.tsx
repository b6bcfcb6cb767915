import type { FormState } from '../server/form-state.ts';
import { Form } from './form.tsx';

/** The id of the form's button, for the summary of a page's errors. */
export const PASSKEY_BUTTON_ID = 'passkey';

interface PasskeyFormProps {
  action: string;
  /** WebAuthn options, which the page's script passes to the browser. */
  options: object;
  form: FormState;
  /** True if the page offers no other way. Then it says what passkeys need. */
  isOnlyWay: boolean;
  /** True if the page also offers a more usual way. */
  quiet?: boolean;
}

/** Asks for one of the account's passkeys. */
export function PasskeyForm({ action, options, form, isOnlyWay, quiet = false }: PasskeyFormProps) {
  const fault = form.errors.get('credential');
  return (
    <>
      <Form action={action} class="card" passkey="get" options={JSON.stringify(options)}>
        <input type="hidden" name="credential" />
        <p>Use the passkey that you added to your account.</p>
        <p class="fault" data-fault hidden>
          The passkey was not used. Try again.
        </p>
        {fault !== undefined && <p class="fault">{fault}</p>}
        <button type="submit" id={PASSKEY_BUTTON_ID} class={quiet ? 'quiet' : undefined}>
          Use a passkey
        </button>
      </Form>
      {isOnlyWay && (
        <p class="notice warning" data-without-passkeys>
          Passkeys need a recent browser with JavaScript. Allow JavaScript for this site, then reload the page.
        </p>
      )}
    </>
  );
}

/** @jsxRuntime automatic @jsxImportSource preact */
import { Form } from './context.tsx';
import type { FormState } from './forms.ts';

interface PasskeyFormProps {
  action: string;
  /** The options of the ceremony, which the page's script gives to the browser. */
  options: object;
  form: FormState;
  /** No other way is offered: people without passkeys are told what they need. */
  alone: boolean;
  /** The button stands beside a more usual way. */
  quiet?: boolean;
}

/** Asks for a passkey that the account has. */
export function PasskeyForm({ action, options, form, alone, quiet = false }: PasskeyFormProps) {
  const fault = form.errors.get('credential');
  return (
    <>
      <Form action={action} class="card" passkey="get" options={JSON.stringify(options)}>
        <input type="hidden" name="credential" />
        <p>Use the passkey that you added to your account.</p>
        <p class="fault" data-fault hidden>
          The passkey was not used: try again.
        </p>
        {fault !== undefined && <p class="fault">{fault}</p>}
        <button type="submit" class={quiet ? 'quiet' : undefined}>
          Use a passkey
        </button>
      </Form>
      {alone && (
        <p class="notice warning" data-without-passkeys>
          Passkeys need a recent browser, with JavaScript turned on: allow it for this site, then reload the page.
        </p>
      )}
    </>
  );
}

/** @jsxRuntime automatic @jsxImportSource preact */
import { type ComponentChildren, createContext } from 'preact';
import { TOKEN_FIELD } from './csrf.ts';

/** Gives the token of this page's forms; asked only where there is a form. */
export const FormToken = createContext<() => string>(() => {
  throw new Error('a form outside of the layout');
});

/** A form that is sent to us by POST. Never write a bare one: the token would be missing. */
export function Form(props: {
  action: string;
  class?: string;
  /** For passkeys: see assets/app.js. */
  passkey?: 'get' | 'create';
  options?: string;
  children: ComponentChildren;
}) {
  const { action, passkey, options, children } = props;
  return (
    <form
      method="post"
      action={action}
      class={props.class}
      // Hidden until the script shows it: without it, it would do nothing.
      hidden={passkey !== undefined}
      data-passkey={passkey}
      data-options={options}
    >
      <FormToken.Consumer>{(issue) => <input type="hidden" name={TOKEN_FIELD} value={issue()} />}</FormToken.Consumer>
      {children}
    </form>
  );
}

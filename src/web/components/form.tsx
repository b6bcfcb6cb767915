import { type ComponentChildren, createContext } from 'preact';
import { TOKEN_FIELD } from '../server/csrf.ts';

/** Provides the CSRF token of a page's forms. Called only if the page has a form. */
export const FormToken = createContext<() => string>(() => {
  throw new Error('a form outside of the layout');
});

/** A POST form with a CSRF token. Don't write bare `<form>` elements: they have no token. */
export function Form(props: {
  action: string;
  class?: string;
  id?: string;
  /** The passkey ceremony that assets/app.js runs before it sends the form. */
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
      id={props.id}
      // A passkey form needs the script, so the script shows it.
      hidden={passkey !== undefined}
      data-passkey={passkey}
      data-options={options}
    >
      <FormToken.Consumer>{(issue) => <input type="hidden" name={TOKEN_FIELD} value={issue()} />}</FormToken.Consumer>
      {children}
    </form>
  );
}

import type { ComponentChildren } from 'preact';
import type { Role } from '../commands/caller.ts';
import type { FormState } from './forms.ts';

/** What a route shows: the layout goes around it. */
export interface Page {
  /** The document's title and, unless the body has its own, the one first heading. */
  title: string;
  body: ComponentChildren;
  /** The form that was shown again, if one was: with faults it makes the answer a 400. */
  form?: FormState;
  /** Of an error; else it follows from the form. */
  status?: number;
  /** Which entry of the navigation stands for this page: its address. */
  section?: string;
  /** The organization whose pages are linked beside this one, as far as this role of the reader's may see them. */
  organization?: { id: string; name: string; role: Role };
  /** Origins, or schemes with a colon, that a form of this page may lead to by redirects, beside our own. */
  formTargets?: readonly string[];
  /** A page of little: a narrow column without navigation. */
  plain?: boolean;
}

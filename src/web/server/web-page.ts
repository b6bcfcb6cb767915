import type { ComponentChildren } from 'preact';
import type { Role } from '../../commands/organization/caller.ts';
import type { MomentChoice } from '../register/moments/moment-choice.ts';
import type { AssetName } from './assets.ts';
import type { FormState } from './form-state.ts';

/** A page as a route returns it. The layout is added around it. */
export interface WebPage {
  /** The document's title and, without `heading`, the first heading. */
  title: string;
  body: ComponentChildren;
  /** The heading with what belongs beside it, if it is more than the title. It has the one `h1`. */
  heading?: ComponentChildren;
  /** The form of the page, if any. With errors, the status is 400. */
  form?: FormState;
  /** The status of an error page. Other pages have 200, or 400 for a form with errors. */
  status?: number;
  /** The address of the navigation entry that is marked as current. */
  section?: string;
  /** The organization whose pages are linked beside this one, and the reader's role there. */
  organization?: { id: string; name: string; role: Role };
  /** The moment that the page shows, and the page's path for choosing another. Absent if the page has no past form. */
  moment?: MomentChoice;
  /** The page that compares a past moment with today. By default, that of the whole register. */
  comparison?: string;
  /** Other origins, or schemes with a colon, that a form of this page may redirect to. */
  formTargets?: readonly string[];
  /** The script of this page, if not that of its frame. */
  script?: AssetName;
  /** Sends the body alone, for a script of another page. */
  isFragment?: boolean;
  /** Shows the page as a narrow column without navigation. */
  plain?: boolean;
}

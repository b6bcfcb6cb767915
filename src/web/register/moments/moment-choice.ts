import type { PastMoment } from '../page-moment.ts';
import type { CompletedAudit } from './completed-audits.ts';

/** The moment that a page shows, and those that its reader can choose instead. */
export interface MomentChoice {
  /** Null for today. */
  past: PastMoment | null;
  /** The page's own path, for the forms and links that stay on it. */
  path: string;
  query: URLSearchParams;
  /** The current date. */
  today: string;
  /** The audits whose completion can be chosen. */
  audits: readonly CompletedAudit[];
}

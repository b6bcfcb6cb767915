import type { Condition } from '../../stores/read-store.ts';

/** The part of an organization's changes to verify. */
export interface VerifyRequest {
  organizationId: string;
  /** The filter as conditions on change rows. */
  where: readonly Condition[];
  /** Keys of the only records whose changes are verified; null for all changes. */
  recordKeys: ReadonlySet<string> | null;
  from: number;
  to: number;
}

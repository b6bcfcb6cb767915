import { CHANGES } from '../../../src/projections/history/change-document.ts';
import { ORGANIZATION, type TestRegister } from '../register.ts';
import { memberPath } from '../stores/member-path.ts';

export interface Fault {
  why: string;
  position: string | null;
  event_id?: string;
  differs?: string[];
  seal_fault?: { why: string; from: string; until: string };
}

/** The answer of listChanges with verify: true. */
export interface VerifiedChanges {
  total?: number;
  changes?: { position: string; event_type: string; event_id: string }[];
  verification: {
    verdict: string;
    complete: boolean;
    covered_from: string;
    covered_to: string;
    events: number;
    erased?: number;
    public_key?: string | null;
    faults: Fault[];
  };
}

export function verifyChanges(register: TestRegister, input: object = {}): Promise<VerifiedChanges> {
  return register.call<VerifiedChanges>('listChanges', { organization_id: ORGANIZATION, verify: true, ...input });
}

/** The SQL of a row's document with another value of a member. */
export const alteredChange = (member: string, value: string) =>
  `json_set(doc, '${memberPath(CHANGES, member)}', ${value})`;

/** SQL that alters a member of the row of changes at a position. */
export const alterChangeSql = (member: string, value: string, position: number) =>
  `UPDATE changes_documents SET doc = ${alteredChange(member, value)} WHERE k_position = ${position} AND k_row_index <= 0`;

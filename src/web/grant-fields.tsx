/** @jsxRuntime automatic @jsxImportSource preact */
import { z } from 'zod';
import { ROLES, type Role } from '../commands/caller.ts';
import { lowerRole } from '../commands/roles.ts';
import { MAX_DAYS } from '../identity/token-record.ts';
import { ChoiceField, SelectField, TextField } from './fields.tsx';
import { type FormState, many, one } from './forms.ts';
import { roleChoices, roleName } from './roles.ts';

const WHOLE_DAYS = `Give whole days, from 1 to ${MAX_DAYS}.`;

export const DAYS = {
  days: one(
    z
      .string()
      .trim()
      .regex(/^\d{1,3}$/, WHOLE_DAYS)
      .transform(Number)
      .refine((days) => days >= 1 && days <= MAX_DAYS, WHOLE_DAYS),
  ),
};

/** What somebody gives to a token or an assistant of what they may do themselves. */
export const GRANT = {
  organizations: many(z.string()).min(1, 'Choose at least one organization.').max(100),
  role: one(z.enum(ROLES, 'Choose a role.')),
  ...DAYS,
};

/** An organization of the giver's, and what they are there. */
interface Reachable {
  id: string;
  name: string;
  role: Role;
}

interface Asked {
  form: FormState;
  label: string;
}

export function OrganizationsField({ organizations, ...asked }: Asked & { organizations: readonly Reachable[] }) {
  return (
    <ChoiceField
      {...asked}
      name="organizations"
      choices={organizations.map(({ id, name, role }) => ({ value: id, label: name, hint: `You: ${roleName(role)}` }))}
      chosen={organizations.length === 1 ? organizations.map(({ id }) => id) : []}
    />
  );
}

/** @param props.value the role to begin with, where the giver has it */
export function RoleField(props: Asked & { organizations: readonly Reachable[]; value: Role }) {
  const { organizations, value, ...asked } = props;
  const highest = ROLES.findLast((known) => organizations.some(({ role }) => role === known)) ?? 'VIEWER';
  const hint = 'Up to your own role, which limits it at every call.';
  const choices = roleChoices(highest);
  return <SelectField {...asked} name="role" hint={hint} choices={choices} value={lowerRole(value, highest)} />;
}

export function DaysField({ value, hint, ...asked }: Asked & { value: number; hint?: string; id?: string }) {
  return (
    <TextField
      {...asked}
      name="days"
      hint={hint === undefined ? `1 to ${MAX_DAYS}.` : `1 to ${MAX_DAYS}. ${hint}`}
      type="number"
      inputMode="numeric"
      min={1}
      max={MAX_DAYS}
      value={String(value)}
    />
  );
}

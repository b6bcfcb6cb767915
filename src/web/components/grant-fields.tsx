import { z } from 'zod';
import { ROLES, type Role } from '../../commands/organization/caller.ts';
import { lowerRole } from '../../commands/organization/permissions.ts';
import type { TokenListItem } from '../../identity/tokens/token-lists.ts';
import { MAX_TOKEN_DAYS } from '../../identity/tokens/token-record.ts';
import { AUTONOMIES, type Autonomy } from '../../register/proposal.ts';
import { BLANK_FORM, type FormState, repeatedField, singleField } from '../server/form-state.ts';
import { AUTONOMY_CHOICES } from '../texts/access-text.ts';
import { roleChoices, roleName } from '../texts/role-labels.ts';
import { ChoiceField, SelectField, TextField } from './fields.tsx';
import { Form } from './form.tsx';

const WHOLE_DAYS = `Enter a whole number of days, from 1 to ${MAX_TOKEN_DAYS}.`;

export const DAYS_FIELDS = {
  days: singleField(
    z
      .string()
      .trim()
      .regex(/^\d{1,3}$/, WHOLE_DAYS)
      .transform(Number)
      .refine((days) => days >= 1 && days <= MAX_TOKEN_DAYS, WHOLE_DAYS),
  ),
};

/** The access that a person grants to a token or an assistant. It never exceeds their own. */
export const GRANT_FIELDS = {
  organizations: repeatedField(z.string()).min(1, 'Choose at least one organization.').max(100),
  role: singleField(z.enum(ROLES, 'Choose a role.')),
  ...DAYS_FIELDS,
};

/** Most people want to decide themselves. */
const USUAL_AUTONOMY: Autonomy = 'DECISIONS_PROPOSED';

/** The autonomy of a credential. A form for one that only reads doesn't ask. */
export const AUTONOMY_FIELDS = {
  autonomy: singleField(
    z
      .string()
      .transform((text) => text || USUAL_AUTONOMY)
      .pipe(z.enum(AUTONOMIES, 'Choose what it may do.')),
  ),
};

/** An organization of the person, and their role there. */
interface Reachable {
  id: string;
  name: string;
  role: Role;
}

interface LabelledField {
  form: FormState;
  label: string;
}

export function OrganizationsField({
  organizations,
  ...field
}: LabelledField & { organizations: readonly Reachable[] }) {
  return (
    <ChoiceField
      {...field}
      name="organizations"
      choices={organizations.map(({ id, name, role }) => ({ value: id, label: name, hint: `You: ${roleName(role)}` }))}
      chosen={organizations.length === 1 ? organizations.map(({ id }) => id) : []}
    />
  );
}

/** @param props.value the role selected at first, or the person's highest role if that is lower */
export function RoleField(props: LabelledField & { organizations: readonly Reachable[]; value: Role }) {
  const { organizations, value, ...field } = props;
  const highest = ROLES.findLast((candidate) => organizations.some(({ role }) => role === candidate)) ?? 'VIEWER';
  const hint = 'Up to your own role. Your role also limits every call.';
  const choices = roleChoices(highest);
  return <SelectField {...field} name="role" hint={hint} choices={choices} value={lowerRole(value, highest)} />;
}

export function DaysField({ value, hint, ...field }: LabelledField & { value: number; hint?: string; id?: string }) {
  return (
    <TextField
      {...field}
      name="days"
      hint={hint === undefined ? `From 1 to ${MAX_TOKEN_DAYS}.` : `From 1 to ${MAX_TOKEN_DAYS}. ${hint}`}
      type="number"
      inputMode="numeric"
      min={1}
      max={MAX_TOKEN_DAYS}
      value={String(value)}
    />
  );
}

/** The choice of what a credential may do without a person. */
export function AutonomyField({
  form,
  id,
  value = USUAL_AUTONOMY,
}: {
  form: FormState;
  id?: string;
  value?: Autonomy;
}) {
  return (
    <SelectField
      form={form}
      name="autonomy"
      {...(id === undefined ? {} : { id })}
      label="Without a person"
      hint="What waits stands under Proposals, and a person approves or declines it."
      choices={AUTONOMY_CHOICES}
      value={value}
    />
  );
}

/** Changes what an existing credential may do without a person. */
export function AutonomyForm(props: { action: string; credential: Pick<TokenListItem, 'id' | 'name' | 'autonomy'> }) {
  const { action, credential } = props;
  const { id, name, autonomy = 'ALL' } = credential;
  return (
    <details>
      <summary>Change what it may do</summary>
      <Form action={action} class="inline">
        <input type="hidden" name="credential" value={id} />
        <AutonomyField form={BLANK_FORM} id={`autonomy-${id}`} value={autonomy} />
        <button type="submit" class="quiet">
          Change “{name}”
        </button>
      </Form>
    </details>
  );
}

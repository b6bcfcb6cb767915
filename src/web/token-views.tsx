/** @jsxRuntime automatic @jsxImportSource preact */
import { randomUUID } from 'node:crypto';
import { ROLES, type Role } from '../commands/caller.ts';
import { lowerRole } from '../commands/roles.ts';
import type { Membership } from '../identity/members.ts';
import type { ShownToken } from '../identity/token-lists.ts';
import { MAX_DAYS } from '../identity/token-record.ts';
import { Form } from './context.tsx';
import { CheckField, ChoiceField, FormFault, SelectField, TextField } from './fields.tsx';
import { BLANK, type FormState } from './forms.ts';
import { Day, Facts, Moment } from './pieces.tsx';
import { roleChoices, roleName } from './roles.ts';

/** What most assistants need, where its maker may give it. */
const USUAL_ROLE: Role = 'EDITOR';

export function NewTokenForm(props: {
  action: string;
  form: FormState;
  organizations: readonly Membership[];
  days: number;
}) {
  const { form, organizations } = props;
  const highest = ROLES.findLast((role) => organizations.some((one) => one.role === role)) ?? 'VIEWER';
  return (
    <Form action={props.action} class="card">
      <FormFault form={form} />
      <input type="hidden" name="once" value={randomUUID()} />
      <TextField
        form={form}
        name="name"
        label="Name"
        hint="What it is for, such as “Claude on my laptop”. Only you and your owners see it."
        maxLength={200}
      />
      <SelectField
        form={form}
        name="role"
        label="Role"
        hint="Up to your own. Your own role limits it at every call."
        choices={roleChoices(highest)}
        value={lowerRole(USUAL_ROLE, highest)}
      />
      <ChoiceField
        form={form}
        name="organizations"
        label="Organizations"
        choices={organizations.map(({ id, name, role }) => ({
          value: id,
          label: name,
          hint: `You: ${roleName(role)}`,
        }))}
        chosen={organizations.length === 1 ? organizations.map(({ id }) => id) : []}
      />
      <CheckField form={form} name="read_only" label="Only read" hint="It can change nothing, whatever its role." />
      <TextField
        form={form}
        name="days"
        label="Ends after days"
        hint={`1 to ${MAX_DAYS}. You are reminded on the start page two weeks ahead.`}
        type="number"
        inputMode="numeric"
        min={1}
        max={MAX_DAYS}
        value={String(props.days)}
      />
      <button type="submit">Make the token</button>
    </Form>
  );
}

/** @param names of the organizations that its owner is still in */
export function TokenCard(props: {
  token: ShownToken;
  names: ReadonlyMap<string, string>;
  path: string;
  days: number;
}) {
  const { token, names } = props;
  const reached = token.organizations.map((id) => names.get(id) ?? 'one that you have left');
  return (
    <>
      <div class="row">
        <h3>{token.name}</h3>
        <StateBadge token={token} />
      </div>
      <Facts
        facts={[
          ['Token', <code>vtr_…{token.last_four}</code>],
          ['Role', `${roleName(token.role)}${token.read_only ? ', only reading' : ''}`],
          ['Reaches', reached.length === 0 ? 'nothing any more' : reached.join(', ')],
          ['Made', <Day at={token.created_at} />],
          ['Last used', <Moment at={token.last_used_at} />],
          [token.state === 'EXPIRED' ? 'Ended' : 'Ends', <Day at={token.expires_at} />],
        ]}
      />
      {token.state !== 'REVOKED' && <Deeds token={token} path={props.path} days={props.days} />}
    </>
  );
}

function StateBadge({ token }: { token: ShownToken }) {
  if (token.state === 'REVOKED') return <span class="badge danger">Revoked</span>;
  if (token.state === 'EXPIRED') return <span class="badge danger">Expired</span>;
  return token.expiring ? <span class="badge warning">Ends soon</span> : <span class="badge">Active</span>;
}

function Deeds({ token, path, days }: { token: ShownToken; path: string; days: number }) {
  return (
    <div class="deeds">
      <details>
        <summary>Regenerate</summary>
        <Form action={`${path}/regenerate`} class="inline">
          <p>You get a new token text. The present one stops working at once.</p>
          <TextField
            form={BLANK}
            id={`days-${token.id}`}
            name="days"
            label="Ends after days"
            type="number"
            inputMode="numeric"
            min={1}
            max={MAX_DAYS}
            value={String(days)}
          />
          <button type="submit" class="quiet">
            Regenerate “{token.name}”
          </button>
        </Form>
      </details>
      <details>
        <summary>Revoke</summary>
        <Form action={`${path}/revoke`} class="inline">
          <p>What uses it is shut out at once, and for good.</p>
          <button type="submit" class="danger">
            Revoke “{token.name}”
          </button>
        </Form>
      </details>
    </div>
  );
}

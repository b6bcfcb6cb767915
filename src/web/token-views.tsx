/** @jsxRuntime automatic @jsxImportSource preact */
import { randomUUID } from 'node:crypto';
import type { Role } from '../commands/caller.ts';
import type { Membership } from '../identity/members.ts';
import type { ShownToken } from '../identity/token-lists.ts';
import { Form } from './context.tsx';
import { CheckField, FormFault, TextField } from './fields.tsx';
import { BLANK, type FormState } from './forms.ts';
import { DaysField, OrganizationsField, RoleField } from './grant-fields.tsx';
import { Day, Facts, Moment } from './pieces.tsx';
import { roleName } from './roles.ts';

/** What most assistants need, where its maker may give it. */
const USUAL_ROLE: Role = 'EDITOR';

export function NewTokenForm(props: {
  action: string;
  form: FormState;
  organizations: readonly Membership[];
  days: number;
}) {
  const { form, organizations } = props;
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
      <RoleField form={form} label="Role" organizations={organizations} value={USUAL_ROLE} />
      <OrganizationsField form={form} label="Organizations" organizations={organizations} />
      <CheckField form={form} name="read_only" label="Only read" hint="It can change nothing, whatever its role." />
      <DaysField
        form={form}
        label="Ends after days"
        hint="You are reminded on the start page two weeks ahead."
        value={props.days}
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
          <DaysField form={BLANK} id={`days-${token.id}`} label="Ends after days" value={days} />
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

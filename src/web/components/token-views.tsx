import { randomUUID } from 'node:crypto';
import type { Role } from '../../commands/organization/caller.ts';
import type { Membership } from '../../identity/memberships/members.ts';
import type { TokenListItem } from '../../identity/tokens/token-lists.ts';
import type { FormState } from '../server/form-state.ts';
import { accessText, reachText } from '../texts/access-text.ts';
import { Facts, LongDay, Timestamp } from './components.tsx';
import { CheckField, FormError, TextField } from './fields.tsx';
import { Form } from './form.tsx';
import { AutonomyField, AutonomyForm, DaysField, OrganizationsField, RoleField } from './grant-fields.tsx';

/** The role selected at first: most assistants need no more. */
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
      <FormError form={form} ids={{ once: 'name' }} />
      <input type="hidden" name="once" value={randomUUID()} />
      <TextField
        form={form}
        name="name"
        label="Name"
        hint="Its purpose, such as “Claude on my laptop”. Visible to you and to owners and admins."
        maxLength={200}
      />
      <RoleField form={form} label="Role" organizations={organizations} value={USUAL_ROLE} />
      <OrganizationsField form={form} label="Organizations" organizations={organizations} />
      <CheckField form={form} name="read_only" label="Read only" hint="It can’t change anything, whatever its role." />
      <AutonomyField form={form} />
      <DaysField
        form={form}
        label="Expires in (days)"
        hint="Two weeks before, this page says “Expires soon”."
        value={props.days}
      />
      <button type="submit">Create token</button>
    </Form>
  );
}

/** @param props.organizations those that its owner is still a member of, by id */
export function TokenCard(props: {
  token: TokenListItem;
  organizations: ReadonlyMap<string, Membership>;
  path: string;
  days: number;
  /** The form that regenerates it. */
  form: FormState;
}) {
  const { token, organizations, path, days, form } = props;
  const reached = token.organizations.map((id) => {
    const organization = organizations.get(id);
    return organization === undefined ? 'an organization that you left' : reachText(organization, token);
  });
  return (
    <>
      <div class="row">
        <h3>{token.name}</h3>
        <StateBadge token={token} />
      </div>
      <Facts
        facts={[
          ['Token', <code>vtr_…{token.last_four}</code>],
          ['Role', accessText(token)],
          ['Organizations', reached.length === 0 ? 'none' : reached.join(', ')],
          ['Created', <LongDay at={token.created_at} />],
          ['Last used', <Timestamp at={token.last_used_at} />],
          [token.state === 'EXPIRED' ? 'Expired' : 'Expires', <LongDay at={token.expires_at} />],
        ]}
      />
      {token.state !== 'REVOKED' && <TokenActions token={token} path={path} days={days} form={form} />}
    </>
  );
}

function StateBadge({ token }: { token: TokenListItem }) {
  if (token.state === 'REVOKED') return <span class="badge danger">Revoked</span>;
  if (token.state === 'EXPIRED') return <span class="badge danger">Expired</span>;
  return token.expiring ? <span class="badge warning">Expires soon</span> : <span class="badge">Active</span>;
}

function TokenActions(props: { token: TokenListItem; path: string; days: number; form: FormState }) {
  const { token, path, days, form } = props;
  const daysId = `days-${token.id}`;
  return (
    <div class="actions">
      <AutonomyForm action={`${path}/autonomy`} credential={token} />
      <details open={form.values.size > 0}>
        <summary>Regenerate</summary>
        <Form action={`${path}/regenerate`} class="inline">
          <FormError form={form} ids={{ days: daysId }} />
          <input type="hidden" name="token" value={token.id} />
          <p>You get a new token. The current one stops working immediately.</p>
          <DaysField form={form} id={daysId} label="Expires in (days)" value={days} />
          <button type="submit" class="quiet">
            Regenerate “{token.name}”
          </button>
        </Form>
      </details>
      <details>
        <summary>Revoke</summary>
        <Form action={`${path}/revoke`} class="inline">
          <p>Programs that use it lose access immediately. This cannot be undone.</p>
          <button type="submit" class="danger">
            Revoke “{token.name}”
          </button>
        </Form>
      </details>
    </div>
  );
}

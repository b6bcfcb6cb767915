import type { ComponentChildren } from 'preact';
import { z } from 'zod';
import { formTargetOf } from '../../../http/security-headers.ts';
import { OAUTH_PATHS } from '../../../identity/oauth/addresses.ts';
import type { ConsentDetails } from '../../../identity/oauth/consent.ts';
import { Facts } from '../../components/components.tsx';
import { ChoiceField, FormError } from '../../components/fields.tsx';
import { Form } from '../../components/form.tsx';
import {
  AUTONOMY_FIELDS,
  AutonomyField,
  DaysField,
  GRANT_FIELDS,
  OrganizationsField,
  RoleField,
} from '../../components/grant-fields.tsx';
import type { WebContext } from '../../server/context.ts';
import { checkForm, type FormState, singleField } from '../../server/form-state.ts';
import { actorOf, get, post, type Route, redirect } from '../../server/page-request.ts';
import { formFromQuery, requireReauthenticationFor } from '../../server/require-reauthentication.ts';
import { submitForm } from '../../server/submit-form.ts';
import type { WebPage } from '../../server/web-page.ts';
import { describeRedirect } from '../../texts/describe-redirect.ts';

const ANSWER_FIELDS = { answer: singleField(z.enum(['allow', 'deny'], 'Choose Allow or Deny.')) };
const ALLOW_FIELDS = {
  ...GRANT_FIELDS,
  ...AUTONOMY_FIELDS,
  access: singleField(z.enum(['write', 'read'], 'Choose one.')),
};

/**
 * Asks a person to allow or deny an assistant's request. It never skips the question, and preselects no organization if
 * there are several.
 */
export const consentPage = ({ oauth, onAssistantEvent }: Pick<WebContext, 'oauth' | 'onAssistantEvent'>): Route[] => {
  const path = `${OAUTH_PATHS.interaction}/:uid`;
  return [
    get(path, async (request) => {
      const consent = await oauth.consent();
      const details = await consent.details(request.ctx, request.person.account.id);
      return page(details, formFromQuery(request, Object.keys(ALLOW_FIELDS)));
    }),
    post(path, async (request) => {
      const { ctx, person, formValues, clientInfo } = request;
      const consent = await oauth.consent();
      const account_id = person.account.id;
      const details = await consent.details(ctx, account_id);
      const answer = checkForm(ANSWER_FIELDS, formValues);
      if (answer.value === null) return page(details, answer.form);
      const event = { account_id, clientInfo, assistant: nameOf(details) };
      if (answer.value.answer === 'deny') {
        const { to, isFirstAnswer } = await consent.deny(ctx);
        if (isFirstAnswer) onAssistantEvent({ type: 'ASSISTANT_DENIED', ...event });
        return redirect(to);
      }
      const place = `${OAUTH_PATHS.interaction}/${details.uid}`;
      requireReauthenticationFor('createTokens', request, place, Object.keys(ALLOW_FIELDS));
      const { result, form } = await submitForm(formValues, ALLOW_FIELDS, async ({ access, ...allowed }) => {
        const { to, isFirstAnswer } = await consent.allow(ctx, actorOf(request), {
          ...allowed,
          read_only: access === 'read',
        });
        const { organizations, role } = allowed;
        // A second answer was not checked, so it must not write entries to organizations that it names.
        if (isFirstAnswer) onAssistantEvent({ type: 'ASSISTANT_ALLOWED', ...event, organizations, role, access });
        return to;
      });
      return form === null ? redirect(result) : page(details, form);
    }),
  ];
};

function page(details: ConsentDetails, form: FormState): WebPage {
  const { client, redirect, uid } = details;
  return {
    title: `Connect ${nameOf(details)}?`,
    plain: true,
    form,
    // The form's answer redirects to the assistant.
    formTargets: [formTargetOf(redirect.uri)],
    body: (
      <>
        <p>
          An assistant asks to act in veritrail in your name. You can disconnect it at any time under Your account →
          Connected assistants.
        </p>
        <Facts facts={factsOf(details)} />
        <p class="notice warning">{warningOf(client, redirect)}</p>
        <Form action={`${OAUTH_PATHS.interaction}/${uid}`} class="card">
          <FormError form={form} />
          {details.organizations.length === 0 ? (
            <p>You are not a member of any organization yet, so there is nothing you could allow.</p>
          ) : (
            <Choices details={details} form={form} />
          )}
          <div class="row">
            {details.organizations.length > 0 && (
              <button type="submit" name="answer" value="allow">
                Allow
              </button>
            )}
            <button type="submit" name="answer" value="deny" class="quiet" formNoValidate>
              Deny
            </button>
          </div>
        </Form>
      </>
    ),
  };
}

function Choices({ details, form }: { details: ConsentDetails; form: FormState }) {
  const { organizations, asksToWrite, role, days } = details;
  const read = { value: 'read', label: 'Read only', hint: 'It can’t change anything, whatever its role.' };
  const write = {
    value: 'write',
    label: 'Read and change',
    hint: 'Every change is recorded with your name and the assistant’s.',
  };
  return (
    <>
      <OrganizationsField form={form} label="Organizations" organizations={organizations} />
      <ChoiceField
        form={form}
        name="access"
        type="radio"
        label="Access"
        choices={asksToWrite ? [write, read] : [read]}
        chosen={[asksToWrite ? 'write' : 'read']}
      />
      <RoleField form={form} label="Role" organizations={organizations} value={role} />
      {asksToWrite && <AutonomyField form={form} />}
      <DaysField form={form} label="Expires in (days)" hint="After that it has to ask you again." value={days} />
    </>
  );
}

function factsOf({ client, redirect, asksToWrite }: ConsentDetails): [string, ComponentChildren][] {
  return [
    ['Assistant', client.name === null ? 'no name given' : `“${client.name}”`],
    ...(client.publishedBy === null ? [] : [['Published by', client.publishedBy] as [string, string]]),
    ...(client.uri === null ? [] : [['Claims to be from', new URL(client.uri).host] as [string, string]]),
    ['Requested access', asksToWrite ? 'read and change the register' : 'read the register'],
    ['Your answer is sent to', <strong key="host">{describeRedirect(redirect)}</strong>],
  ];
}

const nameOf = ({ client, redirect }: ConsentDetails) =>
  client.name ?? client.publishedBy ?? describeRedirect(redirect);

function warningOf({ publishedBy }: ConsentDetails['client'], redirect: ConsentDetails['redirect']): string {
  const publisher = publishedBy === null ? 'Nobody has verified its name.' : `${publishedBy} vouches for its name.`;
  return `${publisher} Allow it only if you started this yourself and your assistant is at ${describeRedirect(redirect)}.`;
}

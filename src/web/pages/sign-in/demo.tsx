import { z } from 'zod';
import type { Account } from '../../../identity/accounts/account.ts';
import type { Membership } from '../../../identity/memberships/members.ts';
import { DEMO_PATH } from '../../components/demo-line.tsx';
import { FormError } from '../../components/fields.tsx';
import { Form } from '../../components/form.tsx';
import type { WebContext } from '../../server/context.ts';
import { BLANK_FORM, type FormState, singleField } from '../../server/form-state.ts';
import { publicGet, publicPost, type Route } from '../../server/page-request.ts';
import { safeNext } from '../../server/safe-next.ts';
import { finishSignInStep } from '../../server/sign-in-redirects.ts';
import { submitForm } from '../../server/submit-form.ts';
import type { WebPage } from '../../server/web-page.ts';
import { roleName } from '../../texts/role-labels.ts';

type Collaborators = Pick<WebContext, 'people' | 'members'>;

/** A person of the demo with their organization. */
interface Character {
  account: Account;
  interest: string;
  membership: Membership;
}

const ACCOUNT_FIELDS = { account: singleField(z.string().min(1, 'Choose a person.')) };

/** The people of the demo, each with a button that signs in as them. */
export const demoPage = (context: Collaborators): Route[] => {
  const { demo, signIn } = context.people;
  return [
    publicGet(DEMO_PATH, async (request) => {
      const secret = request.query.get('key') ?? '';
      demo.requireGuest(secret, request.person?.account.id ?? null);
      return page(await readCharacters(context), secret, BLANK_FORM);
    }),
    publicPost(DEMO_PATH, async (request) => {
      const secret = request.formValues.get('key')?.[0] ?? '';
      demo.requireGuest(secret, request.person?.account.id ?? null);
      const { result, form } = await submitForm(request.formValues, ACCOUNT_FIELDS, ({ account }) =>
        demo.signIn(account, request.clientInfo),
      );
      if (form !== null) return page(await readCharacters(context), secret, form);
      await signIn.signOut(request.sessionSecret ?? undefined, request.clientInfo);
      return finishSignInStep(request, result, safeNext(request.query.get('next'), '/'));
    }),
  ];
};

/** Reads the people with the organization where they work. A person who has left it is not shown. */
async function readCharacters({ people, members }: Collaborators): Promise<Character[]> {
  const characters = await Promise.all(
    (await people.demo.people()).map(async ({ account, interest }) => {
      const [membership] = await members.organizationsOf(account.id);
      return membership === undefined ? [] : [{ account, interest, membership }];
    }),
  );
  return characters.flat();
}

function page(characters: readonly Character[], secret: string, form: FormState): WebPage {
  return {
    title: `Look around ${characters[0]?.membership.name ?? 'the demo'}`,
    plain: true,
    form,
    body: (
      <>
        <p class="lead">
          A made-up laboratory with two years of history. Choose the person whose work you want to see. You can change
          to another at any time.
        </p>
        <FormError form={form} />
        {characters.map((character) => (
          <CharacterCard key={character.account.id} character={character} secret={secret} />
        ))}
      </>
    ),
  };
}

function CharacterCard({ character, secret }: { character: Character; secret: string }) {
  const { account, interest, membership } = character;
  const name = account.name ?? '';
  return (
    <section class="card">
      <h2>
        {name} <small>{roleName(membership.role)}</small>
      </h2>
      <p>{interest}</p>
      <Form action={DEMO_PATH}>
        <input type="hidden" name="key" value={secret} />
        <input type="hidden" name="account" value={account.id} />
        <button type="submit">Look around as {name.split(' ')[0]}</button>
      </Form>
    </section>
  );
}

/**
 * The pages by role and organization: every page of today and of the past, and every form. A new route fails here until
 * somebody has decided who may use it.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { randomId } from '../../../src/commands/engine/ids.ts';
import { ROLES, type Role } from '../../../src/commands/organization/caller.ts';
import { FAMILY_DESCRIPTIONS } from '../../../src/register/families.ts';
import { REPORT_TYPES } from '../../../src/reports/all-reports.ts';
import { TOKEN_FIELD } from '../../../src/web/server/csrf.ts';
import { allRoutes } from '../../../src/web/server/pages.ts';
import {
  fillTwoRegisters,
  type Ids,
  OUR_PAST,
  OUR_SECRET,
  READERS,
  type Reader,
  THEIR_SECRET,
  type TwoRegisters,
} from '../../support/web/two-registers.ts';
import { formsIn, type PageAnswer, startWeb, type WebTest } from '../../support/web/web.ts';

const ALL = ROLES;
const FROM_AUDITOR: readonly Role[] = ['AUDITOR', 'EDITOR', 'ADMIN', 'OWNER'];
const FROM_ADMIN: readonly Role[] = ['ADMIN', 'OWNER'];
const OWNER: readonly Role[] = ['OWNER'];

/** The parameters of a page's address that name something, with the prefix of the ids that they take. */
type NamingParameters = Readonly<Record<string, string>>;

interface PageRule {
  /** The roles that may see the page of today. */
  today: readonly Role[];
  /** The roles that may see it at a past moment. Null for pages that show no moment and ignore `as_of`. */
  past: readonly Role[] | null;
  names?: NamingParameters;
}

const AS_OF = { as_of: 'aud' };

/** The prefix of each family's ids, by the family's pages. */
const FAMILIES: Readonly<Record<string, string>> = Object.fromEntries(
  FAMILY_DESCRIPTIONS.map(({ plural, prefix }) => [plural, prefix]),
);
const LIST_NAMES = { ...AS_OF, owner_id: 'acc', linked_to: 'rsk', framework_id: 'frm', audit_id: 'aud' };
const FAMILY_PAGES = Object.keys(FAMILIES).flatMap((plural): [path: string, PageRule][] => [
  [`/${plural}`, { today: ALL, past: FROM_AUDITOR, names: { ...LIST_NAMES, ids: FAMILIES[plural]! } }],
  [`/${plural}/:record`, { today: ALL, past: FROM_AUDITOR, names: AS_OF }],
  [`/${plural}/:record/revisions`, { today: FROM_AUDITOR, past: FROM_AUDITOR, names: { from: 'aud', to: 'aud' } }],
]);

/** The pages of an organization, by their paths below it. */
const ORGANIZATION_PAGES: Readonly<Record<string, PageRule>> = {
  '': { today: ALL, past: FROM_AUDITOR, names: AS_OF },
  '/getting-started': { today: ALL, past: FROM_AUDITOR },
  '/search': { today: ALL, past: FROM_AUDITOR, names: { ...AS_OF, q: 'rsk' } },
  '/needs-you': { today: ALL, past: FROM_AUDITOR, names: { ...AS_OF, owner: 'acc' } },
  ...Object.fromEntries(FAMILY_PAGES),
  '/audits/:record/pack': { today: FROM_AUDITOR, past: FROM_AUDITOR },
  '/changes': {
    today: FROM_AUDITOR,
    past: FROM_AUDITOR,
    names: { ...AS_OF, record_id: 'rsk', actor_id: 'acc' },
  },
  '/changes/:position': { today: FROM_AUDITOR, past: FROM_AUDITOR },
  '/changes/:position/proof': { today: FROM_AUDITOR, past: FROM_AUDITOR },
  '/verify': { today: FROM_AUDITOR, past: FROM_AUDITOR },
  '/compare': { today: FROM_AUDITOR, past: FROM_AUDITOR, names: { from: 'aud', until: 'aud', owner_id: 'acc' } },
  '/reports': { today: FROM_AUDITOR, past: FROM_AUDITOR },
  '/reports/:type': {
    today: FROM_AUDITOR,
    past: FROM_AUDITOR,
    names: { as_of: 'aud', audit_id: 'aud', framework_id: 'frm', owner_id: 'acc', format: 'aud' },
  },
  '/files': { today: ALL, past: FROM_AUDITOR },
  '/settings': { today: ALL, past: null },
  '/members': { today: ALL, past: null },
  '/members/:account': { today: OWNER, past: null },
  '/tokens': { today: FROM_ADMIN, past: null },
  '/tokens/:token': { today: FROM_ADMIN, past: null },
  '/access': { today: ['AUDITOR', 'ADMIN', 'OWNER'], past: null, names: { cursor: 'aud' } },
};

const READ_PAST = { today: FROM_AUDITOR, past: FROM_AUDITOR };

/** The downloads of an organization, by their paths below `/api/v1/organizations/:id`. */
const ORGANIZATION_FILES: Readonly<Record<string, PageRule>> = {
  ...Object.fromEntries(
    Object.keys(FAMILIES).map((plural) => [
      `/records/${plural}`,
      { today: ALL, past: FROM_AUDITOR, names: LIST_NAMES },
    ]),
  ),
  '/changes': { ...READ_PAST, names: { ...AS_OF, record_id: 'rsk', actor_id: 'acc' } },
  '/reports/posture': { ...READ_PAST, names: { ...AS_OF, owner_id: 'acc' } },
  '/reports/risk-register': { ...READ_PAST, names: AS_OF },
  '/reports/vendors': { ...READ_PAST, names: AS_OF },
  '/reports/obligations': { ...READ_PAST, names: AS_OF },
  '/reports/nonconformities': { ...READ_PAST, names: AS_OF },
  '/reports/statement-of-applicability?framework_id=:framework': { ...READ_PAST, names: AS_OF },
  '/reports/audit-pack?audit_id=:audit': { today: FROM_AUDITOR, past: null },
  '/reports/due-items': { ...READ_PAST, names: { ...AS_OF, owner_id: 'acc' } },
  '/reports/changes-between?from=1': { today: FROM_AUDITOR, past: null, names: { until: 'aud' } },
  '/reports/evidence': { today: ALL, past: FROM_AUDITOR, names: { ...AS_OF, owner_id: 'acc', linked_to: 'rsk' } },
};

/** The forms of an organization, and the roles that may send them. */
const ORGANIZATION_FORMS: Readonly<Record<string, readonly Role[]>> = {
  '/name': FROM_ADMIN,
  '/second-factor': OWNER,
  '/second-factor/optional': OWNER,
  '/members/invite': OWNER,
  '/members/withdraw': OWNER,
  '/members/domains': OWNER,
  '/members/domains/withdraw': OWNER,
  '/members/:account/role': OWNER,
  '/members/:account/access': OWNER,
  '/members/:account/link': OWNER,
  '/members/:account/sessions/end': OWNER,
  '/members/:account/remove': OWNER,
  '/tokens/:token/take-out': FROM_ADMIN,
};

/** Pages outside an organization. They show what belongs to the person, whatever the role. */
const PERSONAL_PAGES = [
  '/',
  '/sign-in',
  '/sign-in/second-factor',
  '/sign-in/openid/callback',
  '/welcome',
  '/demo',
  '/organizations',
  '/connect',
  '/settings/tokens',
  '/settings/assistants',
  '/oauth/interaction/:uid',
  '/oauth/authorize',
  '/oauth/authorize/:uid',
  '/settings/security',
  '/settings/security/confirm',
  '/settings/security/credentials',
  '/settings/security/app',
  '/settings/security/passkeys',
  '/settings/account',
];

const UNDER_ORGANIZATION = '/organizations/:id';

/** Every address of an organization that answers a GET. */
const READABLE: readonly (readonly [path: string, PageRule])[] = [
  ...Object.entries(ORGANIZATION_PAGES).map(([page, rule]) => [UNDER_ORGANIZATION + page, rule] as const),
  ...Object.entries(ORGANIZATION_FILES).map(([file, rule]) => [`/api/v1${UNDER_ORGANIZATION}${file}`, rule] as const),
];

const test = suite<{ web: WebTest; registers: TwoRegisters }>('pages by role and organization');

test.before(async (context) => {
  context.web = await startWeb(undefined, { openId: true });
  context.registers = await fillTwoRegisters(context.web);
});
test.after(({ web }) => web.stop());

/** Returns an address with ids in the place of its parameters. */
function addressOf(path: string, ids: Ids, query: Readonly<Record<string, string>> = {}): string {
  const plural = path.split('/')[3] ?? '';
  const values: Readonly<Record<string, string | undefined>> = {
    id: ids.get('org'),
    record: ids.get(FAMILIES[plural] ?? ''),
    account: ids.get('acc'),
    token: ids.get('tok'),
    framework: ids.get('frm'),
    audit: ids.get('aud'),
    position: '20',
    type: 'risk-register',
  };
  const address = path.replace(/:(\w+)/g, (_, name: string) => values[name]!);
  const parameters = new URLSearchParams(query).toString();
  return parameters === '' ? address : `${address}${address.includes('?') ? '&' : '?'}${parameters}`;
}

/** Asserts that an answer has nothing that this reader must not see. */
function assertNothingLeaks(reader: Reader, { text }: PageAnswer, where: string): void {
  const isStranger = reader === 'NONE' || reader === 'ENDED';
  assert.not.match(text, isStranger ? OUR_SECRET : THEIR_SECRET, where);
  if (isStranger || reader === 'VIEWER') assert.not.match(text, OUR_PAST, where);
}

/** Returns the ids of records that don't exist, by prefix. */
const unknownIds = (ids: Ids): Ids =>
  new Map([...ids.keys()].map((prefix) => [prefix, prefix === 'ctl' ? `${randomId(prefix)}000` : randomId(prefix)]));

/** Removes what the address itself brought into the page, and the form token. */
function withoutEcho({ text, status }: PageAnswer, ids: Ids): string {
  const masked = [...ids.values()].reduce((page, id) => page.replaceAll(id, '§'), text);
  return `${status} ${masked.replaceAll(/name="form_token" value="[^"]*"/g, '')}`;
}

test('every page, form and report is in a table', ({ web }) => {
  const routes = allRoutes(web);
  const paths = (method: string) => routes.filter((route) => route.method === method).map(({ path }) => path);
  const below = (page: string) => UNDER_ORGANIZATION + page;
  assert.equal(paths('GET').sort(), [...Object.keys(ORGANIZATION_PAGES).map(below), ...PERSONAL_PAGES].sort());
  const forms = paths('POST').filter((path) => path.startsWith(UNDER_ORGANIZATION));
  assert.equal(forms.sort(), Object.keys(ORGANIZATION_FORMS).map(below).sort());
  const reports = Object.keys(ORGANIZATION_FILES).flatMap((file) => /^\/reports\/([^?]+)/.exec(file)?.[1] ?? []);
  assert.equal(reports.sort(), REPORT_TYPES.map((type) => type.toLowerCase().replaceAll('_', '-')).sort());
});

test('shows each page, of today and of the past, to its roles only', async ({ registers }) => {
  const { browsers, ours, pastPosition } = registers;
  let pagesOfThePast = 0;
  for (const [path, { today, past }] of READABLE) {
    const addressOfPast = addressOf(path, ours, { as_of: String(pastPosition) });
    for (const [address, roles] of [
      [addressOf(path, ours), today],
      [addressOfPast, past ?? today],
    ] as const) {
      for (const reader of READERS) {
        const where = `${address} for ${reader}`;
        const answer = await browsers[reader].get(address);
        const isAllowed = (roles as readonly Reader[]).includes(reader);
        if (isAllowed) assert.is(answer.status, 200, where);
        else assert.ok(answer.status === 404 || (answer.status === 403 && reader !== 'ENDED'), where);
        assertNothingLeaks(reader, answer, where);
        if (answer.text.includes(OUR_PAST)) pagesOfThePast += 1;
      }
    }
  }
  assert.ok(pagesOfThePast > 10, 'others than a viewer do see the past');
});

test('shows nothing of an organization on the pages of a person who is no member', async ({ registers }) => {
  for (const page of PERSONAL_PAGES) {
    for (const reader of READERS) {
      const answer = await registers.browsers[reader].get(page.replace(':uid', 'none'));
      assertNothingLeaks(reader, answer, `${page} for ${reader}`);
    }
  }
});

test('gives a viewer no way into the past', async ({ registers }) => {
  const { browsers, ours } = registers;
  const moments = ['2026-03-01', '2026-03-01T10:00', '1', ours.get('aud')!];
  for (const [path, { past }] of READABLE.filter(([, { today }]) => today.includes('VIEWER'))) {
    const { text } = await browsers.VIEWER.get(addressOf(path, ours));
    for (const [, href] of text.matchAll(/href="([^"]+)"/g)) {
      assert.not.match(href!, /as_of=|\/(changes|compare|revisions|pack|proof|verify)\b/, `${path}: ${href}`);
    }
    assert.not.match(text, /name="as_of"|Sealed|changes since|\d changes|data-proof|class="spark/, path);
    for (const as_of of past === null ? [] : moments) {
      const { status } = await browsers.VIEWER.get(addressOf(path, ours, { as_of }));
      assert.is(status, 403, `${path} as of ${as_of}`);
    }
  }
});

test('answers for another organization’s ids as for unknown ones', async ({ registers }) => {
  const { browsers, ours, theirs } = registers;
  const unknown = unknownIds(theirs);
  const assertSame = async (reader: Reader, addressWith: (ids: Ids) => string) => {
    const address = addressWith(theirs);
    const foreign = await browsers[reader].get(address);
    const answer = await browsers[reader].get(addressWith(unknown));
    assert.ok(withoutEcho(foreign, theirs) === withoutEcho(answer, unknown), `${address} for ${reader}`);
    assertNothingLeaks(reader, foreign, address);
  };
  for (const [path, { names = {} }] of READABLE) {
    await assertSame('OWNER', (ids) => addressOf(path, ids));
    if (/:(record|account|token|framework|audit)\b/.test(path)) {
      const inOurPath = (ids: Ids) => addressOf(path, new Map([...ids, ['org', ours.get('org')!]]));
      for (const reader of ['VIEWER', 'OWNER'] as const) await assertSame(reader, inOurPath);
    }
    for (const [name, prefix] of Object.entries(names)) {
      await assertSame('OWNER', (ids) => addressOf(path, ours, { [name]: ids.get(prefix)! }));
    }
  }
});

test('a search finds nothing of another organization, and nothing of the past for a viewer', async ({ registers }) => {
  const { browsers, ours, theirs, pastPosition } = registers;
  const [theirWord, pastWord, nobodysWord] = [THEIR_SECRET, OUR_PAST, 'Quixotic'].map((word) => word.toLowerCase());
  const searches: [path: string, parameter: string][] = [
    [`${UNDER_ORGANIZATION}/search`, 'q'],
    ...Object.keys(FAMILIES).map((plural): [string, string] => [`${UNDER_ORGANIZATION}/${plural}`, 'query']),
  ];
  for (const [path, parameter] of searches) {
    const search = async (reader: Role, word: string) => {
      const answer = await browsers[reader].get(addressOf(path, ours, { [parameter]: word }));
      assertNothingLeaks(reader, answer, `${path} for ${reader}`);
      return withoutEcho(answer, new Map([['word', word]]));
    };
    assert.ok((await search('OWNER', theirWord!)) === (await search('OWNER', nobodysWord!)), path);
    assert.ok((await search('VIEWER', pastWord!)) === (await search('VIEWER', nobodysWord!)), path);
  }
  const found = async (reader: Reader, ids: Ids, query: Record<string, string>) =>
    (await browsers[reader].get(addressOf(`${UNDER_ORGANIZATION}/search`, ids, query))).text;
  assert.match(await found('NONE', theirs, { q: theirWord! }), THEIR_SECRET);
  assert.match(await found('AUDITOR', ours, { q: pastWord!, as_of: String(pastPosition) }), OUR_PAST);
});

test('takes each form from its roles only', async ({ registers }) => {
  const { browsers, ours } = registers;
  const ids = new Map([...unknownIds(ours), ['org', ours.get('org')!]]);
  for (const [form, roles] of Object.entries(ORGANIZATION_FORMS)) {
    for (const reader of READERS) {
      const browser = browsers[reader];
      const token = formsIn((await browser.get('/settings/tokens')).text)[0]!.fields.get(TOKEN_FIELD)!;
      const answer = await browser.post(addressOf(UNDER_ORGANIZATION + form, ids), { [TOKEN_FIELD]: token });
      const where = `${form} from ${reader}: ${answer.status}`;
      if ((ROLES as readonly Reader[]).includes(reader)) {
        assert.is(answer.status === 403, !(roles as readonly Reader[]).includes(reader), where);
      } else assert.is(answer.status, 404, where);
      assertNothingLeaks(reader, answer, where);
    }
  }
});

test.run();

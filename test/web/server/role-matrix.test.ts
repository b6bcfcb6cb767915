/**
 * The pages by role and organization: every page of today and of the past, and every form. A new route fails here until
 * somebody has decided who may use it.
 */
import { randomUUID } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { randomId } from '../../../src/commands/engine/ids.ts';
import { ROLES, type Role } from '../../../src/commands/organization/caller.ts';
import { PERMISSIONS } from '../../../src/commands/organization/permissions.ts';
import { FAMILY_DESCRIPTIONS } from '../../../src/register/families.ts';
import { REPORT_TYPES } from '../../../src/reports/all-reports.ts';
import { ADD_FORMS } from '../../../src/web/register/forms/add-forms.ts';
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
const FROM_EDITOR: readonly Role[] = ['EDITOR', 'ADMIN', 'OWNER'];
const FROM_ADMIN: readonly Role[] = ['ADMIN', 'OWNER'];
const OWNER: readonly Role[] = ['OWNER'];

/** The parameters of a page's address that name something, with the prefix of the ids that they take. */
type NamingParameters = Readonly<Record<string, string>>;

interface PageRule {
  /** The roles that may see the page, at any moment. */
  roles: readonly Role[];
  names?: NamingParameters;
}

const AS_OF = { as_of: 'aud' };

/** The prefix of each family's ids, by the family's pages. */
const FAMILIES: Readonly<Record<string, string>> = Object.fromEntries(
  FAMILY_DESCRIPTIONS.map(({ plural, prefix }) => [plural, prefix]),
);
const LIST_NAMES = { ...AS_OF, owner_id: 'acc', linked_to: 'rsk', framework_id: 'frm', audit_id: 'aud' };
const FAMILY_PAGES = Object.keys(FAMILIES).flatMap((plural): [path: string, PageRule][] => [
  [`/${plural}`, { roles: ALL, names: { ...LIST_NAMES, ids: FAMILIES[plural]! } }],
  [`/${plural}/:record`, { roles: ALL, names: AS_OF }],
  [`/${plural}/:record/revisions`, { roles: ALL, names: { from: 'aud', to: 'aud' } }],
]);

/** The forms that add and change records. Each has its page at the same address. The act is one that all families have. */
const RECORD_FORMS: readonly (readonly [path: string, roles: readonly Role[]])[] = [
  ...ADD_FORMS.map(({ family, permission }) => [`/${family.plural}/add`, PERMISSIONS[permission].roles] as const),
  ...FAMILY_DESCRIPTIONS.map(({ plural }) => [`/${plural}/:record/:act`, FROM_ADMIN] as const),
  ...FAMILY_DESCRIPTIONS.map(({ plural }) => [`/${plural}/many`, FROM_EDITOR] as const),
];

/** The pages of an organization, by their paths below it. */
const ORGANIZATION_PAGES: Readonly<Record<string, PageRule>> = {
  '': { roles: ALL, names: AS_OF },
  '/getting-started': { roles: ALL },
  '/search': { roles: ALL, names: { ...AS_OF, q: 'rsk' } },
  '/needs-you': { roles: ALL, names: { ...AS_OF, owner: 'acc' } },
  '/proposals': { roles: ALL },
  '/proposals/several': { roles: FROM_EDITOR, names: { id: 'prp' } },
  '/proposals/:proposal': { roles: ALL },
  '/proposals/:proposal/change': { roles: FROM_EDITOR },
  ...Object.fromEntries(FAMILY_PAGES),
  ...Object.fromEntries(RECORD_FORMS.map(([path, roles]) => [path, { roles }])),
  ...Object.fromEntries(
    Object.entries(FAMILIES).map(([plural, prefix]) => [
      `/${plural}/many`,
      { roles: FROM_EDITOR, names: { ...LIST_NAMES, ids: prefix } },
    ]),
  ),
  '/hand-over': { roles: FROM_EDITOR, names: { ids: 'rsk' } },
  '/audits/:record/pack': { roles: FROM_AUDITOR },
  '/changes': { roles: ALL, names: { ...AS_OF, record_id: 'rsk', actor_id: 'acc' } },
  '/changes/:position': { roles: ALL },
  '/changes/:position/proof': { roles: ALL },
  '/undo/:call': { roles: FROM_EDITOR },
  '/verify': { roles: ALL },
  '/compare': { roles: ALL, names: { from: 'aud', until: 'aud', owner_id: 'acc' } },
  '/reports': { roles: ALL },
  '/reports/:type': {
    roles: ALL,
    names: { as_of: 'aud', audit_id: 'aud', framework_id: 'frm', owner_id: 'acc', format: 'aud' },
  },
  '/files': { roles: ALL },
  '/settings': { roles: ALL },
  '/members': { roles: ALL },
  '/members/:account': { roles: OWNER },
  '/members/:account/hand-over': { roles: FROM_EDITOR },
  '/tokens': { roles: FROM_ADMIN },
  '/tokens/:token': { roles: FROM_ADMIN },
  '/access': { roles: ['AUDITOR', 'ADMIN', 'OWNER'], names: { cursor: 'aud' } },
};

/** The downloads of an organization, by their paths below `/api/v1/organizations/:id`. */
const ORGANIZATION_FILES: Readonly<Record<string, PageRule>> = {
  ...Object.fromEntries(
    Object.keys(FAMILIES).map((plural) => [`/records/${plural}`, { roles: ALL, names: LIST_NAMES }]),
  ),
  '/changes': { roles: ALL, names: { ...AS_OF, record_id: 'rsk', actor_id: 'acc' } },
  '/reports/posture': { roles: ALL, names: { ...AS_OF, owner_id: 'acc' } },
  '/reports/risk-register': { roles: ALL, names: AS_OF },
  '/reports/vendors': { roles: ALL, names: AS_OF },
  '/reports/obligations': { roles: ALL, names: AS_OF },
  '/reports/nonconformities': { roles: ALL, names: AS_OF },
  '/reports/statement-of-applicability?framework_id=:framework': { roles: ALL, names: AS_OF },
  '/reports/audit-pack?audit_id=:audit': { roles: FROM_AUDITOR },
  '/reports/due-items': { roles: ALL, names: { ...AS_OF, owner_id: 'acc' } },
  '/reports/unapproved-decisions': { roles: ALL, names: AS_OF },
  '/reports/changes-between?from=1': { roles: ALL, names: { until: 'aud' } },
  '/reports/evidence': { roles: ALL, names: { ...AS_OF, owner_id: 'acc', linked_to: 'rsk' } },
};

/** The forms of an organization, and the roles that may send them. */
const ORGANIZATION_FORMS: Readonly<Record<string, readonly Role[]>> = {
  // The record is looked up before the act, and these records don't exist.
  ...Object.fromEntries(RECORD_FORMS.map(([path, roles]) => [path, path.endsWith('/:act') ? FROM_EDITOR : roles])),
  '/undo/:call': FROM_EDITOR,
  // A proposal is looked up before the permission of its call, and these don't exist.
  '/proposals/several/approve': FROM_EDITOR,
  '/proposals/several/decline': FROM_EDITOR,
  '/proposals/:proposal/approve': ALL,
  '/proposals/:proposal/change': FROM_EDITOR,
  '/proposals/:proposal/decline': ALL,
  '/proposals/:proposal/withdraw': ALL,
  '/hand-over': FROM_EDITOR,
  '/name': FROM_ADMIN,
  '/approvals': OWNER,
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
  '/members/:account/hand-over': FROM_EDITOR,
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
    call: ids.get('call'),
    proposal: ids.get('prp'),
    position: '20',
    type: 'risk-register',
    act: 'archive',
  };
  const address = path.replace(/:(\w+)/g, (_, name: string) => values[name]!);
  const parameters = new URLSearchParams(query).toString();
  return parameters === '' ? address : `${address}${address.includes('?') ? '&' : '?'}${parameters}`;
}

/** Asserts that an answer has nothing that this reader must not see. */
function assertNothingLeaks(reader: Reader, { text }: PageAnswer, where: string): void {
  const isStranger = reader === 'NONE' || reader === 'ENDED';
  assert.not.match(text, isStranger ? OUR_SECRET : THEIR_SECRET, where);
  if (isStranger) assert.not.match(text, OUR_PAST, where);
}

/** Returns the ids of records that don't exist, by prefix. */
const unknownIds = (ids: Ids): Ids => new Map([...ids.keys()].map((prefix) => [prefix, unknownId(prefix)]));

function unknownId(prefix: string): string {
  if (prefix === 'call') return randomUUID();
  return prefix === 'ctl' ? `${randomId(prefix)}000` : randomId(prefix);
}

/** Removes what the address itself brought into the page, and the form token. */
function withoutEcho({ text, status }: PageAnswer, ids: Ids): string {
  const masked = [...ids.values()].reduce((page, id) => page.replaceAll(id, '§'), text);
  return `${status} ${masked.replaceAll(/name="(?:form_token|idempotency_key)" value="[^"]*"/g, '')}`;
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
  for (const [path, { roles }] of READABLE) {
    for (const address of [addressOf(path, ours), addressOf(path, ours, { as_of: String(pastPosition) })]) {
      for (const reader of READERS) {
        const where = `${address} for ${reader}`;
        const answer = await browsers[reader].get(address);
        const isAllowed = (roles as readonly Reader[]).includes(reader);
        if (isAllowed) assert.is(answer.status, 200, where);
        else assert.ok(answer.status === 404 || (answer.status === 403 && reader !== 'ENDED'), where);
        assertNothingLeaks(reader, answer, where);
        if (reader === 'VIEWER' && answer.text.includes(OUR_PAST)) pagesOfThePast += 1;
      }
    }
  }
  assert.ok(pagesOfThePast > 10, 'a viewer sees what was corrected since');
});

test('shows nothing of an organization on the pages of a person who is no member', async ({ registers }) => {
  for (const page of PERSONAL_PAGES) {
    for (const reader of READERS) {
      const answer = await registers.browsers[reader].get(page.replace(':uid', 'none'));
      assertNothingLeaks(reader, answer, `${page} for ${reader}`);
    }
  }
});

test('no page links to one that its reader may not see', async ({ registers }) => {
  const { browsers, ours, pastPosition } = registers;
  // The roles with the fewest permissions that read, and that write.
  for (const reader of ['VIEWER', 'EDITOR'] as const) {
    const links = new Map<string, string>();
    for (const [path, { roles }] of READABLE.filter(([path]) => path.startsWith(UNDER_ORGANIZATION))) {
      if (!roles.includes(reader)) continue;
      for (const address of [addressOf(path, ours), addressOf(path, ours, { as_of: String(pastPosition) })]) {
        const { text } = await browsers[reader].get(address);
        for (const [, href = ''] of text.matchAll(/ (?:href|action)="(\/[^"#]+)"/g)) links.set(href, address);
      }
    }
    // Two links with the same path differ in their filters or moment, which no role is refused for.
    const byPath = new Map([...links].map((link) => [new URL(link[0], 'http://page').pathname, link]));
    assert.ok(byPath.size > 30, `${byPath.size} pages for ${reader}`);
    for (const [href, address] of byPath.values()) {
      const { status } = await browsers[reader].get(href.replaceAll('&amp;', '&'));
      assert.is.not(status, 403, `${address} leads ${reader} to ${href}`);
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
    if (/:(record|account|token|framework|audit|call)\b/.test(path)) {
      const inOurPath = (ids: Ids) => addressOf(path, new Map([...ids, ['org', ours.get('org')!]]));
      for (const reader of ['VIEWER', 'OWNER'] as const) await assertSame(reader, inOurPath);
    }
    for (const [name, prefix] of Object.entries(names)) {
      await assertSame('OWNER', (ids) => addressOf(path, ours, { [name]: ids.get(prefix)! }));
    }
  }
});

test('a search finds nothing of another organization, and the past only at its moment', async ({ registers }) => {
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
  assert.match(await found('VIEWER', ours, { q: pastWord!, as_of: String(pastPosition) }), OUR_PAST);
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

import { EventEmitter } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { bundleForBrowser } from '../bin/browser-bundle.js';
import { ServiceClock } from '../src/clock/service-clock.ts';
import { AccessEvents } from '../src/identity/access-log/access-events.ts';
import { AccessLogReader } from '../src/identity/access-log/access-log-reader.ts';
import { AccountNames } from '../src/identity/accounts/account-names.ts';
import { openIdentity } from '../src/identity/identity.ts';
import { listRecords } from '../src/queries/lists/list-records.ts';
import { readMemberNames } from '../src/queries/records/member-names.ts';
import { readRecordDetails } from '../src/queries/records/record-details.ts';
import { VENDOR } from '../src/register/vendor.ts';
import { renderPage } from '../src/web/components/layout.tsx';
import { changeRecordPages } from '../src/web/pages/register/change-record.tsx';
import { comparePage } from '../src/web/pages/register/compare.tsx';
import { homePage } from '../src/web/pages/register/home.tsx';
import { recordPages } from '../src/web/pages/register/record.tsx';
import { recordListPages } from '../src/web/pages/register/record-list.tsx';
import { readRailCounts } from '../src/web/register/rail-counts.ts';
import { REGISTER_LISTS } from '../src/web/register/register-lists.ts';
import { NO_FORM_VALUES } from '../src/web/server/form-state.ts';
import type { PageRequest, Route } from '../src/web/server/page-request.ts';
import type { WebPage } from '../src/web/server/web-page.ts';
import type { BenchRegister } from './bench-register.ts';
import { atMost, compareCpuTimes, type Figure, figure } from './measure.ts';

const ROUNDS = 60;
const ROWS_PER_PAGE = 50;
/** Events of the busy record. Its page shows the newest ones. */
const RECORD_EVENTS = 500;

/** The budgets of pages. */
const MAX_CPU_MS = { registerPage: 10, recordPage: 20, form: 5, home: 10 };
const MAX_KB = { html: 60, script: 40, verifyScript: 60 };

/** Measures pages: the processor time that they take, and what a browser loads, compressed with gzip. */
export async function pageFigures(benchRegister: BenchRegister, vendors: number): Promise<Figure[]> {
  const { organizationId, register, caller } = benchRegister;
  const pages = openPages(benchRegister);
  const base = `/organizations/${organizationId}`;
  const busyRecord = `${base}/vendors/${await addBusyRecord(benchRegister)}`;
  const size = vendors.toLocaleString('en');
  const { query, tool } = REGISTER_LISTS.get('vendors')!;
  const listInput = { organization_id: organizationId, size: ROWS_PER_PAGE, view: 'SUMMARY' } as const;
  const list = () => listRecords(register.reader, query, tool, caller, listInput);
  const registerPage = await compareCpuTimes(ROUNDS, () => pages.render(`${base}/vendors`), list);
  const nothing = async () => undefined;
  const recordPage = await compareCpuTimes(ROUNDS, () => pages.render(busyRecord), nothing);
  const busyId = busyRecord.split('/').at(-1)!;
  const details = () =>
    readRecordDetails(register.reader, caller, VENDOR, { id: busyId, organization_id: organizationId });
  const form = await compareCpuTimes(ROUNDS, () => pages.render(`${busyRecord}/edit`), details);
  const home = await compareCpuTimes(ROUNDS / 6, () => pages.render(base), nothing);
  const cpuFigure = (name: string, valueMs: number, limitMs: number) =>
    figure(`${name}, CPU; baseline: its limit`, 'ms', valueMs, limitMs, atMost(1));
  return [
    cpuFigure(
      `page of ${ROWS_PER_PAGE} of ${size} vendors, beside its list query`,
      registerPage.value - registerPage.baseline,
      MAX_CPU_MS.registerPage,
    ),
    cpuFigure(`page of a record with ${RECORD_EVENTS} events`, recordPage.value, MAX_CPU_MS.recordPage),
    cpuFigure('the form that corrects this record, beside reading it', form.value - form.baseline, MAX_CPU_MS.form),
    cpuFigure(`Home over ${size} vendors`, home.value, MAX_CPU_MS.home),
    htmlFigure('Home', await pages.render(base)),
    htmlFigure('the page of vendors', await pages.render(`${base}/vendors`)),
    htmlFigure(`the page of a record with ${RECORD_EVENTS} events`, await pages.render(busyRecord)),
    htmlFigure('the comparison with the beginning', await pages.render(`${base}/compare?from=0`)),
    ...scriptFigures(),
  ];
}

/** Adds a vendor and changes it until it has RECORD_EVENTS events. Returns its id. */
async function addBusyRecord({ call, organizationId }: BenchRegister): Promise<string> {
  const { vendor } = (await call('addVendor', { organization_id: organizationId, name: 'Busy' })) as {
    vendor: { id: string };
  };
  for (let event = 1; event < RECORD_EVENTS; event++) {
    await call('updateVendor', { id: vendor.id, description: `Version ${event}`, reason: 'It was corrected' });
  }
  return vendor.id;
}

/** Returns the pages over these read models, without HTTP and sign-in, as the owner gets them. */
function openPages({ stores, register, caller }: BenchRegister): { render(address: string): Promise<string> } {
  const { handler, reader, tools } = register;
  const { members, tokens } = openIdentity({
    accounts: stores.accounts,
    names: new AccountNames(stores.accounts),
    accessEvents: new AccessEvents(),
    handler,
    clock: new ServiceClock(),
    baseUrl: 'http://127.0.0.1',
    log: { warn: () => undefined },
  });
  const readNames = (id: string, accountIds: Iterable<string>) => readMemberNames(reader.snapshot(), id, accountIds);
  const accessLogReader = new AccessLogReader({
    accounts: stores.accounts,
    cursorKey: reader.snapshot().cursorKey,
    readNames,
  });
  const [people, oauth] = [{ links: { list: async () => [] } }, { assistantsOf: async () => [] }];
  const services = { sealingProblem: async () => null, tools, people, oauth, accessLogReader, readNames };
  const context = { reader, scanReaderOf: () => reader, members, tokens, ...services, baseUrl: 'http://127.0.0.1' };
  const pages = [homePage, comparePage, recordListPages, recordPages, changeRecordPages];
  const routes = pages.flatMap((routesOf) => routesOf(context));
  return {
    async render(address) {
      const { pathname: path, searchParams: query } = new URL(address, context.baseUrl);
      const { route, params } = findRoute(routes, path);
      const person = { account: { id: caller.account_id, name: 'Owner' } };
      const ctx = { path, method: 'GET', res: new EventEmitter() };
      const request = { ctx, params, query, person, formValues: NO_FORM_VALUES } as unknown as PageRequest;
      const page = (await route.handle(request)) as WebPage;
      const organization = page.organization!;
      const railCounts = await readRailCounts(
        { snapshot: reader.snapshot(), organization, past: null },
        caller.account_id,
      );
      const layout = { name: 'Owner', isDemo: false, notice: null, address: '/', railCounts, formToken: () => 'token' };
      return renderPage(page, { ...layout, today: reader.snapshot().today() });
    },
  };
}

function findRoute(routes: readonly Route[], path: string) {
  for (const route of routes) {
    const pattern = route.path.replaceAll(/:(\w+)/g, '(?<$1>[^/]+)');
    const match = new RegExp(`^${pattern}$`).exec(path);
    if (match !== null) return { route, params: { ...match.groups } };
  }
  throw new Error(`no page has the address ${path}`);
}

function htmlFigure(name: string, html: string): Figure {
  return figure(`${name}, compressed; baseline: its limit`, 'KB', compressedKb(html), MAX_KB.html, atMost(1));
}

/** The scripts of all pages together, and the one that is loaded on click. */
function scriptFigures(): Figure[] {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const folder = `${root}src/web/assets/`;
  const names = readdirSync(folder).filter((name) => name.endsWith('.js') && name !== 'verify.js');
  const scripts = names.map((name) => readFileSync(`${folder}${name}`));
  const size = scripts.reduce((sum, script) => sum + compressedKb(script), 0);
  // Assets are served with brotli, made when they are built.
  const verifySize = brotliCompressSync(bundleForBrowser(root, 'src/browser/verify.ts')).length / 1_000;
  return [
    figure('scripts of pages, compressed; baseline: their limit', 'KB', size, MAX_KB.script, atMost(1)),
    figure('verify.js, compressed with brotli; baseline: its limit', 'KB', verifySize, MAX_KB.verifyScript, atMost(1)),
  ];
}

const compressedKb = (content: string | Buffer): number => gzipSync(content).length / 1_000;

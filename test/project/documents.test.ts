import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SECURITY_EVENTS } from '../../src/app/security-log.ts';
import { bannerText } from '../../src/app/start-banner.ts';
import { SETTING_NAMES } from '../../src/config.ts';
import { ALL_TOOLS } from '../../src/tools/all-tools.ts';

const urlOf = (path: string) => new URL(`../../${path}`, import.meta.url);
const read = (path: string) => readFileSync(urlOf(path), 'utf8');

/** The paths of all pages of Markdown in the folders that hold documents. */
const PAGES = ['', 'docs/', 'docs/adr/', 'examples/', '.github/', 'src/library/data/'].flatMap((folder) =>
  existsSync(urlOf(folder))
    ? readdirSync(urlOf(folder))
        .filter((name) => name.endsWith('.md'))
        .sort()
        .map((name) => folder + name)
    : [],
);

/** Returns a page without its blocks of code. */
const withoutCode = (page: string) => page.replace(/^```.*?^```$/gms, '');

/** Returns the anchors of a page's headings, as forges make them. */
function anchorsOf(page: string): string[] {
  const headings = [...withoutCode(page).matchAll(/^#+ (.+)$/gm)].map((match) => match[1]!);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Returns true if the target of a link on a page exists, with the heading that it names. */
function isThere(page: string, target: string): boolean {
  const [path, anchor] = target.split('#') as [string, string?];
  const file = path === '' ? page : posix.join(posix.dirname(page), path);
  if (!existsSync(urlOf(file))) return false;
  return anchor === undefined || anchorsOf(read(file)).includes(anchor);
}

/** Returns the names in code marks in the first column of the table under a heading. */
function namedUnder(heading: string, page: string): string[] {
  const section = page.split(/^#+ /m).find((part) => part.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`the page has no section ${heading}`);
  const cells = [...section.matchAll(/^\|([^|]+)\|/gm)].map((match) => match[1]!);
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1]!)).sort();
}

const documents = suite('documents');

documents('docs/guide.md names every setting and no other', () => {
  assert.equal(namedUnder('Settings', read('docs/guide.md')), [...SETTING_NAMES].sort());
});

documents('README.md shows the greeting of a first start as it is printed', () => {
  const page = read('README.md');
  const onPage = (pattern: RegExp) => pattern.exec(page)![0];
  const printed = bannerText({
    address: 'http://127.0.0.1:8080',
    endpoint: 'http://127.0.0.1:8080/api/mcp/v1',
    organizationId: onPage(/org_\w{26}/),
    firstToken: { text: onPage(/vtr_\w{49}/) },
    setupLink: { text: onPage(/http\S+\/welcome\?key=[\w-]{43}/) },
    demoLink: null,
    command: 'npx veritrail',
    notes: [],
  });
  assert.ok(page.includes(`\n\`\`\`\n${printed}\`\`\`\n`), printed);
});

documents('docs/operations.md names every security event and no other', () => {
  const named = namedUnder('Security events', read('docs/operations.md')).filter((name) => /^[A-Z]/.test(name));
  assert.equal(named, [...SECURITY_EVENTS].sort());
});

documents('docs/tools.md names every tool and no other', () => {
  // Definitions need no service: nothing is called.
  const names = ALL_TOOLS.map(({ name }) => name);
  assert.equal(namedUnder('The tools', read('docs/tools.md')), names.sort());
});

documents('docs/packages.md gives a reason for every package and no other', () => {
  const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };
  assert.equal(namedUnder('In service', read('docs/packages.md')), Object.keys(dependencies).sort());
});

documents('docs/packages.md names every package used in development', () => {
  const { devDependencies } = JSON.parse(read('package.json')) as { devDependencies: Record<string, string> };
  const page = read('docs/packages.md');
  const unnamed = Object.keys(devDependencies).filter((name) => !page.includes(`\`${name}\``));
  assert.equal(
    unnamed.filter((name) => !name.startsWith('@types/')),
    [],
  );
});

documents('README.md and CHANGELOG.md stay short', () => {
  const lengths = ['README.md', 'CHANGELOG.md'].map((page) => read(page).trimEnd().split('\n').length);
  assert.ok(lengths[0]! <= 170 && lengths[1]! <= 60, String(lengths));
});

documents('docs/architecture.md stays short enough to be read in fifteen minutes', () => {
  const lines = read('docs/architecture.md').split('\n').length;
  assert.ok(lines <= 200, `${lines} lines`);
});

documents('docs/adr/README.md lists every decision, by its title', () => {
  const files = PAGES.filter((page) => /^docs\/adr\/\d/.test(page)).map((page) => page.slice('docs/adr/'.length));
  const indexEntries = [...read('docs/adr/README.md').matchAll(/^(\d+)\. \[(.+)\]\((.+)\)$/gm)];
  assert.equal(
    indexEntries.map(([, , , file]) => file),
    files,
  );
  for (const [, number, title, file] of indexEntries)
    assert.match(read(`docs/adr/${file}`), `# ${number}. ${title}\n\n2026-`);
});

documents('links lead to files and headings that exist', () => {
  const broken = PAGES.flatMap((page) => {
    const targets = [...withoutCode(read(page)).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map((match) => match[1]!);
    return targets.filter((target) => !isThere(page, target)).map((target) => `${page}: ${target}`);
  });
  assert.equal(broken, []);
});

documents('paths of source files name files that exist', () => {
  const missing = PAGES.flatMap((page) => {
    const paths = [...read(page).matchAll(/`((?:src|test|scripts|examples|bench)\/[\w./-]+)`/g)].map(
      (match) => match[1]!,
    );
    return paths.filter((path) => !existsSync(urlOf(path))).map((path) => `${page}: ${path}`);
  });
  assert.equal(missing, []);
});

documents.run();

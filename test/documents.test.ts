import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SETTING_NAMES } from '../src/config.ts';
import { greetingText } from '../src/greeting.ts';
import type { Service } from '../src/mcp/service.ts';
import { allTools } from '../src/mcp/tools.ts';

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

/** The names in code marks in the first cells of the table under a heading. */
function namedUnder(heading: string, page: string): string[] {
  const section = page.split(/^#+ /m).find((part) => part.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`the page has no section ${heading}`);
  const cells = [...section.matchAll(/^\|([^|]+)\|/gm)].map((match) => match[1]!);
  return cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1]!)).sort();
}

const documents = suite('documents');

documents('README.md names every setting and no other', () => {
  assert.equal(namedUnder('Settings', read('README.md')), [...SETTING_NAMES].sort());
});

documents('README.md shows the greeting of a first start as it is printed', () => {
  const page = read('README.md');
  const given = (pattern: RegExp) => pattern.exec(page)![0];
  const printed = greetingText({
    address: 'http://127.0.0.1:8080',
    endpoint: 'http://127.0.0.1:8080/api/mcp/v1',
    organizationId: given(/org_\w{26}/),
    firstToken: { text: given(/vtr_\w{49}/) },
    setupLink: { text: given(/http\S+\/welcome\?key=[\w-]{43}/) },
    notes: [],
  });
  assert.ok(page.includes(`\n\`\`\`\n${printed}\`\`\`\n`), printed);
});

documents('docs/tools.md names every tool and no other', () => {
  // Names are known without a service: nothing is called.
  const names = allTools({} as Service).map(({ name }) => name);
  assert.equal(namedUnder('The tools', read('docs/tools.md')), names.sort());
});

documents('docs/architecture.md gives a reason for every package and no other', () => {
  const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };
  assert.equal(namedUnder('Packages', read('docs/architecture.md')), Object.keys(dependencies).sort());
});

documents('docs/architecture.md names every package used in development', () => {
  const { devDependencies } = JSON.parse(read('package.json')) as { devDependencies: Record<string, string> };
  const page = read('docs/architecture.md');
  const unnamed = Object.keys(devDependencies).filter((name) => !page.includes(`\`${name}\``));
  assert.equal(
    unnamed.filter((name) => !name.startsWith('@types/')),
    [],
  );
});

documents.run();

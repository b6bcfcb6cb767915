/** The ASVS tables in docs/security.md name every requirement of levels 1 and 2 once. */
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

/** The numbers of ASVS 5.0.0 up to level 2, by section. A gap is a requirement of level 3. */
const LEVEL_2: Readonly<Record<string, string>> = {
  '1.1': '1-2',
  '1.2': '1-9',
  '1.3': '1-11',
  '1.4': '1-3',
  '1.5': '1-2',
  '2.1': '1-3',
  '2.2': '1-3',
  '2.3': '1-4',
  '2.4': '1',
  '3.2': '1-2',
  '3.3': '1-4',
  '3.4': '1-6',
  '3.5': '1-5',
  '3.7': '1-2',
  '4.1': '1-3',
  '4.2': '1',
  '4.3': '1-2',
  '4.4': '1-4',
  '5.1': '1',
  '5.2': '1-3',
  '5.3': '1-2',
  '5.4': '1-3',
  '6.1': '1-3',
  '6.2': '1-12',
  '6.3': '1-4',
  '6.4': '1-4',
  '6.5': '1-5',
  '6.6': '1-3',
  '6.8': '1-4',
  '7.1': '1-3',
  '7.2': '1-4',
  '7.3': '1-2',
  '7.4': '1-5',
  '7.5': '1-2',
  '7.6': '1-2',
  '8.1': '1-2',
  '8.2': '1-3',
  '8.3': '1',
  '8.4': '1',
  '9.1': '1-3',
  '9.2': '1-4',
  '10.1': '1-2',
  '10.2': '1-2',
  '10.3': '1-4',
  '10.4': '1-11',
  '10.5': '1-5',
  '10.6': '1-2',
  '10.7': '1-3',
  '11.1': '1-2',
  '11.2': '1-3',
  '11.3': '1-3',
  '11.4': '1-4',
  '11.5': '1',
  '11.6': '1',
  '12.1': '1-3',
  '12.2': '1-2',
  '12.3': '1-4',
  '13.1': '1',
  '13.2': '1-5',
  '13.3': '1-2',
  '13.4': '1-5',
  '14.1': '1-2',
  '14.2': '1-4',
  '14.3': '1-3',
  '15.1': '1-3',
  '15.2': '1-3',
  '15.3': '1-7',
  '16.1': '1',
  '16.2': '1-5',
  '16.3': '1-4',
  '16.4': '1-3',
  '16.5': '1-3',
  '17.1': '1',
  '17.2': '1-4',
  '17.3': '1-2',
};

const asvs = suite('ASVS tables');

/** Returns the numbers of a list such as `1-3, 5`. */
function expand(list: string): number[] {
  return list.split(', ').flatMap((part) => {
    const [first = 0, last = first] = part.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
}

/** Returns the requirements in a cell such as `1.2.1-1.2.5, 1.2.9`. */
function requirementsIn(cell: string): string[] {
  return cell.split(', ').flatMap((part) => {
    const [first = '', last = first] = part.split('-');
    const section = first.slice(0, first.lastIndexOf('.'));
    assert.is(last.slice(0, last.lastIndexOf('.')), section, part);
    const ends = [first, last].map((requirement) => requirement.slice(section.length + 1));
    return expand(ends.join('-')).map((number) => `${section}.${number}`);
  });
}

asvs('name every requirement of levels 1 and 2, each once', () => {
  const page = readFileSync(new URL('../../docs/security.md', import.meta.url), 'utf8');
  const section = page.split(/^## /m).find((part) => part.startsWith('ASVS 5.0'))!;
  const cells = [...section.matchAll(/^\| (\d[\d., -]*) \|/gm)].map((match) => match[1]!);
  const required = Object.entries(LEVEL_2).flatMap(([id, list]) => expand(list).map((number) => `${id}.${number}`));
  assert.is(required.length, 253);
  assert.equal(cells.flatMap(requirementsIn).sort(), required.sort());
});

asvs.run();

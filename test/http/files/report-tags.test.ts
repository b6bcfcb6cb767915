/** ETags of report files: the changes that lead to another one, and those known before a report is generated again. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ReportEtags } from '../../../src/http/files/report-etags.ts';

const HEAD = { digest: 'd'.repeat(64) };
const ADA = 'acc_ada';

const test = suite('tags of report files');

/** A report in a service whose people have the current names in `names`. */
const reportWith = (identity: string, names: Map<string, string>) => ({
  identity,
  names: async (keys: readonly string[]) => new Map(keys.map((key) => [key, names.get(key) ?? 'former member'])),
});

test('a generated report has the same tag in later answers, in every format', async () => {
  const names = new Map([[ADA, 'Ada']]);
  const tags = new ReportEtags('1.0.0');
  assert.is(await tags.expectedEtag(reportWith('one', names), 'json'), null);
  const json = tags.etagOf('one', 'json', HEAD, names);
  assert.is(await tags.expectedEtag(reportWith('one', names), 'json'), json);
  const csv = (await tags.expectedEtag(reportWith('one', names), 'csv'))!;
  assert.is.not(csv, json);
  assert.is(tags.etagOf('one', 'csv', HEAD, names), csv);
  assert.is(await tags.expectedEtag(reportWith('another', names), 'json'), null);
});

test('another version changes the tag, because it may word the same data differently', () => {
  const [one, two] = ['1.0.0', '1.0.1'].map((version) =>
    new ReportEtags(version).etagOf('one', 'html', HEAD, new Map()),
  );
  assert.is.not(one, two);
});

test('a renamed person in the report changes the tag', async () => {
  const names = new Map([[ADA, 'Ada']]);
  const tags = new ReportEtags('1.0.0');
  const firstEtag = tags.etagOf('one', 'json', HEAD, new Map(names));
  names.set('acc_elsewhere', 'Grace');
  assert.is(await tags.expectedEtag(reportWith('one', names), 'json'), firstEtag);
  names.set(ADA, 'Ada Lovelace');
  const renamed = (await tags.expectedEtag(reportWith('one', names), 'json'))!;
  assert.is.not(renamed, firstEtag);
  names.delete(ADA);
  const etagWithoutName = (await tags.expectedEtag(reportWith('one', names), 'json'))!;
  assert.is(new Set([firstEtag, renamed, etagWithoutName]).size, 3);
});

test('an unsealed or incomplete report is generated each time, with a tag of its own', async () => {
  const tags = new ReportEtags('1.0.0');
  const names = new Map<string, string>();
  const passing = [
    { ...HEAD, pending_seal: true as const },
    { ...HEAD, incomplete: true as const },
  ].map((head) => tags.etagOf('one', 'json', head, new Map()));
  assert.is(await tags.expectedEtag(reportWith('one', names), 'json'), null);
  const finalEtag = tags.etagOf('one', 'json', HEAD, new Map());
  assert.is(new Set([...passing, finalEtag]).size, 3);
  assert.is(await tags.expectedEtag(reportWith('one', names), 'json'), finalEtag);
});

test.run();

/**
 * Writes src/commands/organization/confusables.json from Unicode's table of characters that look alike (UTS #39):
 *
 *     npx tsx scripts/confusables-from-unicode.ts confusables.txt
 *
 * The table is at https://www.unicode.org/Public/security/latest/confusables.txt, under the Unicode License v3.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const text = readFileSync(process.argv[2]!, 'utf8');
const version = /^# Version: (\S+)/m.exec(text)![1];
const toText = (codes: string) =>
  String.fromCodePoint(...codes.match(/[\dA-F]+/g)!.map((code) => Number.parseInt(code, 16)));
const sources = new Map<string, string>();
for (const line of text.split('\n')) {
  const [source, target] = line.split('#')[0]!.split(';');
  if (target === undefined) continue;
  const prototype = toText(target);
  sources.set(prototype, (sources.get(prototype) ?? '') + toText(source!));
}
const licence = '© 2025 Unicode, Inc. Unicode License v3, https://www.unicode.org/license.txt';
const table = { source: `Unicode Security Mechanisms (UTS #39), confusables.txt ${version}`, licence };
const file = new URL('../src/commands/organization/confusables.json', import.meta.url);
writeFileSync(file, `${JSON.stringify({ ...table, lookalikes: Object.fromEntries(sources) }, null, 1)}\n`);

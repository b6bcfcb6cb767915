import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import cl100k from 'js-tiktoken/ranks/cl100k_base';
import { PIECE, partsOf, ranksOf, written } from '../src/queries/report/render/byte-pairs.ts';

/*
 * Writes what src/queries/report/render/tokens.ts goes by: the first merges of cl100k, byte by byte, and whole words of
 * compliance and of plain English that are one token of it, the ones that save most in this project's own texts;
 * and the pairs of capitals that are no token, by which ids are judged.
 */

const MERGES = 2_000;
const WORDS = 2_200;
const WIDTH = 112;
const TO = new URL('../src/queries/report/render/token-table.ts', import.meta.url);

/** All tokens in their order: lines of a rank and what follows it, in base64. */
const tokens = cl100k.bpe_ranks
  .split('\n')
  .flatMap((line) => line.split(' ').slice(2))
  .map((text) => Buffer.from(text, 'base64').toString('latin1'));
const merges = tokens.slice(0, MERGES).filter((token) => token.length > 1);
const isToken = new Set(tokens);
const table = ranksOf(merges);

const saved = new Map<string, number>();
for (const file of ['src', 'docs'].flatMap(filesIn)) {
  for (const [piece] of readFileSync(file, 'utf8').matchAll(PIECE)) {
    const word = piece.slice(1);
    if (!/^ [A-Za-z][a-z]+$/.test(piece) || !isToken.has(piece)) continue;
    saved.set(word, (saved.get(word) ?? 0) + partsOf(piece, table) - 1);
  }
}
const words = [...saved].filter(([, more]) => more > 0).sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1));
const listed = words
  .slice(0, WORDS)
  .map(([word]) => word)
  .sort();

function filesIn(folder: string): string[] {
  const all = readdirSync(new URL(`../${folder}`, import.meta.url), { recursive: true, encoding: 'utf8' });
  return all
    .filter((name) => /\.(?:ts|md|json)$/.test(name) && !name.includes('token-table'))
    .map((name) => `${folder}/${name}`);
}

function lines(list: readonly string[]): string {
  const broken: string[] = [];
  let line = '';
  for (const one of list) {
    if (line.length + one.length + 1 > WIDTH) {
      broken.push(line);
      line = '';
    }
    line += line === '' ? one : ` ${one}`;
  }
  return [...broken, line].join('\n');
}

const capitals = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const pairs = capitals
  .flatMap((first) => capitals.map((second) => first + second))
  .filter((pair) => !isToken.has(pair));

const told = Object.entries({ MERGES: merges.map(written), WORDS: listed, APART: pairs }).map(
  ([name, list]) => `export const ${name} = \`\n${lines(list)}\n\`;\n`,
);
writeFileSync(TO, ['/* Written by scripts/write-token-table.ts. */\n', ...told].join('\n'));

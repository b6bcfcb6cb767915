import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The ports, each with the parts that callers need. */
const EVENT_STORE = ['src/stores/event-store.ts', 'src/stores/errors.ts'];
const READ_STORE = ['src/stores/read-store.ts', 'src/stores/errors.ts'];
const ACCOUNT_STORE = ['src/stores/account-store.ts', 'src/stores/errors.ts'];
const SHARED_COMMANDS = ['src/commands/engine/refusal.ts', 'src/commands/organization/caller.ts'];
/** The definitions of read models: documents, keys and texts. Queries must not know how they are updated. */
const READ_MODELS = [
  'src/projections/models.ts',
  'src/projections/read-models/',
  'src/projections/relations/related-counts.ts',
  'src/projections/history/change-document.ts',
  'src/projections/history/change-rows.ts',
  'src/projections/history/crosswalk-change-rows.ts',
  'src/projections/history/recomputed-changes.ts',
  'src/projections/figures/daily-figures.ts',
  'src/projections/figures/figure-definitions.ts',
  'src/projections/transparency/last-good-seal.ts',
  'src/projections/transparency/organization-tree.ts',
  'src/projections/transparency/recomputed-seals.ts',
  'src/projections/transparency/out-of-order-events.ts',
  'src/projections/transparency/seal-documents.ts',
];
/** The types of access-log entries: a list, which tools publish in their schemas. */
const ACCESS_ENTRY_TYPES = 'src/identity/access-log/access-entry-types.ts';
/** The files directly in src/stores: ports, and code that adapters share. */
const STORES = 'src/stores/*';
const XLSX_WRITER = ['src/sheets/xlsx/write-xlsx.ts', 'src/sheets/xlsx/sheet-xml.ts'];
/** The clocks: any room may need one. */
const CLOCK = 'src/clock/';
const EVERYTHING = [''];

/**
 * Folders, and what each may import from the project besides itself: files, folders (with a slash at the end), or the files
 * directly in a folder (with a star). The innermost folder counts.
 */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  'src/trail/': [],
  'src/trail/node/': ['src/trail/'],
  'src/trail/index.ts': ['src/trail/'],
  [CLOCK]: [],
  'src/register/': ['src/trail/'],
  'src/commands/': [CLOCK, 'src/register/', ...EVENT_STORE, 'src/trail/'],
  'src/projections/': [CLOCK, 'src/register/', 'src/commands/', ...EVENT_STORE, ...READ_STORE, 'src/trail/'],
  'src/queries/': [
    CLOCK,
    'src/register/',
    'src/commands/',
    ...READ_MODELS,
    ...EVENT_STORE,
    ...READ_STORE,
    'src/trail/',
  ],
  'src/reports/': [
    CLOCK,
    'src/register/',
    'src/queries/',
    'src/commands/',
    'src/library/framework-library.ts',
    ...READ_MODELS,
    ...READ_STORE,
    ...XLSX_WRITER,
    'src/texts/',
    'src/trail/',
  ],
  'src/texts/': ['src/register/'],
  'src/library/': ['src/commands/engine/refusal.ts', 'src/commands/engine/forbidden-characters.ts', 'src/sheets/'],
  'src/addresses/': [],
  'src/tools/': [
    CLOCK,
    'src/addresses/',
    'src/register/',
    'src/commands/',
    'src/queries/',
    'src/reports/',
    'src/library/',
    'src/import/',
    ACCESS_ENTRY_TYPES,
  ],
  'src/import/': [CLOCK, 'src/register/', 'src/commands/', 'src/queries/', 'src/sheets/', 'src/tools/'],
  'src/mcp/': [
    CLOCK,
    'src/register/',
    'src/commands/',
    'src/queries/',
    'src/library/',
    'src/tools/',
    ACCESS_ENTRY_TYPES,
  ],
  'src/stores/': [CLOCK, 'src/trail/'],
  'src/stores/open.ts': [CLOCK, 'src/stores/', 'src/config.ts', 'src/config/'],
  'src/stores/sqlite/': [CLOCK, STORES, 'src/trail/'],
  'src/stores/eventstoredb/': [CLOCK, STORES, 'src/trail/', 'src/config/connection-string.ts'],
  'src/stores/mongodb/': [CLOCK, STORES, 'src/trail/'],
  'src/http/': [
    CLOCK,
    'src/addresses/',
    'src/register/',
    'src/mcp/',
    'src/tools/',
    'src/queries/',
    'src/reports/',
    'src/identity/',
    'src/texts/',
    ...XLSX_WRITER,
    ...SHARED_COMMANDS,
  ],
  'src/identity/': [CLOCK, 'src/register/', 'src/commands/', 'src/queries/', ...ACCOUNT_STORE],
  'src/sheets/': ['src/commands/engine/refusal.ts', 'src/commands/engine/nearest.ts'],
  'src/reporting/': [
    CLOCK,
    'src/register/',
    'src/commands/',
    'src/projections/',
    ...READ_STORE,
    'src/stores/reporting-store.ts',
    'src/texts/',
    'src/trail/',
  ],
  'src/seal/': [CLOCK, ...EVENT_STORE, ...READ_STORE, ...ACCOUNT_STORE, 'src/projections/', 'src/trail/'],
  'src/browser/': [
    'src/trail/*',
    'src/trail/check/',
    'src/trail/seals/',
    'src/queries/proofs/check-change.ts',
    'src/cli/proofs/change-verdict.ts',
    'src/cli/proofs/proof-file.ts',
    'src/cli/proofs/verdict-text.ts',
    'src/web/register/change-texts.ts',
  ],
  'src/web/': [
    CLOCK,
    'bin/browser-bundle.js',
    'src/version.ts',
    'src/addresses/',
    'src/register/',
    'src/queries/',
    'src/reports/',
    'src/identity/',
    'src/commands/',
    'src/tools/',
    'src/http/',
    'src/texts/',
    'src/trail/seals/seal-events.ts',
  ],
  'src/config.ts': ['src/config/'],
  'src/config/': [],
  'src/cli/': EVERYTHING,
  'src/': EVERYTHING,
};

/** Client libraries, each for one adapter. An adapter's other packages must not talk to anything. */
const CLIENTS: Readonly<Record<string, string>> = {
  libsql: 'src/stores/sqlite/',
  '@eventstore/db-client': 'src/stores/eventstoredb/',
  '@grpc/grpc-js': 'src/stores/eventstoredb/',
  mongodb: 'src/stores/mongodb/',
};

const IN_ADAPTERS = ['lru-cache'];

/** Audited cryptography. The rest of what browsers get has no packages. */
const IN_BROWSERS = /^@noble\/(?:curves|hashes)\//;

/** Returns the faults of a file's imports as sentences. `file` is its path from the project's root, with slashes. */
function violations(file: string, source: string): string[] {
  const room = innermost(Object.keys(ROOMS), file);
  if (room === undefined) return [`${file} is in no known room`];
  return importsOf(source).flatMap((specifier) => {
    const mayImport = specifier.startsWith('.')
      ? mayImportOurs(room, posix.join(posix.dirname(file), specifier))
      : mayImportPackage(room, specifier);
    return mayImport ? [] : [`${file} must not import ${specifier}`];
  });
}

function mayImportOurs(room: string, target: string): boolean {
  if (innermost(Object.keys(ROOMS), target) === room) return true;
  return ROOMS[room]!.some((allowed) => {
    if (allowed.endsWith('*')) return posix.dirname(target) === posix.dirname(allowed);
    return allowed === '' || allowed.endsWith('/') ? target.startsWith(allowed) : target === allowed;
  });
}

function mayImportPackage(room: string, specifier: string): boolean {
  if (room === 'src/trail/') return false;
  if (room === 'src/browser/') return IN_BROWSERS.test(specifier);
  if (specifier.startsWith('node:')) return true;
  const owner = Object.entries(CLIENTS).find(([name]) => specifier === name || specifier.startsWith(`${name}/`))?.[1];
  if (owner !== undefined) return owner === room;
  if (Object.values(CLIENTS).includes(room)) return IN_ADAPTERS.includes(specifier);
  return !room.startsWith('src/trail/');
}

/** Returns the specifiers of all imports and re-exports: static and dynamic, values and types. */
function importsOf(source: string): string[] {
  return [...source.matchAll(/\b(?:from|import)\s*\(?\s*['"]([^'"\n]+)['"]/g)].map((match) => match[1]!);
}

/** Returns a circle of files in which each imports the next, types included; null if there is none. */
function circleIn(sources: readonly { file: string; source: string }[]): string[] | null {
  const imports = new Map(
    sources.map(({ file, source }) => [
      file,
      importsOf(source).map((imported) => posix.join(posix.dirname(file), imported)),
    ]),
  );
  const free = new Set<string>();
  const follow = (file: string, path: string[]): string[] | null => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file];
    if (free.has(file)) return null;
    for (const next of imports.get(file) ?? []) {
      const circle = follow(next, [...path, file]);
      if (circle !== null) return circle;
    }
    free.add(file);
    return null;
  };
  for (const file of imports.keys()) {
    const circle = follow(file, []);
    if (circle !== null) return circle;
  }
  return null;
}

function innermost(rooms: readonly string[], path: string): string | undefined {
  return rooms.filter((room) => path.startsWith(room)).sort((a, b) => b.length - a.length)[0];
}

function sourcesIn(...folders: string[]): { file: string; source: string }[] {
  return readdirSync(ROOT, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && folders.includes(entry.name))
    .flatMap((folder) => readdirSync(join(ROOT, folder.name), { withFileTypes: true, recursive: true }))
    .filter((entry) => entry.isFile() && /\.(tsx?|js|mjs)$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ file: relative(ROOT, path).split(sep).join('/'), source: readFileSync(path, 'utf8') }));
}

const boundaries = suite('boundaries');

boundaries('every file imports only what its folder may', () => {
  const sources = sourcesIn('src');
  assert.ok(sources.length > 10);
  assert.equal(
    sources.flatMap(({ file, source }) => violations(file, source)),
    [],
  );
});

boundaries('no files import each other in a circle', () => {
  assert.is(circleIn(sourcesIn('src')), null);
  const files = {
    'src/a.ts': "from './b.ts'",
    'src/b.ts': "import type { C } from './c/c.ts'",
    'src/c/c.ts': "from '../a.ts'",
  };
  const sources = Object.entries(files).map(([file, source]) => ({ file, source }));
  assert.equal(circleIn(sources), ['src/a.ts', 'src/b.ts', 'src/c/c.ts', 'src/a.ts']);
});

boundaries('no source file has unfinished work or a skipped test', () => {
  const marks = new RegExp(`\\b(?:${['TO' + 'DO', 'FIX' + 'ME', 'XX' + 'X', 'HA' + 'CK'].join('|')})\\b`);
  const unfinished = sourcesIn('src', 'test', 'bench', 'bin', 'scripts').filter(({ source }) => marks.test(source));
  assert.equal(
    unfinished.map(({ file }) => file),
    [],
  );
});

for (const [file, source] of [
  ['src/trail/hash.ts', "import type { Role } from '../commands/caller.ts';"],
  ['src/trail/hash.ts', "import { z } from 'zod';"],
  ['src/trail/hash.ts', "import { createHash } from 'node:crypto';"],
  ['src/trail/hash.ts', "import { nodeCrypto } from './node/node-crypto.ts';"],
  ['src/trail/node/node-crypto.ts', "import { sha256 } from '@noble/hashes/sha2.js';"],
  ['src/register/vendor.ts', "import { vendor } from '../commands/vendor.ts';"],
  ['src/browser/verify.ts', "import { readFileSync } from 'node:fs';"],
  ['src/browser/verify.ts', "import { nodeCrypto } from '../trail/node/node-crypto.ts';"],
  ['src/browser/verify.ts', "import { h } from 'preact';"],
  ['src/commands/vendor.ts', "import { find } from '../queries/vendors.ts';"],
  ['src/commands/vendor.ts', "import type { ReadStore } from '../stores/read-store.ts';"],
  ['src/commands/vendor.ts', "import { SqliteEventStore } from '../stores/sqlite/event-store.ts';"],
  ['src/projections/engine/runner.ts', "export * from '../../queries/page.ts';"],
  ['src/projections/engine/runner.ts', "import Database from 'libsql';"],
  ['src/queries/vendors.ts', "import { Runner } from '../projections/engine/runner.ts';"],
  ['src/queries/vendors.ts', "import { MongoClient } from 'mongodb';"],
  ['src/queries/vendors.ts', "import { AccountNames } from '../identity/accounts/account-names.ts';"],
  ['src/mcp/vendors.ts', "import type { ReadStore } from '../stores/read-store.ts';"],
  ['src/stores/read-store.ts', "import { open } from './sqlite/read-store.ts';"],
  ['src/stores/sqlite/event-store.ts', "import { open } from '../mongodb/read-store.ts';"],
  ['src/stores/sqlite/event-store.ts', "import type { Role } from '../../commands/caller.ts';"],
  ['src/stores/mongodb/read-store.ts', "import Database from 'libsql';"],
  ['src/stores/mongodb/read-store.ts', "import pino from 'pino';"],
  ['src/library/oscal/oscal-catalog.ts', "import { name } from '../../mcp/fields.ts';"],
  ['src/http/create-app.ts', "import { Runner } from '../projections/engine/runner.ts';"],
  ['src/http/create-app.ts', "import { readConfig } from '../config.ts';"],
  ['src/identity/tokens/tokens.ts', "import type { EventStore } from '../../stores/event-store.ts';"],
  ['src/config.ts', "import { clientInfoReader } from './http/access/client-info-reader.ts';"],
  ['src/sheets/sheet-rows.ts', "import { VENDOR_STATUSES } from '../commands/vendor.ts';"],
  ['src/web/server/web-page.ts', "import { ALL_TOOLS } from '../../mcp/tools/all-tools.ts';"],
  ['src/http/create-app.ts', "const late = await import('../stores/sqlite/event-store.ts');"],
  ['src/http/create-app.ts', "import {\n  one,\n  two,\n} from '../stores/read-store.ts';"],
  ['src/http/create-app.ts', "import '../trail/hash.ts';"],
] as const) {
  boundaries(`${file} is refused with: ${source.replaceAll('\n', ' ')}`, () => {
    assert.is(violations(file, source).length, 1);
  });
}

for (const [file, source] of [
  ['src/trail/hash.ts', "import { canonical } from './canonical.ts';"],
  ['src/trail/node/node-crypto.ts', "import { hash } from 'node:crypto';\nimport type { T } from '../crypto.ts';"],
  [
    'src/commands/engine/handler.ts',
    "import { RevisionConflict } from '../../stores/errors.ts';\nimport { z } from 'zod';",
  ],
  ['src/register/seal.ts', "import type { SealEvent } from '../trail/seals/seal-events.ts';"],
  ['src/projections/vendors.ts', "import { evolve } from '../commands/vendor.ts';"],
  ['src/queries/lists/keyset-page.ts', "import { Refusal } from '../../commands/engine/refusal.ts';"],
  ['src/stores/sqlite/event-store.ts', "import Database from 'libsql';\nimport { x } from '../check-append.ts';"],
  ['src/stores/eventstoredb/event-store.ts', "import type { EventStoreDBClient } from '@eventstore/db-client';"],
  ['src/app.ts', "import { open } from './stores/sqlite/event-store.ts';\nimport pkg from '../package.json';"],
  ['src/cli/main.ts', "import { readConfig } from '../config.ts';"],
] as const) {
  boundaries(`${file} is accepted with: ${source.replaceAll('\n', ' ')}`, () =>
    assert.equal(violations(file, source), []),
  );
}

boundaries.run();

import { open, readFile, stat } from 'node:fs/promises';
import { basename, dirname, extname, resolve } from 'node:path';
import { Refusal } from '../commands/engine/refusal.ts';
import { isCisoAssistantLibrary, readCisoAssistantLibrary } from './formats/ciso-assistant.ts';
import { readFrameworkTable, type TableOptions } from './formats/framework-table.ts';
import type { JsonObject } from './formats/json-object.ts';
import { isOpenControlStandard, openControlFile, readOpenControlStandard } from './formats/open-control.ts';
import { parseJsonDocument, parseYamlDocument, READABLE_FORMATS } from './formats/parse-document.ts';
import type { FrameworkReading } from './framework-reading.ts';
import { readOscalCatalog } from './oscal/oscal-catalog.ts';
import { oscalSourceOf } from './oscal/oscal-document.ts';
import { type OscalSource, resolveProfile, type SourceReader } from './oscal/oscal-profile.ts';
import { readOscalXml } from './oscal/oscal-xml.ts';

/** Five times the largest published catalog. */
const MAX_FILE_BYTES = 64 * 1024 * 1024;
const INSPECTED_BYTES = 4096;

/** Files of these names are tables, also if their content is HTML or XML. */
const TABLE_EXTENSIONS = ['.csv', '.tsv', '.xlsx', '.ods', '.xls', '.html', '.htm'];
const YAML_EXTENSIONS = ['.yaml', '.yml'];
/**
 * The first line of a YAML mapping, behind blank lines and comments. A CSV's first line has more than a name and a colon.
 * Each line fits in one way only, so that many blank lines take no time.
 */
const YAML_START = /^(?:[^\S\n]*(?:#[^\n]*)?\n)*(?:---|%YAML|"?[\w-]+"?:(?:\s|$))/;

export interface FrameworkFileOptions {
  /** Uses the texts of controls as their descriptions. A table's texts are always used. */
  withText: boolean;
  /** Paths of the catalogs and profiles that a profile imports. */
  catalogs: readonly string[];
  table: TableOptions;
}

type FileFormat = 'JSON' | 'XML' | 'YAML' | 'TABLE';

/**
 * Reads a framework: an OSCAL catalog or profile in JSON, XML or YAML, a library of CISO Assistant, an OpenControl
 * standard, or a table. The format is recognized by the content.
 * @throws Refusal `invalid_input` that names the format and the way out
 */
export async function readFrameworkFile(path: string, options: FrameworkFileOptions): Promise<FrameworkReading> {
  const format = await formatOf(path);
  if (format === 'TABLE') return await readFrameworkTable(path, options.table);
  refuseTableOptions(format, options.table);
  const document = await readDocument(path, format);
  const source = oscalSourceOf(document);
  if (source !== null) return await readOscal(source, path, options);
  if (options.catalogs.length > 0)
    throw refusal('--catalog is for OSCAL profiles, and the file is none. Leave it out.');
  if (isCisoAssistantLibrary(document)) return readCisoAssistantLibrary(document, options.withText);
  if (isOpenControlStandard(document)) return readOpenControlStandard(document, options.withText);
  throw unknownDocument(document, format);
}

async function readOscal(source: OscalSource, path: string, options: FrameworkFileOptions): Promise<FrameworkReading> {
  if ('catalog' in source) {
    if (options.catalogs.length > 0) throw refusal('The file is a catalog itself. Leave --catalog out.');
    return readOscalCatalog(source.catalog, options.withText);
  }
  const { catalog, notices } = await resolveProfile(source.profile, sourceReader(path, options.catalogs));
  const reading = readOscalCatalog(catalog, options.withText);
  return { ...reading, notices: [...notices, ...reading.notices] };
}

/**
 * Returns a function that reads what a profile imports. Among the given catalogs, it takes the one with the same file
 * name. Else it takes the file that the profile names, else the only catalog given. It fetches nothing over the network.
 */
function sourceReader(profilePath: string, catalogs: readonly string[]): SourceReader {
  return async (addresses) => {
    const names = new Set(addresses.map((address) => basename(pathOf(address))));
    const local = addresses.filter((address) => !/^[a-z][a-z0-9+.-]*:/i.test(address));
    const candidates = [
      ...catalogs.filter((catalog) => names.has(basename(catalog))),
      ...local.map((address) => resolve(dirname(profilePath), pathOf(address))),
      ...(catalogs.length === 1 ? catalogs : []),
    ];
    for (const candidate of candidates) {
      const source = await readSource(candidate);
      if (source !== null) return { source, readSource: sourceReader(candidate, catalogs) };
    }
    throw refusal(
      `The profile imports ${addresses.join(' or ')}, which is not on this machine. Download it and give it with --catalog FILE.`,
    );
  };
}

/** Returns an address as a path. Spaces may be written as %20. */
function pathOf(address: string): string {
  try {
    return decodeURI(address);
  } catch {
    return address;
  }
}

/** Reads an OSCAL document, or returns null if there is no such file. @throws Refusal for another file */
async function readSource(path: string): Promise<OscalSource | null> {
  const isFile = await stat(path).then(
    (fileStats) => fileStats.isFile(),
    () => false,
  );
  if (!isFile) return null;
  const format = await formatOf(path);
  const source = format === 'TABLE' ? null : oscalSourceOf(await readDocument(path, format));
  if (source === null)
    throw refusal(`${basename(path)}, which the profile imports, is not an OSCAL catalog or profile.`);
  return source;
}

async function formatOf(path: string): Promise<FileFormat> {
  const start = await readStart(path);
  const text = start.toString('utf8').replace(/^\uFEFF/, '');
  const extension = extname(path).toLowerCase();
  if (/^\s*[{[]/.test(text)) return 'JSON';
  if (/^\s*</.test(text)) return TABLE_EXTENSIONS.includes(extension) ? 'TABLE' : 'XML';
  if (YAML_EXTENSIONS.includes(extension)) return 'YAML';
  return !TABLE_EXTENSIONS.includes(extension) && YAML_START.test(text) ? 'YAML' : 'TABLE';
}

async function readStart(path: string): Promise<Buffer> {
  const fileStats = await stat(path).catch(() => null);
  if (!fileStats?.isFile()) throw refusal('The file can’t be read. Check its name and your permissions.');
  if (fileStats.size > MAX_FILE_BYTES)
    throw refusal('The file is larger than 64 MiB. Give the catalog of one framework.');
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(INSPECTED_BYTES), 0, INSPECTED_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

async function readDocument(path: string, format: Exclude<FileFormat, 'TABLE'>): Promise<JsonObject> {
  const bytes = await readFile(path);
  switch (format) {
    case 'XML':
      return readOscalXml(bytes);
    case 'JSON':
      return parseJsonDocument(bytes.toString('utf8').replace(/^\uFEFF/, ''));
    case 'YAML':
      return parseYamlDocument(bytes.toString('utf8').replace(/^\uFEFF/, ''));
  }
}

function refuseTableOptions(format: FileFormat, table: TableOptions): void {
  const { map, ignored = [], sheet, headingRow, encoding } = table;
  const isGiven =
    (map?.size ?? 0) > 0 || ignored.length > 0 || [sheet, headingRow, encoding].some((option) => option !== undefined);
  if (!isGiven) return;
  throw refusal(
    `The file is ${format}, and --map, --ignore, --sheet, --header-row and --encoding are for tables. Leave them out.`,
  );
}

function unknownDocument(document: JsonObject, format: FileFormat): Refusal {
  const openControl = openControlFile(document);
  if (openControl !== null) {
    return refusal(`The file is an OpenControl ${openControl}, which has no controls of its own. Choose a standard.`);
  }
  const members = Object.keys(document).slice(0, 10).join(', ');
  return refusal(
    `The file is ${format} with ${members || 'nothing in it'}, but no known framework. ${READABLE_FORMATS}`,
  );
}

function refusal(message: string): Refusal {
  return new Refusal('invalid_input', message);
}

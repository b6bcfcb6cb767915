import { readdirSync, readFileSync } from 'node:fs';

const FOLDER = new URL('../../fixtures/families/', import.meta.url);

/** A tool of a family as the contract has it, copied by hand. Lists of names are separated by spaces. */
interface ToolContract {
  /** The properties besides those that all tools of this kind have. */
  properties?: string;
  required?: string;
  /** A list's own filters, and its orders. */
  filters?: string;
  orders?: string;
  /** The same call at a later time changes nothing more. */
  repeatable?: true;
  /** By default that of lists, or of other tools. */
  permission?: string;
}

/** `test/fixtures/families/<family>.json`: the part of the contract that a family has. */
interface FamilyContract {
  /** The type of its rows in importRecords, if it takes them. */
  importType?: string;
  tools: Record<string, ToolContract>;
  /** The values of enums, by path. */
  choices?: Record<string, string>;
}

const CONTRACTS = readdirSync(FOLDER).map(
  (name) => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as FamilyContract,
);

export const FAMILY_TOOL_CONTRACTS: readonly (readonly [name: string, contract: ToolContract])[] = CONTRACTS.flatMap(
  ({ tools }) => Object.entries(tools),
);

export const FAMILY_CHOICES: Readonly<Record<string, string>> = Object.assign(
  {},
  ...CONTRACTS.map(({ choices }) => choices),
);

export const IMPORT_TYPES: readonly string[] = CONTRACTS.flatMap(({ importType }) => importType ?? []);

export function words(text = ''): string[] {
  return text === '' ? [] : text.split(' ');
}

/** Returns the names of the tools for which `has` returns true. */
export function familyToolsWith(has: (name: string, contract: ToolContract) => boolean): string[] {
  return FAMILY_TOOL_CONTRACTS.filter(([name, contract]) => has(name, contract)).map(([name]) => name);
}

import type { Command } from './command.ts';

/** A subcommand as the help lists it. Its code is loaded when it is called, so that `veritrail --version` stays quick. */
export interface CommandEntry {
  /** One or two words. */
  name: string;
  summary: string;
  load(): Promise<Command>;
}

/** Every subcommand, in the order of the help. A new command needs an entry here and nothing else. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: 'start',
    summary: 'start the service',
    load: async () => (await import('./start.ts')).start,
  },
  {
    name: 'token create',
    summary: 'make an API token and print it, once',
    load: async () => (await import('./token-create.ts')).tokenCreate,
  },
  {
    name: 'token list',
    summary: 'list all API tokens, without the tokens themselves',
    load: async () => (await import('./token-list.ts')).tokenList,
  },
  {
    name: 'token revoke',
    summary: 'take an API token away',
    load: async () => (await import('./token-revoke.ts')).tokenRevoke,
  },
  {
    name: 'token regenerate',
    summary: 'replace an API token by a new one of the same rights',
    load: async () => (await import('./token-regenerate.ts')).tokenRegenerate,
  },
  {
    name: 'member list',
    summary: 'list the members of an organization, with their accounts',
    load: async () => (await import('./member-list.ts')).memberList,
  },
  {
    name: 'account link',
    summary: 'print a link by which somebody gets back into their account, once',
    load: async () => (await import('./account-link.ts')).accountLink,
  },
  {
    name: 'account email',
    summary: 'change the e-mail address that somebody signs in with',
    load: async () => (await import('./account-email.ts')).accountEmail,
  },
  {
    name: 'import',
    summary: 'bring in records from a CSV or XLSX file of any length',
    load: async () => (await import('./import.ts')).importFile,
  },
  {
    name: 'framework import',
    summary: 'adopt a framework from an OSCAL catalog or a CSV',
    load: async () => (await import('./framework-import.ts')).frameworkImport,
  },
  {
    name: 'export',
    summary: 'write an organization’s whole history into a file',
    load: async () => (await import('./export.ts')).exportHistory,
  },
  {
    name: 'verify',
    summary: 'prove an exported history, or a seal, without any store or server',
    load: async () => (await import('./verify.ts')).verify,
  },
  {
    name: 'redact',
    summary: 'take an event’s data out of an exported history',
    load: async () => (await import('./redact.ts')).redact,
  },
  {
    name: 'seal',
    summary: 'write an organization’s newest seal into a file, to be kept elsewhere',
    load: async () => (await import('./seal.ts')).seal,
  },
  {
    name: 'seal-key',
    summary: 'print the public key of the seals, or put another one in force (--rotate)',
    load: async () => (await import('./seal-key.ts')).sealKey,
  },
  {
    name: 'restore',
    summary: 'take an exported history, or a whole backup, into stores',
    load: async () => (await import('./restore.ts')).restore,
  },
  {
    name: 'backup',
    summary: 'write log, accounts and keys into one file',
    load: async () => (await import('./backup.ts')).backup,
  },
  {
    name: 'rebuild',
    summary: 'build the read models from the log anew, and switch to them',
    load: async () => (await import('./rebuild.ts')).rebuild,
  },
  {
    name: 'init',
    summary: 'begin an empty account store for a log that has facts (--adopt-log)',
    load: async () => (await import('./init.ts')).init,
  },
];

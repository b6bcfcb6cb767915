import type { Command } from './command.ts';

/** A subcommand in the help. Its code is loaded when it is called, so that `veritrail --version` stays quick. */
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
    summary: 'create an API token and print it once',
    load: async () => (await import('./accounts/tokens.ts')).tokenCreate,
  },
  {
    name: 'token list',
    summary: 'list all API tokens, without the tokens themselves',
    load: async () => (await import('./accounts/tokens.ts')).tokenList,
  },
  {
    name: 'token revoke',
    summary: 'revoke an API token',
    load: async () => (await import('./accounts/tokens.ts')).tokenRevoke,
  },
  {
    name: 'token regenerate',
    summary: 'replace an API token by a new one with the same rights',
    load: async () => (await import('./accounts/tokens.ts')).tokenRegenerate,
  },
  {
    name: 'member list',
    summary: 'list the members of an organization, with their accounts',
    load: async () => (await import('./accounts/member-list.ts')).memberList,
  },
  {
    name: 'proposal list',
    summary: 'list the calls of assistants that wait for a decision',
    load: async () => (await import('./proposals/proposal-commands.ts')).proposalList,
  },
  {
    name: 'proposal approve',
    summary: 'show what a proposal would do, and do it as a member (--as)',
    load: async () => (await import('./proposals/proposal-commands.ts')).proposalApprove,
  },
  {
    name: 'proposal decline',
    summary: 'decline a proposal as a member (--as)',
    load: async () => (await import('./proposals/proposal-commands.ts')).proposalDecline,
  },
  {
    name: 'proposal withdraw',
    summary: 'take a proposal back as the account that made it (--as)',
    load: async () => (await import('./proposals/proposal-commands.ts')).proposalWithdraw,
  },
  {
    name: 'account link',
    summary: 'print a link for a person who has forgotten their password',
    load: async () => (await import('./accounts/account-commands.ts')).accountLink,
  },
  {
    name: 'account email',
    summary: 'change the e-mail address that a person signs in with',
    load: async () => (await import('./accounts/account-commands.ts')).accountEmail,
  },
  {
    name: 'session end',
    summary: 'sign a person out of all browsers, or everybody (--all)',
    load: async () => (await import('./accounts/account-commands.ts')).sessionEnd,
  },
  {
    name: 'imported-names',
    summary: 'list or erase the names of people that imports stored',
    load: async () => (await import('./accounts/imported-names.ts')).importedNames,
  },
  {
    name: 'import',
    summary: 'import records from a spreadsheet',
    load: async () => (await import('./import/import.ts')).importFile,
  },
  {
    name: 'framework import',
    summary: 'adopt a built-in framework (--library), or one from a file',
    load: async () => (await import('./import/framework-import.ts')).frameworkImport,
  },
  {
    name: 'crosswalk import',
    summary: 'link the controls of two frameworks as a spreadsheet says',
    load: async () => (await import('./import/crosswalk-import.ts')).crosswalkImport,
  },
  {
    name: 'export',
    summary: 'write an organization’s whole history to a file',
    load: async () => (await import('./history/export.ts')).exportHistory,
  },
  {
    name: 'verify',
    summary: 'verify an export, a seal, a saved proof or an audit pack, without any store or server',
    load: async () => (await import('./proofs/verify.ts')).verifyHistory,
  },
  {
    name: 'redact',
    summary: 'remove an event’s data from an exported history',
    load: async () => (await import('./history/redact.ts')).redact,
  },
  {
    name: 'seal',
    summary: 'write an organization’s newest seal to a file, to keep elsewhere',
    load: async () => (await import('./proofs/seal.ts')).seal,
  },
  {
    name: 'seal-key',
    summary: 'print the public keys of the seals, or start using a new one (--rotate)',
    load: async () => (await import('./proofs/seal-key.ts')).sealKey,
  },
  {
    name: 'restore',
    summary: 'restore an exported history, or a whole backup',
    load: async () => (await import('./history/restore.ts')).restore,
  },
  {
    name: 'backup',
    summary: 'write the log, the accounts and the keys to one file',
    load: async () => (await import('./history/backup.ts')).backup,
  },
  {
    name: 'rebuild',
    summary: 'rebuild the read models from the log, and switch to them',
    load: async () => (await import('./history/rebuild.ts')).rebuild,
  },
  {
    name: 'init',
    summary: 'create accounts for a log whose account store is lost (--adopt-log)',
    load: async () => (await import('./init.ts')).init,
  },
];

import { ACCOUNT_FIELDS, fieldsIn } from '../commands/engine/references.ts';
import { organizationAggregate } from '../commands/families.ts';
import { accountOf, type Caller } from '../commands/organization/caller.ts';
import { isMemberWord, type MemberWords, readMemberWords } from '../queries/records/member-words.ts';
import type { WriteContext } from './tool.ts';

/** The only account field that may have a member's name or address. */
const OWNER_FIELD = 'owner_id';

type Fields = Record<string, unknown>;

/** Replaces ME by the caller's account id. */
export function resolveMe<C extends object>(caller: Caller, command: C): C {
  return replaceAccounts(command, ACCOUNT_FIELDS, (word) =>
    typeof word === 'string' ? accountOf(word, caller) : word,
  );
}

function replaceAccounts<C extends object>(
  command: C,
  names: readonly string[],
  replace: (account: unknown) => unknown,
): C {
  const replaceIn = (fields: Fields): Fields => {
    const replaced = names.filter((name) => name in fields).map((name) => [name, replace(fields[name])]);
    return { ...fields, ...Object.fromEntries(replaced) };
  };
  const result = replaceIn(command as Fields);
  for (const part of ['fields', 'changes']) if (result[part]) result[part] = replaceIn(result[part] as Fields);
  return result as C;
}

/** Finds the owners that the commands of one call name. It reads the members once, and only if there is a name. */
export class OwnerNames {
  private members: Promise<MemberWords> | undefined;

  constructor(
    private readonly context: WriteContext,
    private readonly organizationId: string,
  ) {}

  /** Returns a command with its owner's id in place of a name. @throws Refusal as MemberWords.require */
  async resolve<C>(command: C): Promise<C> {
    const hasName = fieldsIn(command as object).some((fields) => isMemberWord(fields[OWNER_FIELD]));
    if (!hasName) return command;
    const members = await this.readMembers();
    return replaceAccounts(command as object, [OWNER_FIELD], (word) =>
      isMemberWord(word) ? members.require(word, OWNER_FIELD) : word,
    ) as C;
  }

  /** Returns the account that a word names; undefined for an id, or without a word. @throws Refusal as `resolve` */
  async idOf(word: unknown): Promise<string | undefined> {
    return isMemberWord(word) ? (await this.readMembers()).require(word, OWNER_FIELD) : undefined;
  }

  /** Returns true for a name that looks like a member's but has other letters. */
  async isLookalike(name: string): Promise<boolean> {
    return (await this.readMembers()).isLookalike(name);
  }

  private readMembers(): Promise<MemberWords> {
    this.members ??= this.readFromLog();
    return this.members;
  }

  /** Reads the store, because no append would notice outdated members. */
  private async readFromLog(): Promise<MemberWords> {
    const { service, caller } = this.context;
    const { handler, names } = service;
    const { state } = await handler.load(organizationAggregate(this.organizationId), true);
    return readMemberWords(names, { id: this.organizationId, ...state! }, caller, handler.now());
  }
}

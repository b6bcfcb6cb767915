import { parseArgs } from 'node:util';
import { Refusal } from '../../commands/engine/refusal.ts';
import { proposalAggregate, STATE_WORDS } from '../../commands/proposal.ts';
import { listProposals, type Proposal } from '../../queries/proposals.ts';
import type { ProposedEffect } from '../../register/proposal.ts';
import { proposalWords } from '../../register/proposal-words.ts';
import { callerFor } from '../accounts/caller-for.ts';
import { type Command, CommandError, onlyArgument, type Shell, textTable, UsageError } from '../command.ts';
import { withInstallation } from '../with-installation.ts';
import { type OpenProposals, withProposals } from './open-proposals.ts';

/** Proposals that a list shows. */
const MAX_LISTED = 200;

export const proposalList: Command = {
  help: `Usage: veritrail proposal list [--all] [--organization ID] [--json]

Lists the proposals that wait for a decision, newest first, as far as the service has read the log.

  --all               lists those that are decided or expired too
  --organization ID   the organization (default: the first one)
  --json              prints a JSON array instead of a table`,

  async run(args, shell) {
    const flag = { type: 'boolean', default: false } as const;
    const options = { all: flag, json: flag, organization: { type: 'string' } } as const;
    const { values } = parseArgs({ args, options });
    await withInstallation(shell, (installation) =>
      withProposals(installation, async ({ reader }) => {
        const organizationId = values.organization ?? installation.organizationId;
        const only = values.all ? undefined : 'OPEN';
        const listed = await listProposals(reader.snapshot(), organizationId, { only, limit: MAX_LISTED });
        shell.out(values.json ? JSON.stringify(listed.map(toJson), null, 2) : table(listed));
      }),
    );
  },
};

const toJson = (proposal: Proposal) => {
  const { id, state, tool, reason, proposed_by, client, created_at, expires_at, decided_by, effects } = proposal;
  const would = proposalWords(effects);
  return { id, would, state, tool, reason, proposed_by, client, created_at, expires_at, decided_by };
};

function table(proposals: readonly Proposal[]): string {
  const rows = proposals.map(({ id, state, effects, client, created_at }) => [
    id,
    proposalWords(effects),
    client ?? '',
    created_at.slice(0, 10),
    STATE_WORDS[state],
  ]);
  return textTable([['PROPOSAL', 'WOULD', 'WITH', 'SINCE', 'STATE'], ...rows]);
}

/** The help on the account that decides. */
const AS = `  --as ACCOUNT     the member who decides (acc_…, see "veritrail member list")`;

export const proposalApprove: Command = {
  help: `Usage: veritrail proposal approve ID --as ACCOUNT [--yes]

Shows what a proposal would do now, asks, and does it with the rights of this member. The history says that it was approved
at the command line. It never counts as the other account that four eyes need.

${AS}
  --yes            doesn't ask`,

  run: (args, shell) =>
    decide(args, shell, async ({ proposals }, { id, caller, yes }) => {
      const { effects, refusal, seen, isChanged } = await proposals.preview(id, caller);
      if (refusal !== null) throw refusal;
      if (isChanged) shell.err('Something changed since this was proposed. This is what it would do now:');
      shell.err(effectTexts(effects));
      if (!yes && !(await shell.confirm?.(`${proposalWords(effects)}?`))) {
        throw new CommandError('Nobody confirmed it, so nothing was changed. Look at it, then repeat with --yes.');
      }
      const { done, refused } = await proposals.approve(id, caller, { seen });
      shell.out(`Approved ${id}: ${done} written, ${refused.length} refused.`);
      if (refused.length > 0) throw new CommandError(refused.map(({ message }) => message).join('\n'));
    }),
};

/** Returns the effects for a terminal, a line for each. Values are in JSON, so that they hold no control characters. */
function effectTexts(effects: readonly ProposedEffect[]): string {
  const lines = effects.flatMap(({ record_id, linked_id, event_types, changes }) => [
    `${event_types.join(', ')}: ${record_id}${linked_id === undefined ? '' : ` ${linked_id}`}`,
    ...changes.map(({ field, from, to }) => `  ${field}: ${JSON.stringify(from)} → ${JSON.stringify(to)}`),
  ]);
  return lines.join('\n');
}

export const proposalDecline: Command = {
  help: `Usage: veritrail proposal decline ID --as ACCOUNT --reason TEXT

Declines a proposal, and those that depend on it. The assistant gets the reason.

${AS}
  --reason TEXT    the reason, which the history keeps`,

  run: (args, shell) =>
    decide(args, shell, async ({ proposals }, { id, caller, reason }) => {
      if (!reason?.trim()) throw new UsageError('Give a --reason.');
      await proposals.decline(id, caller, reason);
      shell.out(`Declined ${id}. Nothing was changed.`);
    }),
};

export const proposalWithdraw: Command = {
  help: `Usage: veritrail proposal withdraw ID --as ACCOUNT

Takes a proposal back, and those that depend on it. Only the account that proposed it can.

${AS}`,

  run: (args, shell) =>
    decide(args, shell, async ({ proposals }, { id, caller }) => {
      await proposals.withdraw(id, caller);
      shell.out(`Withdrew ${id}. Nothing was changed.`);
    }),
};

interface Decision {
  id: string;
  caller: Awaited<ReturnType<typeof callerFor>>;
  yes: boolean;
  reason: string | undefined;
}

/** Opens the proposal's organization as the member in `--as`, and decides. */
async function decide(
  args: string[],
  shell: Shell,
  work: (open: OpenProposals, decision: Decision) => Promise<void>,
): Promise<void> {
  const text = { type: 'string' } as const;
  const options = { as: text, reason: text, yes: { type: 'boolean', default: false } } as const;
  const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
  const id = onlyArgument(positionals, 'the ID of the proposal (prp_…)');
  const { as, yes, reason } = values;
  if (as === undefined) throw new UsageError('Give the member who decides: --as ACCOUNT.');
  await withInstallation(
    shell,
    async (installation) => {
      const { organization_id } = await installation.handler.load(proposalAggregate(id));
      if (organization_id === null)
        throw new CommandError(`There is no proposal ${id}. See "veritrail proposal list".`);
      const caller = await callerFor(installation, 'proposal', organization_id, as);
      await withProposals(installation, (open) => work(open, { id, caller, yes, reason })).catch(asCommandError);
    },
    { writes: true },
  );
}

function asCommandError(error: unknown): never {
  throw error instanceof Refusal ? new CommandError(error.message) : error;
}

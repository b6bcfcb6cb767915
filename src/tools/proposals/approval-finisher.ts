import { PeriodicWork } from '../../clock/periodic-work.ts';
import type { Caller } from '../../commands/organization/caller.ts';
import type { Reader } from '../../queries/moments/snapshot.ts';
import { listProposals } from '../../queries/proposals.ts';
import type { Proposals } from './proposals.ts';

export interface ApprovalFinisherOptions {
  proposals: Pick<Proposals, 'finish' | 'endDependents'>;
  reader: Reader;
  /** Returns the ids of the organizations. */
  organizations: () => Iterable<string>;
  /** Returns true on the one instance that finishes approvals, while its read models are up to date. */
  mayRun: () => boolean;
  /** Returns an account with the rights that it has now. */
  callerOf: (accountId: string) => Promise<Caller>;
  log: { warn(details: object, message: string): void };
}

const RUN_INTERVAL_MS = 60_000;
/** Approvals of an organization that one run finishes. */
const MAX_PER_RUN = 20;

/**
 * Finishes decisions that a crash interrupted: approvals, and the ends of proposals that depend on one that ended. It runs
 * on the instance that leads the projections. An approval that two runs have seen is interrupted: none takes as long as the
 * time between them.
 */
export class ApprovalFinisher extends PeriodicWork {
  private seen = new Set<string>();

  constructor(private readonly options: ApprovalFinisherOptions) {
    super(RUN_INTERVAL_MS);
  }

  protected onFailure(error: unknown): void {
    this.options.log.warn({ err: error }, 'approved proposals could not be finished');
  }

  protected async work(): Promise<void> {
    const before = this.seen;
    this.seen = new Set();
    for (const organizationId of this.options.organizations()) {
      if (this.isStopped || !this.options.mayRun()) return;
      const snapshot = this.options.reader.snapshot();
      const approved = await listProposals(snapshot, organizationId, { only: 'APPROVED', limit: MAX_PER_RUN });
      for (const { id, decided_by } of approved) {
        if (before.has(id)) await this.attempt({ proposal: id }, () => this.finish(id, decided_by!));
        else this.seen.add(id);
      }
      await this.attempt({ organizationId }, () => this.options.proposals.endDependents(organizationId));
    }
  }

  private async finish(id: string, approver: string): Promise<void> {
    const { proposals, callerOf } = this.options;
    await proposals.finish(id, await callerOf(approver));
  }

  /** One that fails leaves the others free. A later run retries it. */
  private async attempt(details: object, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.options.log.warn({ err: error, ...details }, 'an interrupted decision on a proposal could not be finished');
    }
  }
}

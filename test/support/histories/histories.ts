import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { CommandHandler } from '../../../src/commands/engine/handler.ts';
import { derivedId } from '../../../src/commands/engine/ids.ts';
import { Refusal } from '../../../src/commands/engine/refusal.ts';
import { organization } from '../../../src/commands/organization/organization.ts';
import { type RiskCommand, risk } from '../../../src/commands/risk.ts';
import { type VendorCommand, vendor } from '../../../src/commands/vendor.ts';
import { envelopeFor } from '../register.ts';
import { MemoryEventStore } from '../stores/memory-event-store.ts';

interface Step {
  organization: number;
  record: number;
  /** Milliseconds by which the clock moves before this step. May be negative. */
  clockStepMs: number;
  command: { risk: RiskCommand } | { vendor: VendorCommand };
}

const name = fc.constantFrom('Ümlaut', 'plain', 'Third thing');
const rating = fc.option(fc.integer({ min: 1, max: 5 }), { freq: 5 });

const command: fc.Arbitrary<Step['command']> = fc.oneof(
  name.map((n) => ({ vendor: { type: 'AddVendor', fields: { name: n } } as const })),
  fc.record({ name, country: fc.option(fc.constant('EE')) }).map((changes) => ({
    vendor: { type: 'UpdateVendor', changes, reason: 'why' } as const,
  })),
  fc.constantFrom('APPROVED', 'REJECTED').map((outcome) => ({ vendor: { type: 'ReviewVendor', outcome } as const })),
  name.map((n) => ({
    risk: { type: 'AddRisk', fields: { name: n, inherent_likelihood: 5, inherent_impact: 5 } } as const,
  })),
  fc.record({ note: fc.option(name), residual_likelihood: rating, residual_impact: rating }).map((changes) => ({
    risk: { type: 'UpdateRisk', changes } as const,
  })),
  fc.constantFrom('ACCEPT', 'REVOKE', 'CLOSE', 'REOPEN').map((decision) => ({
    risk: { type: 'DecideRisk', decision, until: '2026-06-01', reason: 'why' } as const,
  })),
  fc.constantFrom('Archive', 'Restore').map((type) => ({ vendor: { type, reason: 'why' } as const })),
);

const step: fc.Arbitrary<Step> = fc.record({
  organization: fc.nat(1),
  record: fc.nat(2),
  clockStepMs: fc.integer({ min: -3_000, max: 5_000 }),
  command,
});

/** Generates random histories: commands on records of two organizations, with a clock that sometimes goes back. */
export const history = fc.array(step, { minLength: 1, maxLength: 60 });

export interface PlayedHistory {
  store: MemoryEventStore;
  organizations: string[];
}

/** Runs the commands one after the other, in two new organizations. Refused commands write nothing. */
export async function playSteps(steps: readonly Step[]): Promise<PlayedHistory> {
  const store = new MemoryEventStore();
  const runId = randomUUID();
  const organizations = [0, 1].map((n) => derivedId('org', runId, n));
  let now = Date.parse('2026-01-01T00:00:00.000Z');
  const handler = new CommandHandler(store, { now: () => new Date(now), maxAcceptanceDays: 366, simulated: true });
  for (const id of organizations) {
    const create = { name: id, import_key: 'k', installation: 'i', owner_id: 'acc_1' };
    const command = { type: 'CreateOrganization', ...create } as const;
    await handler.execute(
      { stream: `organization-${id}`, decider: organization },
      command,
      envelopeFor({ organization_id: id }),
    );
  }
  for (const { organization: o, record, clockStepMs, command } of steps) {
    now += clockStepMs;
    const envelope = envelopeFor({ organization_id: organizations[o]! });
    const index = o * 10 + record;
    try {
      if ('risk' in command) {
        await handler.execute(
          { stream: `risk-${derivedId('rsk', runId, index)}`, decider: risk },
          command.risk,
          envelope,
        );
      } else {
        await handler.execute(
          { stream: `vendor-${derivedId('vnd', runId, index)}`, decider: vendor },
          command.vendor,
          envelope,
        );
      }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
    }
  }
  return { store, organizations };
}

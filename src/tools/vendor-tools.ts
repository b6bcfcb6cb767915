import { z } from 'zod';
import { Refusal } from '../commands/engine/refusal.ts';
import { type ReviewVendor, supersededBy } from '../commands/vendor.ts';
import { OUTCOMES, VENDOR, type VendorState } from '../register/vendor.ts';
import { changeTool, type FamilyTools, familyTools, withdrawalCommand } from './family-tools.ts';
import * as field from './schema/fields.ts';
import { statedTime } from './schema/output.ts';

const vendors = familyTools(VENDOR);

export const vendorTools: FamilyTools = {
  ...vendors,
  others: [
    changeTool('reviewVendor', vendors.record, {
      title: 'Record a vendor review',
      description:
        'Record a finished review (check) of a vendor (supplier, provider): sets status, last_reviewed (reviewed_at, default today), next_review_due (365 days later). A later review stays (superseded_by). CONDITIONAL needs conditions. withdraw takes back the newest (reason).',
      fields: () => ({
        outcome: field.withoutDescription(
          field.enumOf(OUTCOMES).optional().describe('required unless withdraw is true'),
        ),
        findings: field.clearable(field.text()),
        conditions: field.clearable(field.text()),
        reviewed_at: field.withoutDescription(field.dateOrTime().optional().describe('now by default')),
        next_review_due: field.clearable(field.date()),
        withdraw: field.withdraw(VENDOR.withdrawal.noun),
      }),
      example: { outcome: 'CONDITIONAL', conditions: 'Encrypts backups by summer', reason: 'Yearly review' },
      command: ({ withdraw, reason, ...review }) => {
        if (withdraw) return withdrawalCommand(VENDOR, review, reason);
        if (review.outcome !== undefined) return { type: 'ReviewVendor', ...review, ...(reason ? { reason } : {}) };
        const message = 'Give outcome; or withdraw: true and a reason, to take back the newest review.';
        throw new Refusal('invalid_input', message, { field: 'outcome', allowed: OUTCOMES });
      },
      extraOutput: {
        shape: () => ({
          superseded_by: z
            .strictObject({ reviewed_at: statedTime(), outcome: field.enumOf(OUTCOMES).nullable() })
            .optional()
            .describe(
              'the newest review, if it is later than this one; outcome is null if the vendor was added with it',
            ),
        }),
        of: (command, { recorded_at, state }) => {
          if (recorded_at === null || !('outcome' in command)) return {};
          const newest = supersededBy(command as ReviewVendor, recorded_at, state as VendorState);
          return newest === null ? {} : { superseded_by: newest };
        },
      },
    }),
  ],
};

import { z } from 'zod';
import { type ReviewVendor, supersededBy } from '../commands/vendor.ts';
import { OUTCOMES, VENDOR, type VendorState } from '../register/vendor.ts';
import { changeTool, type FamilyTools, familyTools } from './family-tools.ts';
import * as field from './schema/fields.ts';
import { statedTime } from './schema/output.ts';

const vendors = familyTools(VENDOR);

export const vendorTools: FamilyTools = {
  ...vendors,
  others: [
    changeTool('reviewVendor', vendors.record, {
      title: 'Record a vendor review',
      description:
        'Record a review. It sets status to the outcome, last_reviewed (reviewed_at or now) and next_review_due (365 days later by default). If a later review exists, the vendor stays as it is and the answer has superseded_by. CONDITIONAL needs conditions. Reinstates a suspended vendor.',
      fields: () => ({
        outcome: field.enumOf(OUTCOMES),
        findings: field.clearable(field.text()),
        conditions: field.clearable(field.text()),
        reviewed_at: field.withoutDescription(field.dateOrTime().optional().describe('now by default')),
        next_review_due: field.clearable(field.date()),
      }),
      example: { outcome: 'CONDITIONAL', conditions: 'Encrypts backups by summer', reason: 'Yearly review' },
      command: (review) => ({ type: 'ReviewVendor', ...review }),
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
          if (recorded_at === null) return {};
          const newest = supersededBy(command as ReviewVendor, recorded_at, state as VendorState);
          return newest === null ? {} : { superseded_by: newest };
        },
      },
    }),
  ],
};

import { z } from 'zod';
import { type ReviewVendor, supersededBy, type VendorState } from '../commands/vendor.ts';
import { vendorQuery } from '../queries/vendors.ts';
import { CRITICALITIES, OUTCOMES, VENDOR_STATUSES } from '../register/vendor.ts';
import * as field from './schema/fields.ts';
import { time } from './schema/output.ts';
import { addTool, changeTool, type FamilyTools, listTool, toolFamily, updateTool } from './tools/family-tools.ts';

const vendors = toolFamily({
  query: vendorQuery,
  required: { name: field.name() },
  settable: {
    description: field.clearable(field.text()).describe('the service it provides'),
    website_url: field.clearable(field.url()),
    category: field.clearable(field.name()),
    country: field.clearable(field.name()),
    criticality: field.clearable(field.enumOf(CRITICALITIES)),
    data_shared: field.clearable(field.text()),
    processes_personal_data: field.clearable(z.boolean()),
    contract_until: field.clearable(field.date()),
    next_review_due: field.clearable(field.date()),
    owner_id: field.clearable(field.account()),
    status: field.enumOf(VENDOR_STATUSES).optional(),
  },
  settableWhenAdding: { last_reviewed: field.clearable(field.timestamp()) },
  derived: {
    review: z
      .strictObject({
        outcome: field.enumOf(OUTCOMES),
        findings: field.text().nullable(),
        conditions: field.text().nullable(),
        reviewed_by: field.id('acc'),
        reviewed_at: time(),
      })
      .nullable()
      .describe('the newest review'),
  },
  filter: {
    status: field.enumList(VENDOR_STATUSES).optional(),
    criticality: field.enumList(CRITICALITIES).optional(),
    category: field.listOf(field.name()).optional(),
    country: field.listOf(field.name()).optional(),
    processes_personal_data: z.boolean().optional(),
    reviewed_before: field.timestamp().optional(),
    never_reviewed: z.boolean().optional(),
    review_due_before: field.date().optional(),
    review_overdue: z.boolean().optional(),
  },
  descriptions: {
    list: 'List vendors (suppliers, processors) by name. Not reviewed for a year, or never: filter.reviewed_before.',
    add: 'Add a vendor, PENDING_REVIEW by default; SUSPENDED and OFFBOARDED need reason. For review outcomes: reviewVendor.',
    update: 'Correct a vendor, or set status SUSPENDED or OFFBOARDED (with reason). For review outcomes: reviewVendor.',
  },
  examples: {
    list: { filter: { reviewed_before: '{today-365}', criticality: ['HIGH', 'CRITICAL'] } },
    add: {
      name: 'Nimbus Hosting',
      description: 'Hosts our backups',
      country: 'Ireland',
      criticality: 'HIGH',
      processes_personal_data: true,
      last_reviewed: '{today-400}',
      owner_id: 'ME',
    },
    update: { contract_until: '{today+300}', website_url: 'https://nimbus.example', reason: 'Contract renewed' },
  },
});

export const vendorTools: FamilyTools = {
  record: vendors.record,
  list: listTool('listVendors', vendors),
  add: addTool('addVendor', vendors),
  update: updateTool('updateVendor', vendors),
  others: [
    changeTool('reviewVendor', vendors, {
      description:
        'Record a review. It sets status to the outcome, last_reviewed (reviewed_at or now) and next_review_due (365 days later by default). If a later review exists, the vendor stays as it is and the answer has superseded_by. CONDITIONAL needs conditions. Reinstates a suspended vendor.',
      fields: {
        outcome: field.enumOf(OUTCOMES),
        findings: field.clearable(field.text()),
        conditions: field.clearable(field.text()),
        reviewed_at: field.withoutDescription(
          field.dateOrTime().optional().describe('now by default; a date means its end, at most now'),
        ),
        next_review_due: field.clearable(field.date()),
      },
      example: { outcome: 'CONDITIONAL', conditions: 'Encrypts backups by summer', reason: 'Yearly review' },
      command: (review) => ({ type: 'ReviewVendor', ...review }),
      extraOutput: {
        shape: {
          superseded_by: z
            .strictObject({ reviewed_at: time(), outcome: field.enumOf(OUTCOMES).nullable() })
            .optional()
            .describe(
              'the newest review, if it is later than this one; outcome is null if the vendor was added with it',
            ),
        },
        of: (command, { recorded_at, state }) => {
          if (recorded_at === null) return {};
          const newest = supersededBy(command as ReviewVendor, recorded_at, state as VendorState);
          return newest === null ? {} : { superseded_by: newest };
        },
      },
    }),
  ],
};

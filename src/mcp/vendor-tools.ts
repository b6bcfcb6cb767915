import { z } from 'zod';
import { CRITICALITIES, OUTCOMES, VENDOR_STATUSES } from '../commands/vendor.ts';
import { listRecords } from '../queries/list.ts';
import { vendorQuery } from '../queries/vendors.ts';
import * as field from './fields.ts';
import { type Service, tool } from './service.ts';
import type { Tool } from './tool.ts';
import { addRecord, changeRecord } from './write.ts';

const details = {
  description: field.clearable(field.text()).describe('the service it provides'),
  website_url: field.clearable(field.url()),
  category: field.clearable(field.name()),
  country: field.clearable(field.name()),
  criticality: field.clearable(field.oneOf(CRITICALITIES)),
  data_shared: field.clearable(field.text()),
  processes_personal_data: field.clearable(z.boolean()),
  contract_until: field.clearable(field.date()),
  next_review_due: field.clearable(field.date()),
  owner_id: field.clearable(field.account()),
  status: field.oneOf(VENDOR_STATUSES).optional(),
};

const filter = z.strictObject({
  ...field.commonFilters('vnd', ['OWNER']),
  status: field.someOf(VENDOR_STATUSES).optional(),
  criticality: field.someOf(CRITICALITIES).optional(),
  category: field.some(field.name()).optional(),
  country: field.some(field.name()).optional(),
  processes_personal_data: z.boolean().optional(),
  reviewed_before: field.timestamp().optional().describe('last review before it, or never'),
  never_reviewed: z.boolean().optional(),
  review_due_before: field.date().optional(),
  review_overdue: z.boolean().optional(),
});

export function vendorTools(service: Service): Tool[] {
  const family = 'VENDOR';
  const singular = 'vendor';
  return [
    tool({
      name: 'listVendors',
      description:
        'Vendors (suppliers, processors), by name unless ordered otherwise. For vendors not reviewed for a year: filter.reviewed_before. To read known ids whole, use getRecords.',
      readOnly: true,
      input: z.strictObject({
        organization_id: field.organizationId(),
        filter: filter.optional(),
        ...field.listFields(['name', 'last_reviewed', 'next_review_due', 'created_at', 'updated_at']),
      }),
      run: (input, { caller }) => listRecords(service.reader, vendorQuery, 'listVendors', caller, input),
    }),
    tool({
      name: 'addVendor',
      description:
        'Add a vendor; it begins PENDING_REVIEW. SUSPENDED and OFFBOARDED need reason. Record a review with reviewVendor afterwards.',
      input: z.strictObject({
        organization_id: field.organizationId(),
        name: field.name(),
        ...details,
        last_reviewed: field.clearable(field.timestamp()),
        ...field.writeFields,
      }),
      run: ({ organization_id, reason, idempotency_key, ...fields }, { caller }) =>
        addRecord(service, caller, {
          tool: 'addVendor',
          family,
          singular,
          input: { organization_id, idempotency_key },
          command: { type: 'AddVendor', fields, ...(reason ? { reason } : {}) },
        }),
    }),
    tool({
      name: 'updateVendor',
      description:
        'Correct a vendor, or set status SUSPENDED or OFFBOARDED (with reason). The outcome of a review is set by reviewVendor only.',
      input: z.strictObject({
        id: field.id('vnd'),
        organization_id: field.organizationId().optional(),
        name: field.name().optional(),
        ...details,
        ...field.writeFields,
        expected_revision: field.expectedRevision(),
      }),
      run: ({ id, organization_id, reason, idempotency_key, expected_revision, ...changes }, { caller }) =>
        changeRecord(service, caller, id, {
          tool: 'updateVendor',
          family,
          singular,
          input: { organization_id, idempotency_key, expected_revision },
          command: { type: 'UpdateVendor', changes, ...(reason ? { reason } : {}) },
        }),
    }),
    tool({
      name: 'reviewVendor',
      description:
        'Record a review of a vendor: sets status to the outcome, last_reviewed, and next_review_due (365 days later unless given). CONDITIONAL needs conditions. Also takes a suspended vendor back.',
      input: z.strictObject({
        id: field.id('vnd'),
        organization_id: field.organizationId().optional(),
        outcome: field.oneOf(OUTCOMES),
        findings: field.clearable(field.text()),
        conditions: field.clearable(field.text()),
        reviewed_at: field.timestamp().optional().describe('now unless given'),
        next_review_due: field.clearable(field.date()),
        ...field.writeFields,
        expected_revision: field.expectedRevision(),
      }),
      run: ({ id, organization_id, idempotency_key, expected_revision, ...review }, { caller }) =>
        changeRecord(service, caller, id, {
          tool: 'reviewVendor',
          family,
          singular,
          input: { organization_id, idempotency_key, expected_revision },
          command: { type: 'ReviewVendor', ...review },
        }),
    }),
  ];
}

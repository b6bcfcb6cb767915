import { z } from 'zod';
import { ACCESS_RECORD_TYPE } from '../../queries/changes/access-log-source.ts';
import { FAMILY_QUERIES } from '../../queries/family-query.ts';
import { PROPOSAL_PREFIX } from '../../queries/proposals.ts';
import * as field from './fields.ts';
import { once } from './once.ts';

export const RECORD_TYPES = ['ORGANIZATION', ...Object.values(FAMILY_QUERIES).map(({ type }) => type)] as [
  string,
  ...string[],
];

/** Returns the input of listChanges. */
export const changesInput = once(() =>
  z.strictObject({
    organization_id: field.impliedOrganizationId(),
    filter: z
      .strictObject({
        record_id: field.listOf(field.recordId('org', PROPOSAL_PREFIX, ...Object.keys(FAMILY_QUERIES))).optional(),
        record_types: field.enumList([...RECORD_TYPES, 'PROPOSAL', ACCESS_RECORD_TYPE]).optional(),
        actor_id: field.listOf(field.actor()).optional(),
        call_id: field.callId().optional(),
        event_types: field.listOf(field.name()).optional().describe('such as VendorReviewed'),
        field: field.withoutDescription(field.name().optional().describe('only changes of this field, such as status')),
        from: z.string().optional().describe('date, time or position, inclusive'),
        to: z.string().optional(),
      })
      .optional(),
    verify: z.boolean().default(false),
    verify_cursor: z.string().optional(),
    ...field.pageFields(),
  }),
);

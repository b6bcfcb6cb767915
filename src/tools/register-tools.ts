import { z } from 'zod';
import { listChanges } from '../queries/changes/list-changes.ts';
import { FAMILY_QUERIES } from '../queries/family-query.ts';
import { listOrganizations } from '../queries/lists/list-organizations.ts';
import { PROPOSAL_PREFIX } from '../queries/proposals.ts';
import { getRecords } from '../queries/records/get-records.ts';
import { linkablePairs } from '../register/families.ts';
import { RELATIONS } from '../register/link.ts';
import { FAMILY_TOOLS } from './all-family-tools.ts';
import { pageOfChanges, pageOfRequestedRecord } from './answer-page.ts';
import { archiveRecords } from './archive-records.ts';
import { linkRecords } from './link-records.ts';
import { changesInput } from './schema/changes-schema.ts';
import * as field from './schema/fields.ts';
import {
  archiveOutput,
  changesOutput,
  linksOutput,
  organizationsOutput,
  recordsOutput,
} from './schema/register-output.ts';
import { defineTool, listLoad, recordsLoad, type Tool } from './tool.ts';

const ID_PREFIXES = Object.keys(FAMILY_QUERIES);

/** The tools that serve all families. */
export const REGISTER_TOOLS: readonly Tool[] = [
  defineTool({
    name: 'listOrganizations',
    title: 'List organizations',
    permission: 'readRecords',
    description: 'Your organizations: id, role, permissions, account_id. include_members: people who can own records.',
    input: () =>
      z.strictObject({
        size: z.int().min(1).max(100).default(20),
        cursor: z.string().optional(),
        include_members: z.boolean().default(false),
      }),
    output: organizationsOutput,
    example: { include_members: true },
    readsCurrentState: ({ include_members }) => !include_members,
    run: (input, { service, caller }) => listOrganizations(service.reader, caller, input),
  }),
  defineTool({
    name: 'listChanges',
    title: 'List changes',
    permission: 'readRecords',
    description:
      'History: who changed (altered, suspended) what, when, why; newest first. verify proves nobody tampered with the log; verify_cursor continues. ACCESS alone: sign-ins, token use. Past state: as_of in lists.',
    namedRecords: () => 'ANY',
    input: changesInput,
    output: changesOutput,
    example: { organization_id: '{organization}', filter: { record_id: ['{vendor}'] }, verify: true, size: 1 },
    load: ({ verify, ...input }, events) => (verify ? 'LONG' : listLoad(input, events)),
    run: (input, { service, caller, signal, progress }) =>
      listChanges(service.reader, caller, input, { signal, progress }),
    page: (input, _answer, caller) => pageOfChanges(input, caller),
  }),
  defineTool({
    name: 'getRecords',
    title: 'Read records',
    permission: 'readRecords',
    description:
      'Read all details of up to 50 records of any type, now or as_of. ARCHIVED includes archived ones. To search, use a list.',
    namedRecords: ({ include }) => (Array.isArray(include) && include.includes('ARCHIVED') ? 'ANY' : 'LIVE'),
    takesUnknownNames: true,
    input: () =>
      z.strictObject({
        ids: field.listOfIdsOrNames(50, [...ID_PREFIXES, PROPOSAL_PREFIX]),
        organization_id: field.optionalOrganizationId(),
        include: field.enumList(['LINKS', 'EVIDENCE', 'HISTORY', 'AUTHORS', 'ARCHIVED']).optional(),
        as_of: z.string().optional(),
      }),
    output: () => recordsOutput(FAMILY_TOOLS.map(({ record }) => record)),
    example: { ids: ['{measure}'], include: ['LINKS', 'EVIDENCE'] },
    readsCurrentState: ({ as_of, include }) =>
      as_of === undefined && !include?.some((part) => part === 'HISTORY' || part === 'AUTHORS'),
    load: recordsLoad,
    run: (input, { service, caller }) => getRecords(service.reader, caller, input),
    page: pageOfRequestedRecord,
  }),
  defineTool({
    name: 'linkRecords',
    title: 'Link or unlink records',
    idempotent: true,
    destructive: true,
    permission: 'changeRecords',
    description: `LINK (default) or UNLINK 1-100 pairs: ${linkablePairs()}. Controls need a relation.`,
    input: () =>
      z.strictObject({
        links: z
          .array(
            z.strictObject({
              from_id: field.recordId(...ID_PREFIXES),
              to_id: field.recordId(...ID_PREFIXES),
              // Without its enum, so that callers who send every property can send an empty text.
              relation: field
                .clearable(field.withoutEnum(z.enum(RELATIONS)))
                .describe(`two controls only: ${RELATIONS.join(', ')} (of to_id)`),
            }),
          )
          .min(1)
          .max(100),
        organization_id: field.optionalOrganizationId(),
        action: z.enum(['LINK', 'UNLINK']).default('LINK'),
        ...field.unpublishedBulkFields,
        ...field.writeFields,
      }),
    output: linksOutput,
    example: {
      links: [
        { from_id: '{risk}', to_id: '{measure}' },
        { from_id: '{risk}', to_id: '{vendor}' },
      ],
      reason: 'The restore test treats it, the vendor shares it',
    },
    run: linkRecords,
  }),
  defineTool({
    name: 'archiveRecords',
    title: 'Archive or restore records',
    idempotent: true,
    permission: 'archiveRecords',
    description:
      'ARCHIVE 1-100 records (a duplicate): hidden from lists and counts. Nothing can delete them. RESTORE brings back. Needs ADMIN.',
    destructive: true,
    namedRecords: ({ action }) => (action === 'RESTORE' ? 'ARCHIVED' : 'LIVE'),
    input: () =>
      z.strictObject({
        ids: field.idList(100, ID_PREFIXES),
        organization_id: field.optionalOrganizationId(),
        action: z.enum(['ARCHIVE', 'RESTORE']),
        ...field.bulkFields,
        reason: field.requiredReason(),
        idempotency_key: field.writeFields.idempotency_key,
      }),
    output: archiveOutput,
    example: { ids: ['{measure}'], action: 'ARCHIVE', reason: 'The vendor tests restores now' },
    run: archiveRecords,
  }),
];

import { z } from 'zod';
import { organizationAggregate } from '../../commands/families.ts';
import { requirePermission } from '../../commands/organization/permissions.ts';
import { withReason } from '../../commands/record.ts';
import { AUTONOMIES } from '../../register/proposal.ts';
import { defineTool, type Tool } from '../tool.ts';
import { envelopeFor, waitUntilReadable } from '../write.ts';

/**
 * Changes an organization's policy of approvals. No client lists or calls it: a page does, for a person. It is a tool so that a
 * change which needs another OWNER is proposed and approved like any call.
 */
export const APPROVAL_POLICY_TOOL: Tool = defineTool({
  name: 'changeApprovalPolicy',
  title: 'Change the approval policy',
  permission: 'changeApprovalPolicy',
  description: 'Sets what assistants may do alone, and what another account must approve.',
  input: () =>
    z.strictObject({
      organization_id: z.string(),
      ceiling: z.enum(AUTONOMIES),
      four_eyes: z.array(z.string()),
      hourly_changes: z.int(),
      reason: z.string().optional(),
      idempotency_key: z.string().optional(),
    }),
  output: () => z.strictObject({ call_id: z.string() }),
  example: { organization_id: '{organization}', ceiling: 'ALL', four_eyes: [], hourly_changes: 500 },
  async run({ organization_id, idempotency_key, reason, ...policy }, { service, caller, tool }) {
    const { handler } = service;
    const role = requirePermission(caller, organization_id, tool.permission);
    const call_id = handler.commandId([organization_id, tool.name], idempotency_key);
    const command = { type: 'ChangeApprovalPolicy', ...policy, ...withReason(reason) } as const;
    const envelope = envelopeFor(caller, organization_id, role, tool.permission, call_id);
    const identified = { ...envelope, command_id: call_id, input: command };
    const result = await handler.execute(organizationAggregate(organization_id), command, identified);
    await waitUntilReadable(service, organization_id, result);
    return { call_id };
  },
});

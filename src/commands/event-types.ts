import type { SealEvent } from '../trail/seals/seal-events.ts';
import type { AuditEvent } from './audit.ts';
import type { ControlEvent } from './control.ts';
import type { EventOf } from './define-family.ts';
import { schemaVersion } from './engine/upcast.ts';
import type { FrameworkEvent } from './framework.ts';
import type { LinkEvent } from './link.ts';
import type { MeasureEvent } from './measure.ts';
import type { NonconformityEvent } from './nonconformity.ts';
import type { ObligationEvent } from './obligation.ts';
import type { OrganizationEvent } from './organization/organization-state.ts';
import type { RiskEvent } from './risk.ts';
import type { VendorEvent } from './vendor.ts';

type RecordEvent =
  | AuditEvent
  | ControlEvent
  | EventOf<'Evidence', object, object>
  | FrameworkEvent
  | MeasureEvent
  | NonconformityEvent
  | ObligationEvent
  | RiskEvent
  | VendorEvent;

/** Every event type that this version writes and reads. test/commands/engine/recorded-events.test.ts checks the list. */
export const EVENT_TYPES = [
  'AuditAdded',
  'AuditArchived',
  'AuditCompleted',
  'AuditDetailsChanged',
  'AuditOutdated',
  'AuditOwnerAssigned',
  'AuditRejected',
  'AuditReopened',
  'AuditRestored',
  'AuditStarted',
  'ControlArchived',
  'ControlDetailsChanged',
  'ControlExcluded',
  'ControlIncluded',
  'ControlJustified',
  'ControlOwnerAssigned',
  'ControlRestored',
  'DomainAdmitted',
  'DomainWithdrawn',
  'EvidenceAdded',
  'EvidenceArchived',
  'EvidenceRestored',
  'FrameworkAdopted',
  'FrameworkArchived',
  'FrameworkRestored',
  'MeasureAdded',
  'MeasureArchived',
  'MeasureDetailsChanged',
  'MeasureImplemented',
  'MeasureJustificationChanged',
  'MeasureOwnerAssigned',
  'MeasureReinstated',
  'MeasureRestored',
  'MeasureRuledOut',
  'MeasureSetBack',
  'MeasureStarted',
  'MemberAdded',
  'MemberRemoved',
  'MemberRoleChanged',
  'NonconformityArchived',
  'NonconformityClosed',
  'NonconformityDetailsChanged',
  'NonconformityOwnerAssigned',
  'NonconformityRaised',
  'NonconformityReopened',
  'NonconformityRestored',
  'NonconformitySetBack',
  'NonconformitySubmittedForVerification',
  'NonconformityWorkStarted',
  'ObligationAdded',
  'ObligationArchived',
  'ObligationAssessed',
  'ObligationDetailsChanged',
  'ObligationOwnerAssigned',
  'ObligationRestored',
  'ObligationReviewDateCorrected',
  'OrganizationCreated',
  'OrganizationRenamed',
  'RecordsLinked',
  'RecordsUnlinked',
  'RiskAcceptanceRevoked',
  'RiskAccepted',
  'RiskAdded',
  'RiskArchived',
  'RiskAssessed',
  'RiskClosed',
  'RiskDetailsChanged',
  'RiskOwnerAssigned',
  'RiskReopened',
  'RiskRestored',
  'RiskTreatmentHalted',
  'RiskTreatmentPlanned',
  'RiskTreatmentStarted',
  'TokenCreated',
  'TokenRegenerated',
  'TokenRevoked',
  'VendorAdded',
  'VendorArchived',
  'VendorDetailsChanged',
  'VendorOffboarded',
  'VendorOwnerAssigned',
  'VendorRestored',
  'VendorReviewed',
  'VendorSuspended',
  'SealKeyIntroduced',
  'SealKeyReplaced',
  'SealKeyRotated',
  'LogSealed',
] as const satisfies readonly (RecordEvent | OrganizationEvent | LinkEvent | SealEvent)['type'][];

/** The newest readable schema version of each event type. */
export type ReadableEvents = Readonly<Record<string, number>>;

/** The event types that this version of the service reads. */
export const READABLE_EVENTS: ReadableEvents = Object.fromEntries(
  EVENT_TYPES.map((type) => [type, schemaVersion(type)]),
);

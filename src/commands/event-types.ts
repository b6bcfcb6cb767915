import type { SealFact } from '../trail/seal.ts';
import type { AuditEvent } from './audit.ts';
import type { ControlEvent } from './control.ts';
import type { EventOf } from './family.ts';
import type { FrameworkEvent } from './framework.ts';
import type { LinkEvent } from './link.ts';
import type { MeasureEvent } from './measure.ts';
import type { NonconformityEvent } from './nonconformity.ts';
import type { ObligationEvent } from './obligation.ts';
import type { OrganizationEvent } from './organization-state.ts';
import type { RiskEvent } from './risk.ts';
import { schemaVersion } from './upcast.ts';
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

/** Every type of event that this version writes, and so can read. test/commands/recorded-events.test.ts holds it complete. */
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
] as const satisfies readonly (RecordEvent | OrganizationEvent | LinkEvent | SealFact)['type'][];

/** The newest schema version that can be read of each event type. */
export type ReadableEvents = Readonly<Record<string, number>>;

/** The event types that this version reads, each with its newest schema version. */
export const READABLE_EVENTS: ReadableEvents = Object.fromEntries(
  EVENT_TYPES.map((type) => [type, schemaVersion(type)]),
);

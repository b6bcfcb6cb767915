import { DEMO_FRAMEWORK } from './framework-stories.ts';
import { auditStory, type Story, type StoryContext, updateAudit } from './story.ts';

export const CERTIFICATION = 'Certification audit';
export const SURVEILLANCE = 'First surveillance audit';

/** Returns the stories of the certification, the surveillance audit and an internal audit. */
export function auditStories({ day, accountId }: StoryContext): Story[] {
  const admin = accountId('admin');
  return [
    auditStory(
      480,
      {
        framework_id: DEMO_FRAMEWORK,
        name: CERTIFICATION,
        kind: 'CERTIFICATION',
        auditor: 'Fjellrype Certification',
        starts_on: day(-404),
        period_from: day(-724),
        period_until: day(-405),
        owner_id: admin,
      },
      updateAudit(404, 'admin', { state: 'IN_PROGRESS' }),
      updateAudit(
        398,
        'admin',
        { state: 'COMPLETED' },
        'Closing meeting held. The certificate follows once NC-02 is closed',
      ),
      updateAudit(370, 'admin', { valid_from: day(-370), valid_until: day(725) }, 'Certificate received'),
    ),
    auditStory(
      92,
      {
        framework_id: DEMO_FRAMEWORK,
        name: SURVEILLANCE,
        kind: 'SURVEILLANCE',
        auditor: 'Fjellrype Certification',
        starts_on: day(-6),
        period_from: day(-404),
        period_until: day(-7),
        owner_id: admin,
      },
      updateAudit(6, 'admin', { state: 'IN_PROGRESS' }),
    ),
    auditStory(20, {
      framework_id: DEMO_FRAMEWORK,
      name: 'Internal audit of access and suppliers',
      kind: 'INTERNAL',
      auditor: 'Internal audit team',
      starts_on: day(68),
      owner_id: accountId('owner'),
    }),
  ];
}

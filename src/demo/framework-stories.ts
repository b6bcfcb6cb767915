import { libraryFramework } from '../library/framework-library.ts';
import { controlStory, frameworkStory, type Story, updateControl } from './story.ts';

export const DEMO_FRAMEWORK = 'ISO_27001_2022';

/** Reasons for controls that no risk and no obligation needs, with the days ago on which they were written. */
const OTHER_REASONS: readonly (readonly [daysAgo: number, reason: string, controls: readonly string[]])[] = [
  [
    428,
    'Good practice: without it, a management system is only paper.',
    ['A.5.1', 'A.5.2', 'A.5.3', 'A.5.4', 'A.5.6', 'A.5.8', 'A.5.31', 'A.5.35', 'A.5.36', 'A.5.37'],
  ],
  [427, 'Good practice: nobody can protect what nobody knows.', ['A.5.9', 'A.5.10', 'A.5.12', 'A.5.13', 'A.5.14']],
  [426, 'The framework contract with the hospitals requires it.', ['A.6.1', 'A.6.2', 'A.6.4', 'A.6.6', 'A.8.12']],
  [
    425,
    'The accreditation of the laboratory requires it.',
    ['A.7.1', 'A.7.2', 'A.7.3', 'A.7.4', 'A.7.5', 'A.7.6', 'A.7.7', 'A.7.8', 'A.7.9', 'A.7.10', 'A.7.11', 'A.7.14'],
  ],
  [
    424,
    'Good practice where software is developed.',
    ['A.8.4', 'A.8.25', 'A.8.26', 'A.8.27', 'A.8.31', 'A.8.32', 'A.8.34'],
  ],
  [423, 'Good practice for devices and networks with results.', ['A.8.1', 'A.8.17', 'A.8.21', 'A.8.23']],
];

/** Returns the stories of the laboratory's standard, of the controls that it excludes, and of reasons for others. */
export function frameworkStories(id: string): Story[] {
  return [
    frameworkStory(id, 724, libraryFramework(DEMO_FRAMEWORK)),
    controlStory(
      'A.6.7',
      updateControl(704, 'admin', {
        status: 'EXCLUDED',
        exclusion_justification: 'All work is done in the laboratory.',
      }),
      updateControl(
        413,
        'admin',
        { status: 'INCLUDED', inclusion_justification: 'Doctors approve findings from home.' },
        'Two doctors have worked from home on Fridays since spring',
      ),
    ),
    controlStory(
      'A.8.30',
      updateControl(704, 'admin', {
        status: 'EXCLUDED',
        exclusion_justification: 'All software is developed in-house.',
      }),
    ),
    controlStory(
      'A.8.33',
      updateControl(704, 'admin', {
        status: 'EXCLUDED',
        exclusion_justification: 'Tests use only generated data.',
      }),
    ),
    controlStory(
      'A.7.12',
      updateControl(
        325,
        'admin',
        {
          status: 'EXCLUDED',
          exclusion_justification: 'We own no cabling: the landlord operates the network up to the sockets.',
        },
        'The server room has been empty since the move',
      ),
    ),
    controlStory(
      'A.7.13',
      updateControl(430, 'admin', { inclusion_justification: 'Analysers fail without regular maintenance.' }),
    ),
    ...OTHER_REASONS.flatMap(([daysAgo, inclusion_justification, controls]) =>
      controls.map((control) => controlStory(control, updateControl(daysAgo, 'admin', { inclusion_justification }))),
    ),
  ];
}

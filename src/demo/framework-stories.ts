import { libraryFramework } from '../library/framework-library.ts';
import { controlStory, frameworkStory, type Story, updateControl } from './story.ts';

export const DEMO_FRAMEWORK = 'ISO_27001_2022';

/** Returns the stories of the laboratory's standard and of the controls that it excludes. */
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
  ];
}

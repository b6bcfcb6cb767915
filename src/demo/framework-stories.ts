import { libraryFramework } from '../library/framework-library.ts';
import { controlStory, frameworkStory, type Story, updateControl } from './story.ts';

export const FRAMEWORK = 'ISO_27001_2022';

/** Returns the stories of the laboratory's standard and of the controls that it excludes. */
export function frameworkStories(id: string): Story[] {
  return [
    frameworkStory(id, 724, libraryFramework(FRAMEWORK)),
    controlStory(
      'A.6.7',
      updateControl(704, 'admin', {
        status: 'EXCLUDED',
        exclusion_justification: 'Nobody works outside the laboratory.',
      }),
      updateControl(
        413,
        'admin',
        { status: 'INCLUDED', inclusion_justification: 'Doctors release findings from home.' },
        'Since spring two doctors work from home on Fridays',
      ),
    ),
    controlStory(
      'A.8.30',
      updateControl(704, 'admin', {
        status: 'EXCLUDED',
        exclusion_justification: 'All software is written by our own staff.',
      }),
    ),
    controlStory(
      'A.8.33',
      updateControl(704, 'admin', {
        status: 'EXCLUDED',
        exclusion_justification: 'Tests run on generated data only; no real data is copied.',
      }),
    ),
    controlStory(
      'A.7.12',
      updateControl(
        325,
        'admin',
        {
          status: 'EXCLUDED',
          exclusion_justification: 'No cables of our own: the landlord runs the network up to the sockets.',
        },
        'The server room is empty since the move',
      ),
    ),
    controlStory('A.7.13', updateControl(430, 'admin', { inclusion_justification: 'Analysers fail without service.' })),
  ];
}

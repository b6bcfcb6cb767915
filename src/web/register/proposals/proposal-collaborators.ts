import type { WebContext } from '../../server/context.ts';
import type { RegisterCollaborators } from '../open-register.ts';

/** The parts of the service that pages of proposals use. */
export type ProposalCollaborators = RegisterCollaborators &
  Pick<WebContext, 'proposals' | 'readNames' | 'tools' | 'members' | 'scanReaderOf'>;

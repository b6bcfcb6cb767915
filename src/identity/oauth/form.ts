import { randomId } from '../../commands/ids.ts';

/** How long an access token lives; refreshing makes the next. */
export const ACCESS_SECONDS = 15 * 60;
/** How long a person may take to sign in and to allow. */
export const INTERACTION_SECONDS = 30 * 60;

/** The id of a client that registers itself. It is no secret. */
export const clientId = (): string => randomId('cli');

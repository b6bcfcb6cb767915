import { Metadata, status } from '@grpc/grpc-js';

/** The one user of a secured fake. */
export interface FakeUser {
  name: string;
  password: string;
  /** Has the right to read `$all`, which a real server gives to admins alone unless its ACL says otherwise. */
  readsAll: boolean;
}

/** Refuses a call without the user, as a real server does: without credentials as forbidden, with wrong ones as unknown. */
export function denied(headers: Metadata, user: FakeUser | undefined) {
  if (user === undefined) return null;
  const [given] = headers.get('authorization');
  if (given === undefined) return accessDenied();
  const expected = `Basic ${Buffer.from(`${user.name}:${user.password}`).toString('base64')}`;
  return given === expected ? null : { code: status.UNAUTHENTICATED, details: 'Bad credentials.' };
}

export function deniedAll(user: FakeUser | undefined) {
  return user === undefined || user.readsAll ? null : accessDenied();
}

function accessDenied() {
  const metadata = new Metadata();
  metadata.set('exception', 'access-denied');
  return { code: status.PERMISSION_DENIED, details: 'Access Denied', metadata };
}

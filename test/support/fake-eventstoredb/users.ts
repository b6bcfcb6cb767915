import { Metadata, status } from '@grpc/grpc-js';

/** The only user of a secured fake. */
export interface FakeUser {
  name: string;
  password: string;
  /** True if it may read `$all`. By default, a real server lets only admins do so. */
  canReadAll: boolean;
  /** False if it may only read. By default any user may append. */
  canAppend?: boolean;
}

/** Returns a real server's error for a call without valid credentials, or null: PERMISSION_DENIED if they are absent, UNAUTHENTICATED if they are wrong. */
export function credentialError(headers: Metadata, user: FakeUser | undefined) {
  if (user === undefined) return null;
  const [authorization] = headers.get('authorization');
  if (authorization === undefined) return accessDenied();
  const expected = `Basic ${Buffer.from(`${user.name}:${user.password}`).toString('base64')}`;
  return authorization === expected ? null : { code: status.UNAUTHENTICATED, details: 'Bad credentials.' };
}

export function readAllError(user: FakeUser | undefined) {
  return user === undefined || user.canReadAll ? null : accessDenied();
}

function accessDenied() {
  const metadata = new Metadata();
  metadata.set('exception', 'access-denied');
  return { code: status.PERMISSION_DENIED, details: 'Access Denied', metadata };
}

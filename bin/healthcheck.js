// Exits with 0 if the service of these settings serves HTTP on this machine: the image's HEALTHCHECK.
import { get as getPlain } from 'node:http';
import { get as getByTls } from 'node:https';

const { HOST = '', PORT = '8080', TLS_CERT = '' } = process.env;
const isWildcard = ['', '0.0.0.0', '::'].includes(HOST);
const get = TLS_CERT === '' ? getPlain : getByTls;

// The certificate names the address that clients use, which is not this one.
get(
  { host: isWildcard ? '127.0.0.1' : HOST, port: PORT, path: '/livez', rejectUnauthorized: false },
  ({ statusCode }) => process.exit(statusCode === 200 ? 0 : 1),
).once('error', () => process.exit(1));

/** A security key in software: ES256 keys, attestation "none". Made from the text of W3C Web Authentication, Level 2. */
import { generateKeyPairSync, hash, type KeyObject, randomBytes, sign } from 'node:crypto';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const KEY_INCLUDED = 0x40;

/** One credential of a device, with the counter of its signatures. */
export class SoftwareKey {
  readonly id = randomBytes(16);
  counter = 0;
  private readonly privateKey: KeyObject;
  private readonly publicKey: KeyObject;

  /** @param origin what the browser says that the page's is */
  constructor(readonly origin: string) {
    ({ privateKey: this.privateKey, publicKey: this.publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' }));
  }

  /** `navigator.credentials.create` */
  create(options: PublicKeyCredentialCreationOptionsJSON): RegistrationResponseJSON {
    const length = Buffer.alloc(2);
    length.writeUInt16BE(this.id.length);
    const flags = USER_PRESENT | USER_VERIFIED | KEY_INCLUDED;
    const authData = Buffer.concat([
      this.data(options.rp.id!, flags),
      Buffer.alloc(16),
      length,
      this.id,
      this.coseKey(),
    ]);
    const attestation = cbor(
      new Map<unknown, unknown>([
        ['fmt', 'none'],
        ['attStmt', new Map()],
        ['authData', authData],
      ]),
    );
    const clientDataJSON = this.clientData('webauthn.create', options.challenge).toString('base64url');
    return {
      ...this.credentialIds(),
      response: { clientDataJSON, attestationObject: attestation.toString('base64url'), transports: ['usb'] },
    };
  }

  /** `navigator.credentials.get` */
  get(options: PublicKeyCredentialRequestOptionsJSON): AuthenticationResponseJSON {
    this.counter += 1;
    const authData = this.data(options.rpId!, USER_PRESENT);
    const clientData = this.clientData('webauthn.get', options.challenge);
    const signed = Buffer.concat([authData, hash('sha256', clientData, 'buffer')]);
    return {
      ...this.credentialIds(),
      response: {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: sign('sha256', signed, this.privateKey).toString('base64url'),
      },
    };
  }

  private credentialIds() {
    const id = this.id.toString('base64url');
    return { id, rawId: id, type: 'public-key' as const, clientExtensionResults: {} };
  }

  private data(rpId: string, flags: number): Buffer {
    const flagsAndCounter = Buffer.alloc(5);
    flagsAndCounter.writeUInt8(flags);
    flagsAndCounter.writeUInt32BE(this.counter, 1);
    return Buffer.concat([hash('sha256', rpId, 'buffer'), flagsAndCounter]);
  }

  private clientData(type: string, challenge: string): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: this.origin, crossOrigin: false }));
  }

  /** RFC 9053: key type EC2, algorithm ES256, curve P-256, x and y. */
  private coseKey(): Buffer {
    const { x, y } = this.publicKey.export({ format: 'jwk' });
    const point = [x!, y!].map((text) => Buffer.from(text, 'base64url'));
    return cbor(
      new Map<unknown, unknown>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, point[0]],
        [-3, point[1]],
      ]),
    );
  }
}

/** RFC 8949, as much of it as is needed here. */
function cbor(value: unknown): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([head(2, value.length), value]);
  if (value instanceof Map) return Buffer.concat([head(5, value.size), ...[...value].flat().map(cbor)]);
  throw new TypeError(`no CBOR of ${typeof value}`);
}

function head(major: number, count: number): Buffer {
  const type = major << 5;
  if (count < 24) return Buffer.from([type | count]);
  return count < 256 ? Buffer.from([type | 24, count]) : Buffer.from([type | 25, count >> 8, count & 255]);
}

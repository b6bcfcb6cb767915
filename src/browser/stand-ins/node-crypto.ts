/**
 * Stands in for node:crypto. Modules that browsers share with the service import these functions for commands and for
 * the service's own checks. Browsers run neither: they check with `nobleCrypto`.
 */
export {
  absent as createHash,
  absent as createPrivateKey,
  absent as createPublicKey,
  absent as hash,
  absent as randomUUID,
  absent as verify,
};

function absent(): never {
  throw new Error('This function is not in the bundle for browsers.');
}

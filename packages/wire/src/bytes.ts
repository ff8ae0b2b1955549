export type Bytes = Uint8Array<ArrayBuffer>;

/** The parts one after the other, in an array of their own. */
export function concatenate(...parts: readonly Uint8Array[]): Bytes {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let position = 0;
  for (const part of parts) {
    joined.set(part, position);
    position += part.length;
  }
  return joined;
}

/**
 * `parameters` without a prototype, for algorithms and keys: WebCrypto would read what a page put into `Object.prototype` (`tagLength`,
 * `label`, `alg`) as part of them.
 */
export function ownParameters<Parameters extends object>(parameters: Parameters): Parameters {
  return Object.assign(Object.create(null), parameters);
}

/** UTF-8. */
export function encodeText(text: string): Bytes {
  return new TextEncoder().encode(text);
}

/** Random bytes, from the platform. */
export function drawBytes(length: number): Bytes {
  return crypto.getRandomValues(new Uint8Array(length));
}

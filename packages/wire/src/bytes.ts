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

/** UTF-8. */
export function encodeText(text: string): Bytes {
  return new TextEncoder().encode(text);
}

/** Random bytes, from the platform. */
export function drawBytes(length: number): Bytes {
  return crypto.getRandomValues(new Uint8Array(length));
}

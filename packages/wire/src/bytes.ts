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

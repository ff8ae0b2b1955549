/** Whether these bytes are an age file, binary or armored. */
export function isAgeFile(bytes: Uint8Array): boolean {
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, 64)).trimStart();
  return start.startsWith("age-encryption.org/") || start.startsWith("-----BEGIN AGE ENCRYPTED FILE-----");
}

/**
 * The text of a key file, identity file, sheet or list of passphrases: UTF-8, or what its byte order mark says, which isn't part of it.
 * Windows PowerShell's `>` writes UTF-16 with one.
 */
export function decodeKeyFileText(bytes: Uint8Array): string {
  return new TextDecoder(encodingOf(bytes)).decode(bytes);
}

function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
}

/** Whether these bytes are a file of age (age-encryption.org/v1), binary or armored. Its first 128 bytes are enough. */
export function isAgeFile(bytes: Uint8Array): boolean {
  const start = decodeKeyFileText(bytes.subarray(0, 128)).trimStart();
  return start.startsWith("age-encryption.org/") || start.startsWith("-----BEGIN AGE ENCRYPTED FILE-----");
}

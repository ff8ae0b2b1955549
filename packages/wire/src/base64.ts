/** Standard base64 (RFC 4648 section 4, padded) of `bytes`. */
export function encodeBase64(bytes: Uint8Array): string {
  let binary = "";
  // In slices, because a whole megabyte of arguments overflows the stack. Spread would be slower by half: it asks an iterator for each byte.
  for (let start = 0; start < bytes.length; start += 8192)
    binary += Reflect.apply(String.fromCharCode, undefined, bytes.subarray(start, start + 8192));
  return btoa(binary);
}

/**
 * The bytes of strict, canonical base64: padded, no white space, no stray bits in the last character
 * (RFC 4648 section 3.5). `undefined` for anything else, so that no two texts mean the same bytes.
 */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  const binary = atob(text);
  if (text.slice(-4) !== btoa(binary.slice(binary.length - (binary.length % 3 || 3)))) return undefined;
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index++) bytes[index] = binary.charCodeAt(index);
  return bytes;
}

/** Unpadded base64url (RFC 4648 section 5), the alphabet of JWK members and fingerprints. */
export function encodeBase64Url(bytes: Uint8Array): string {
  return encodeBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The bytes of canonical unpadded base64url, or `undefined`. */
export function decodeBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) return undefined;
  const padded = text.replaceAll("-", "+").replaceAll("_", "/") + "=".repeat((4 - (text.length % 4)) % 4);
  return decodeBase64(padded);
}

/**
 * The same for a short text such as a key, by encoding again what was decoded: a page's script, which decodes nothing else, is smaller
 * without the function for texts of any length.
 */
export function decodeShortBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    return encodeBase64Url(bytes) === text ? bytes : undefined;
  } catch {
    return undefined;
  }
}

import { createHmac, timingSafeEqual } from "node:crypto";

/** A cookie's value, decoded, as the sign-in library signs it: the content, a dot, and HMAC-SHA-256 in base64. */
export function signCookie(content: string, key: string): string {
  return `${content}.${sign(content, key)}`;
}

/** The content of a value that one of the keys has signed; `undefined` otherwise. */
export function openSignedCookie(value: string, keys: readonly string[]): string | undefined {
  const end = value.lastIndexOf(".");
  if (end < 1) return undefined;
  const [content, given] = [value.slice(0, end), Buffer.from(value.slice(end + 1))];
  const isSigned = keys.some((key) => {
    const wanted = Buffer.from(sign(content, key));
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  });
  return isSigned ? content : undefined;
}

function sign(content: string, key: string): string {
  return createHmac("sha256", key).update(content).digest("base64");
}

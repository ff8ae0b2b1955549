import type { FastifyInstance } from "fastify";

/** The name of a cookie is a token (RFC 9110, section 5.6.2). */
const token = /^[\w!#$%&'*+.^`|~-]+$/;

/**
 * The cookies of a `Cookie` header by their exact names. Of several with one name the first counts. Values come without quotation marks around them and
 * decoded, as they were before `encodeURIComponent`; one that does not decode stays.
 */
export function readCookies(header: string | undefined): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>();
  for (const part of header?.split(";") ?? []) {
    const at = part.indexOf("=");
    const name = part.slice(0, Math.max(0, at)).trim();
    if (token.test(name) && !cookies.has(name)) cookies.set(name, decode(part.slice(at + 1).trim()));
  }
  return cookies;
}

/**
 * Writes the header of each request in one spelling before anything reads it. The sign-in library reads cookies with a reader of its own: two readers of
 * one header that differ would let what is checked be another cookie than what counts.
 */
export function installCookieSpelling(app: FastifyInstance): void {
  app.addHook("onRequest", (request, _reply, done) => {
    const { headers } = request;
    if (headers.cookie !== undefined) headers.cookie = writeCookies(readCookies(headers.cookie));
    done();
  });
}

/** A `Cookie` header of decoded values. */
export function writeCookies(cookies: Iterable<readonly [name: string, value: string]>): string {
  return Array.from(cookies, ([name, value]) => `${name}=${encodeURIComponent(value)}`).join("; ");
}

function decode(value: string): string {
  const bare = value.length >= 2 && value.startsWith('"') && value.endsWith('"') ? value.slice(1, -1) : value;
  try {
    return decodeURIComponent(bare);
  } catch {
    return bare;
  }
}

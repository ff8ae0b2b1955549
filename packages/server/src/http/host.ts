import type { FastifyInstance } from "fastify";
import type { OwnAddress } from "../instance/own-address.ts";
import { Problem } from "../problems/problem.ts";
import { malformed } from "./client-errors.ts";

/**
 * HTTP/1.1 wants one Host (RFC 9112 section 3.2). Nothing of ours is made of it: links and redirects come from the
 * configuration. Signing in under a name that is not the service's own would only set a cookie that none of its pages can
 * use, so that is refused with what to do about it.
 */
export function installHostCheck(app: FastifyInstance, address: OwnAddress): void {
  app.addHook("onRequest", ({ raw, hostname, routeOptions }, _reply, done) => {
    const { host } = raw.headers;
    const isReadable = host !== undefined && URL.canParse(`http://${host}`);
    if (host === undefined ? raw.httpVersion === "1.1" : !isReadable || hasSecondHost(raw.rawHeaders))
      return done(new Problem("bad_request", malformed[1]));
    if (!routeOptions.url?.startsWith("/api/auth/")) return done();
    const own = ["localhost", "127.0.0.1", new URL(address.baseUrl()).hostname];
    const isOwnName = !address.isLoopbackOnly || own.includes(hostname);
    if (!isReadable || !isOwnName)
      return done(new Problem("bad_request", "The service does not know itself by this name: set SEALPOST_BASE_URL"));
    done();
  });
}

/** Node keeps the first and drops the others, where a proxy before the service may have gone by the last. */
function hasSecondHost(rawHeaders: readonly string[]): boolean {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    // Most names differ in their length: this runs for every request.
    if (name?.length === 4 && name.toLowerCase() === "host") count += 1;
  }
  return count > 1;
}

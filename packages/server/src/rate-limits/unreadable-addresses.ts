import type { FastifyInstance } from "fastify";
import { readAddress } from "./client-address.ts";

/**
 * Warns once in the life of a process when a trusted proxy names a client by something else than an IP address: all that it names so share their
 * limits, and are refused together. The text itself is not written: what clients send might be passed on there.
 */
export function warnOfUnreadableAddresses(app: FastifyInstance): void {
  let isKnown = false;
  app.addHook("onRequest", (request, _reply, done) => {
    // A connection that was reset has no address any more.
    const ip: string | undefined = request.ip;
    if (!isKnown && ip !== undefined && readAddress(ip) === undefined) {
      isKnown = true;
      request.log.warn(
        "a trusted proxy names clients in X-Forwarded-For by something else than an IP address: they count as one client",
      );
    }
    done();
  });
}

import type { FastifyInstance } from "fastify";
import { Problem } from "../problems/problem.ts";
import { malformed } from "./client-errors.ts";

const authority = /^https?:\/\/[^/?#]*/i;

/** The target of a request without the name of a server, which clients of proxies send along (absolute-form, RFC 9112, section 3.2.2). Nothing of ours is made of that name. */
export function toOriginForm(target: string): string {
  const path = target.replace(authority, "");
  return path === target || path.startsWith("/") ? path : `/${path}`;
}

/**
 * Refuses targets that two readers of an address end or divide at different places: the router ends a path at `#`, where `URL` has it be a part of the
 * path, and `URL` takes `\` for `/`. No URL has either (RFC 3986, section 3.3), and browsers send neither.
 */
export function installTargetCheck(app: FastifyInstance): void {
  app.addHook("onRequest", ({ raw: { url = "/" } }, _reply, done) => {
    const [path = ""] = url.split("?", 1);
    done(url.includes("#") || path.includes("\\") ? new Problem("bad_request", malformed[1]) : undefined);
  });
}

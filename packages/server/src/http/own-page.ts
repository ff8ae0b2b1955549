import type { FastifyRequest } from "fastify";
import type { OwnAddress } from "../instance/own-address.ts";
import { isRead } from "./is-read.ts";

/** A session cookie counts only then. Browsers send no `Origin` on a same-origin GET, so such a read must say `Sec-Fetch-Site: same-origin` instead. */
export function isFromOwnPage(request: FastifyRequest, address: OwnAddress): boolean {
  const { origin } = request.headers;
  if (origin !== undefined) return address.isOwn(origin);
  return isRead(request) && request.headers["sec-fetch-site"] === "same-origin";
}

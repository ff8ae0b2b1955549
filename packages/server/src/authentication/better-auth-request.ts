import type { FastifyRequest } from "fastify";
import type { UnitOutcome } from "../database/unit-of-work.ts";
import { isRead } from "../http/is-read.ts";
import type { OwnAddress } from "../instance/own-address.ts";
import { Problem } from "../problems/problem.ts";
import { browserHeader } from "./auth.ts";
import { labelBrowser, writeLabel } from "./browser-label.ts";

/** A request to the sign-in library: the members of its body that a route lets through. */
export type Body = Readonly<Record<string, unknown>>;

export function parseBody(body: unknown): Body {
  if (body === undefined || body === null) return {};
  if (typeof body !== "object" || Array.isArray(body)) throw new Problem("bad_request", "Invalid request");
  return { ...body };
}

export function pick(body: Body, members: readonly string[]): Body {
  return Object.fromEntries(Object.entries(body).filter(([name]) => members.includes(name)));
}

/** Headers under which the library takes us for what is configured, whatever `Host` or `X-Forwarded-Host` a request brings. */
export function createOwnHeaders(address: OwnAddress, cookie?: string): Headers {
  const { host } = new URL(address.baseUrl());
  return new Headers({ host, ...(cookie !== undefined && { cookie }) });
}

/** Headers for a sign-in by other means than a request to the library: with the browser's cookies and its coarse name. */
export function createSignInHeaders(request: FastifyRequest, address: OwnAddress): Headers {
  const headers = createOwnHeaders(address, request.headers.cookie);
  headers.set(browserHeader, writeLabel(labelBrowser(request.headers["user-agent"])));
  return headers;
}

/** A request of a browser's page for the library, which may open a session. `path`: of the route, below `/api/auth`; never of what the client has sent, which the library reads in another way. */
export function toWebRequest(request: FastifyRequest, path: string, body: Body, address: OwnAddress): Request {
  const headers = createOwnHeaders(address);
  // Nothing else of what the client sent reaches the library, so it can keep none of it.
  for (const name of ["cookie", "origin", "authorization"]) {
    const value = request.headers[name];
    if (typeof value === "string") headers.set(name, value);
  }
  headers.set(browserHeader, writeLabel(labelBrowser(request.headers["user-agent"])));
  const url = new URL(`/api/auth${path}`, address.baseUrl());
  // The library knows no HEAD; the body of its answer is left out when ours is sent.
  if (isRead(request)) return new Request(url, { headers });
  headers.set("content-type", "application/json");
  return new Request(url, { method: request.method, headers, body: JSON.stringify(body) });
}

/** Outcome of a unit of work by the library's answer. What a refusal notes is kept, such as a try that was used up. */
export function classifyResponse({ status }: Response): UnitOutcome {
  return status < 400 ? "done" : status < 500 ? "refused" : "failed";
}

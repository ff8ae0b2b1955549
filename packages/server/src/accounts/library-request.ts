import type { FastifyRequest } from "fastify";
import { Problem } from "../problem.ts";

/** What a request says to the sign-in library: the members of its body that a route lets through. */
export type Body = Readonly<Record<string, unknown>>;

export function parseBody(body: unknown): Body {
  if (body === undefined || body === null) return {};
  if (typeof body !== "object" || Array.isArray(body)) throw new Problem("bad_request", "Invalid request");
  return { ...body };
}

export function pick(body: Body, members: readonly string[]): Body {
  return Object.fromEntries(Object.entries(body).filter(([name]) => members.includes(name)));
}

export function toWebRequest(request: FastifyRequest, body: Body): Request {
  const headers = new Headers();
  // Nothing else of what the client sent reaches the library, so it can keep none of it.
  for (const name of ["cookie", "origin", "host", "authorization"]) {
    const value = request.headers[name];
    if (typeof value === "string") headers.set(name, value);
  }
  const url = new URL(request.url, `${request.protocol}://${request.host}`);
  url.search = "";
  if (request.method === "GET") return new Request(url, { headers });
  headers.set("content-type", "application/json");
  return new Request(url, { method: request.method, headers, body: JSON.stringify(body) });
}

import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { Problem } from "../problems/problem.ts";

/**
 * Versions of what several people write, named in headers (RFC 9110 section 13): a writer says which version they have seen, and
 * is refused once there is another, so that nobody overwrites what they have not read.
 */
export const SeenHeaders = Type.Object({
  "if-match": Type.Optional(
    Type.String({ description: "The `ETag` of the version that you have seen. Refused with 412 if there is another." }),
  ),
  "if-none-match": Type.Optional(
    Type.String({ description: "`*` in place of `If-Match`: you have seen none. Refused with 412 if there is one." }),
  ),
});

export const KnownHeaders = Type.Object({
  "if-none-match": Type.Optional(
    Type.String({
      description: "The `ETag` of what you have. Answered 304, without a body, while that is the newest.",
    }),
  ),
});

/** The version that a writer has seen: its tag; `undefined` when they have seen none. */
export interface Seen {
  readonly tag: string | undefined;
}

/** The tag of a numbered version with this hash. */
export function toTag({ number, hash }: { readonly number: number; readonly hash: string }): string {
  return `"${number}-${hash}"`;
}

/** The version that the request names. Throws 428 when it names none, so that no careless program overwrites anything. */
export function readSeen({ headers }: FastifyRequest): Seen {
  const [match, none] = [headers["if-match"], headers["if-none-match"]];
  if (match !== undefined && match.trim() !== "*" && none === undefined) return { tag: match.trim() };
  if (match === undefined && none?.trim() === "*") return { tag: undefined };
  throw new Problem(
    "bad_request",
    "Send the ETag of what you have seen in If-Match; or If-None-Match: *, if you have seen that there is nothing yet",
    { status: 428 },
  );
}

/** Throws 412 unless the version that there is, `undefined` for none, is the one that was seen. */
export function requireSeen(seen: Seen, current: string | undefined): void {
  if (seen.tag !== current)
    throw new Problem(
      "conflict",
      "Somebody else has changed this since. Get the newest version, and build on that one.",
      {
        status: 412,
      },
    );
}

/** `*`, or one of a list of tags; weak ones count, for proxies that compress make them so (RFC 9110 section 13.1.2). */
export function isUnchanged({ headers }: FastifyRequest, etag: string): boolean {
  const known = headers["if-none-match"];
  if (known === undefined) return false;
  return known.split(",").some((tag) => ["*", etag].includes(tag.trim().replace(/^W\//, "")));
}

/** Ends an answer without its body: what the caller has is still the newest. */
export function answerUnchanged(reply: FastifyReply): never {
  return reply.code(304).send(undefined) as never; // such an answer has no body
}

/** The schema of the answer 304. */
export const Unchanged = Type.Null({ description: "Unchanged since the ETag that was sent." });

import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { answerUnchanged, isUnchanged, toTag, Unchanged } from "./preconditions.ts";

/** The newest entry of a list or log that only grows. */
interface Head {
  readonly number: number;
  readonly hash: string;
}

/** Schemas of answers with signed lines, whose `ETag` is the number and the hash of the last entry. */
export function signedLines(description: string) {
  return { 200: { description, content: { "text/plain": { schema: Type.String() } } }, 304: Unchanged };
}

/** Answers with the lines that end with `head`, or newer ones, unless the caller has them. */
export async function answerLines(
  request: FastifyRequest,
  reply: FastifyReply,
  head: Head,
  find: () => Promise<{ readonly text: string; readonly head: Head }>,
) {
  if (isUnchanged(request, toTag(head))) return answerUnchanged(reply.header("etag", toTag(head)));
  const found = await find();
  return reply.header("etag", toTag(found.head)).type("text/plain; charset=utf-8").send(found.text);
}

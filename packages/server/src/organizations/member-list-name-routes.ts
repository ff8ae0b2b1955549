import { createHash } from "node:crypto";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";
import { accountOf, personOf } from "../access/access.ts";
import { answerUnchanged, isUnchanged, KnownHeaders } from "../http/preconditions.ts";
import { problems } from "../http/schemas.ts";
import { signedLines } from "../http/signed-lines.ts";
import { Problem } from "../problems/problem.ts";
import type { ReadNames } from "./list-reads.ts";
import type { MemberListStore } from "./member-list-store.ts";

export interface MemberListNameRouteDependencies {
  readonly memberLists: MemberListStore;
  readonly readNames: ReadNames;
}

const description =
  "The bytes of the file of names (SPECIFICATION.md section 14). The signed list has commitments to names, and this file the names and salts that prove them: take no name that it does not prove. A name is missing when its person has deleted the account. Ask for it after the list: it is at least as new then.";

/** The names next to the signed list of members. */
export function createMemberListNameRoutes({ memberLists, readNames }: MemberListNameRouteDependencies) {
  return async (instance: FastifyInstance): Promise<void> => {
    instance.withTypeProvider<TypeBoxTypeProvider>().route({
      method: "GET",
      url: "/api/member-list/names",
      config: { access: "submissions:read" },
      schema: {
        operationId: "getMemberListNames",
        summary: "Get the names next to the signed list of members",
        description,
        tags: ["Organizations"],
        headers: KnownHeaders,
        response: {
          ...signedLines("A line for each name, after the one that says whose they are."),
          ...problems(401, 403, 404, 429, 503),
        },
      },
      handler: async (request, reply) => {
        const organizationId = accountOf(request);
        if ((await memberLists.findHead(organizationId)) === undefined)
          throw new Problem("not_found", "This organization has no signed list of members yet");
        const text = await readNames(organizationId, personOf(request));
        // Names go while the list stays the same: the tag is of the file itself.
        const tag = `"${createHash("sha256").update(text).digest("base64url")}"`;
        reply.header("etag", tag);
        if (isUnchanged(request, tag)) return answerUnchanged(reply);
        return reply.type("text/plain; charset=utf-8").send(text);
      },
    });
  };
}

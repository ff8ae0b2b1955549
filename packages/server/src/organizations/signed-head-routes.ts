import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { isId } from "@sealpost/wire";
import type { FastifyInstance } from "fastify";
import { sessionOf } from "../access/access.ts";
import type { Database } from "../database/database.ts";
import { problems } from "../http/schemas.ts";
import { Problem } from "../problems/problem.ts";
import type { Clock } from "../time/clock.ts";
import type { MemberStore } from "./member-store.ts";
import type { OwnAdmissionRouteDependencies } from "./own-admission-routes.ts";
import { SignedHeadInput, SignedHeadListBody, SignedHeadParameters, signedHeadAnswer } from "./signed-head-schemas.ts";
import type { SignedHeadStore } from "./signed-head-store.ts";
import type { SignedHeads } from "./signed-heads.ts";

export interface SignedHeadRouteDependencies {
  readonly database: Database;
  readonly members: MemberStore;
  readonly signedHeads: SignedHeads;
  readonly signedHeadStore: SignedHeadStore;
  readonly findOwnHalves: OwnAdmissionRouteDependencies["findOwnHalves"];
  readonly clock: Clock;
}

const url = "/api/account/signed-heads";

/**
 * Heads of signed lists that a person's devices have verified, for the next device (docs/decisions/0034-signed-heads.md). What they are signed with is
 * needed to write one, so a session alone can't.
 */
export function createSignedHeadRoutes(dependencies: SignedHeadRouteDependencies) {
  const { database, members, signedHeads, signedHeadStore, findOwnHalves, clock } = dependencies;
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();

    app.route({
      method: "GET",
      url,
      config: { access: "person", rate: "api" },
      schema: {
        operationId: "listSignedHeads",
        summary: "List the heads of signed lists that you have signed with your personal key",
        description:
          "With the key in use, for all of your organizations. Verify each with your own public signing key before a list is trusted by it (SPECIFICATION.md section 22).",
        tags: ["Account"],
        response: { 200: SignedHeadListBody, ...problems(401, 429) },
      },
      handler: async (request) => {
        const { personId } = sessionOf(request);
        const own = await findOwnHalves(personId);
        return { signedHeads: own === undefined ? [] : [...(await signedHeadStore.list(personId, own.signingKey))] };
      },
    });

    app.route({
      method: "PUT",
      url: `${url}/:organization_id`,
      config: { access: "person", rate: "api" },
      schema: {
        operationId: "putSignedHead",
        summary: "Keep the head of an organization's signed list that you have signed with your personal key",
        description:
          "One for each organization and key. It has to name an entry of the list. Of two the one that names the later entry is kept, and answered; one whose entry the list does not have any more gives way.",
        tags: ["Account"],
        params: SignedHeadParameters,
        body: SignedHeadInput,
        response: { 200: signedHeadAnswer, ...problems(400, 401, 404, 409, 413, 415, 429) },
      },
      handler: async (request) => {
        const { personId } = sessionOf(request);
        const { organization_id: organizationId } = request.params;
        const { signedHead } = request.body;
        // The database is asked for ids alone: PostgreSQL takes no NUL in a text.
        const isMember =
          isId("account", organizationId) && (await members.findRole(organizationId, personId)) !== undefined;
        if (!isMember) throw notMember();
        const own = await findOwnHalves(personId);
        if (own === undefined) throw new Problem("conflict", "You have no personal key yet: make it first");
        const signer = { personId, signingKey: own.signingKey };
        const kept = await database
          .transaction()
          .execute((transaction) => signedHeads.keep(transaction, signer, { organizationId, signedHead }, clock.now()));
        if (kept === "not_member") throw notMember();
        if (kept === "wrong") throw wrongHead();
        return { signedHead: kept };
      },
    });
  };
}

function notMember(): Problem {
  return new Problem("not_found", "You belong to no organization with this id");
}

function wrongHead(): Problem {
  const signedHead = "Must be the head of this organization's signed list, signed with your personal key";
  return new Problem("bad_request", signedHead, { details: { signedHead } });
}

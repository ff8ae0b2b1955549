import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { requireFreshSession, sessionOf } from "../access/access.ts";
import type { AddressMoves } from "../accounts/address-moves.ts";
import { byPrincipal } from "../audit-log/audit-entry.ts";
import { parseBody } from "../authentication/better-auth-request.ts";
import type { Database } from "../database/database.ts";
import { addressLengthMax } from "../database/indexed-texts.ts";
import { closed, problems } from "../http/schemas.ts";
import { findAddressError } from "../mail/recipient.ts";
import { refuseInvalid } from "../problems/problem.ts";
import { toNestedNetworks } from "../rate-limits/client-address.ts";
import { createFairQueue } from "../rate-limits/fair-queue.ts";
import type { Clock } from "../time/clock.ts";
import { ownAccountAnswer } from "./account-life-schemas.ts";
import { describeAccount } from "./person-store.ts";

export interface AddressRouteDependencies {
  readonly database: Database;
  readonly addressMoves: AddressMoves;
  readonly clock: Clock;
}

/**
 * Undoing a move locks up to 200 organizations and replays their history, and who opens its link again waits for all of these locks: two at
 * once, and those who wait have no connection to the database. Networks have turns.
 */
export function createUndoQueue() {
  return createFairQueue({
    runningMax: 2,
    waitingMax: 64,
    waitingMaxOfOne: 8,
    message: "Too many requests. Please try again later.",
    retrySeconds: 10,
  });
}

/** Somebody with a link. */
const anybody = { accountId: "", personId: undefined };

/** The address that a person signs in with: asking for another one, and the links in the emails about that. */
export function createAddressRoutes({ database, addressMoves, clock }: AddressRouteDependencies) {
  const undoQueue = createUndoQueue();
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();

    app.route({
      method: "POST",
      url: "/api/account/address",
      config: { access: "person" },
      schema: {
        operationId: "moveAccount",
        summary: "Move your account to another email address",
        description:
          "Both addresses get an email, and both have to confirm within a day. The answer is the same whether or not the address has an account. Needs a sign-in within the last 60 minutes.",
        tags: ["Account"],
        body: closed({ email: Type.String({ maxLength: addressLengthMax, description: "The other address." }) }),
        response: { 200: ownAccountAnswer, ...problems(400, 401, 403, 409, 413, 415, 429) },
      },
      handler: async (request) => {
        requireFreshSession(request, clock.now());
        const { email } = request.body;
        refuseInvalid({ email: findAddressError(email) });
        const { actor } = byPrincipal(sessionOf(request));
        const { personId } = sessionOf(request);
        await addressMoves.begin(personId, actor, email);
        return { account: await describeAccount(database, personId, clock.now()) };
      },
    });

    app.route({
      method: "DELETE",
      url: "/api/account/address",
      config: { access: "person" },
      schema: {
        operationId: "cancelAccountMove",
        summary: "End a move to another address that still waits",
        description: "The links in its emails do nothing any more.",
        tags: ["Account"],
        response: { 200: ownAccountAnswer, ...problems(401, 429) },
      },
      handler: async (request) => {
        const { personId } = sessionOf(request);
        await addressMoves.cancel(personId);
        return { account: await describeAccount(database, personId, clock.now()) };
      },
    });

    app.route({
      method: "POST",
      url: "/api/auth/address/confirm",
      config: { access: "person", rate: "api" },
      schema: { hide: true },
      handler: async (request) => {
        const { token } = parseBody(request.body);
        const { personId } = sessionOf(request);
        return { status: await addressMoves.confirm(typeof token === "string" ? token : "", personId) };
      },
    });

    app.route({
      method: "POST",
      url: "/api/auth/address/refuse",
      // Its token has 192 random bits: nobody guesses one, and a neighbour on the same network must not keep the owner from refusing.
      config: { access: "public", rate: "api" },
      schema: { hide: true },
      handler: async (request) => {
        const { token } = parseBody(request.body);
        const refuse = () => addressMoves.refuse(typeof token === "string" ? token : "");
        // Also for somebody who leaves meanwhile: they have refused.
        return { status: await undoQueue.run(anybody, refuse, { networks: toNestedNetworks(request.ip) }) };
      },
    });
  };
}

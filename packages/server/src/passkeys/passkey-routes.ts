import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { isInvisible } from "@sealpost/wire";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { requireFreshSession, requireVerifiedAddress, sessionOf } from "../access/access.ts";
import type { AccountStore } from "../accounts/account-store.ts";
import { requireOwnPasskey } from "../accounts/own-passkey.ts";
import { type Passkey, type PasskeyStore, passkeysMax } from "../accounts/passkey-store.ts";
import type { NewAuditEntry } from "../audit-log/audit-entry.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { runAsUnit } from "../database/unit-of-work.ts";
import { isDisplayable } from "../http/display-text.ts";
import type { OwnAddress } from "../instance/own-address.ts";
import type { SendSecurityMail } from "../mail/security-mail-store.ts";
import { Problem, refuseInvalid } from "../problems/problem.ts";
import type { Clock } from "../time/clock.ts";
import { proposeName } from "./authenticator-names.ts";
import { type Ceremony, ceremonyMilliseconds, createRandomValue, findParty } from "./ceremony.ts";
import { algorithms, checkNew } from "./check-answer.ts";
import type { PasskeyCeremonies } from "./passkey-ceremonies.ts";
import { NewAnswerBody, PasskeyIdParameters, PasskeyNameBody } from "./passkey-schemas.ts";
import { toDescriptor } from "./passkey-sign-in-routes.ts";

export interface PasskeyRouteDependencies {
  readonly ceremonies: PasskeyCeremonies;
  readonly passkeys: PasskeyStore;
  readonly accounts: AccountStore;
  readonly sendSecurityMail: SendSecurityMail;
  readonly database: Database;
  readonly address: OwnAddress;
  readonly clock: Clock;
}

const nameLengthMax = 60;

/** One's own passkeys: listed, added, renamed, removed. */
export function createPasskeyRoutes(dependencies: PasskeyRouteDependencies) {
  const { ceremonies, passkeys, accounts, sendSecurityMail, database, address, clock } = dependencies;
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();

    app.route({
      method: "GET",
      url: "/api/auth/passkeys",
      config: { access: "person", rate: "api" },
      schema: { hide: true },
      handler: async (request) => {
        const list = await passkeys.list(sessionOf(request).personId);
        return { passkeys: list.map(toBody), isAvailable: findParty(address.baseUrl()) !== undefined };
      },
    });

    app.route({
      method: "POST",
      url: "/api/auth/passkeys/begin",
      config: { access: "person", rate: "api" },
      schema: { hide: true },
      handler: async (request, reply) => {
        await requireMayAdd(request);
        const { personId } = sessionOf(request);
        const list = await passkeys.list(personId);
        if (list.length >= passkeysMax) throw tooMany();
        // The same for all of a person's passkeys, so that an authenticator keeps one for them instead of several.
        const userHandle = list[0]?.userHandle ?? createRandomValue();
        const ceremony = ceremonies.begin(request, reply, { ...addBy(request), userHandle });
        const email = (await accounts.findEmail(personId)) ?? "";
        return {
          publicKey: { ...toCreation(ceremony, userHandle, email), excludeCredentials: list.map(toDescriptor) },
        };
      },
    });

    app.route({
      method: "POST",
      url: "/api/auth/passkeys",
      config: { access: "person", rate: "api" },
      schema: { hide: true, body: NewAnswerBody },
      handler: async (request, reply) => {
        await requireMayAdd(request);
        const ceremony = ceremonies.receive(request, reply, addBy(request));
        const { model, ...credential } = await checkNew(request.body, ceremony);
        await ceremonies.useUp(ceremony);
        const name = proposeName(model, request.headers["user-agent"]);
        const { entry, sessionId, personId } = byPerson(request);
        const made = { ...credential, personId, name, userHandle: ceremony.userHandle ?? "", addedAt: clock.now() };
        const add = async (transaction: DatabaseTransaction) => {
          const added = await passkeys.add(transaction, made);
          if (added === "full") throw tooMany();
          if (added === "exists") throw new Problem("conflict", "This passkey is in an account here already");
          await recordAction(transaction, { ...entry, action: "passkey.added" });
          await sendSecurityMail(transaction, { ...entry, event: "passkey_added" });
          return added;
        };
        const passkey = await runAsUnit(database, async () => {
          const added = await database.transaction().execute(add);
          // Adding it has just proved that the person has it.
          if (sessionOf(request).secondFactor === undefined) await passkeys.confirmSession(sessionId, added.id);
          return added;
        });
        return { passkey: toBody(passkey) };
      },
    });

    app.route({
      method: "PATCH",
      url: "/api/auth/passkeys/:passkey_id",
      config: { access: "person", rate: "api" },
      schema: { hide: true, params: PasskeyIdParameters, body: PasskeyNameBody },
      handler: async (request) => {
        const name = request.body.name.trim();
        refuseInvalid({ name: findNameError(name) });
        const passkey = await database
          .transaction()
          .execute((transaction) =>
            passkeys.rename(transaction, sessionOf(request).personId, request.params.passkey_id, name),
          );
        if (passkey === undefined) throw notFound();
        return { passkey: toBody(passkey) };
      },
    });

    app.route({
      method: "DELETE",
      url: "/api/auth/passkeys/:passkey_id",
      config: { access: "person", rate: "api" },
      schema: { hide: true, params: PasskeyIdParameters },
      handler: async (request) => {
        requireFreshSession(request, clock.now());
        const { entry, sessionId, personId } = byPerson(request);
        await database.transaction().execute(async (transaction) => {
          const removed = await passkeys.remove(transaction, personId, request.params.passkey_id, sessionId);
          if (removed === "missing") throw notFound();
          if (removed === "last")
            throw new Problem(
              "conflict",
              "You need a second factor, and this is your last one: add another passkey or turn on codes of an app first",
            );
          await recordAction(transaction, { ...entry, action: "passkey.removed" });
          await sendSecurityMail(transaction, { ...entry, event: "passkey_removed" });
        });
        return { status: true };
      },
    });
  };

  async function requireMayAdd(request: FastifyRequest): Promise<void> {
    // Otherwise anyone who signs up with somebody else's address could keep a way into the account.
    requireVerifiedAddress(request);
    requireFreshSession(request, clock.now());
    await requireOwnPasskey(passkeys, sessionOf(request));
  }

  function byPerson(request: FastifyRequest) {
    const { personId, sessionId } = sessionOf(request);
    const entry = {
      accountId: personId,
      actor: { type: "session", id: sessionId, personId },
      occurredAt: clock.now(),
    } as const satisfies Omit<NewAuditEntry, "action">;
    return { entry, sessionId, personId };
  }
}

function addBy(request: FastifyRequest) {
  const { sessionId: id, personId } = sessionOf(request);
  return { purpose: "add", session: { id, personId } } as const;
}

/** Options of a browser's `navigator.credentials.create`, as JSON. */
function toCreation({ challenge, party }: Ceremony, userHandle: string, email: string) {
  return {
    challenge,
    rp: { id: party.id, name: "Sealpost" },
    user: { id: userHandle, name: email, displayName: email },
    pubKeyCredParams: algorithms.map((alg) => ({ type: "public-key", alg })),
    timeout: ceremonyMilliseconds,
    attestation: "none",
    authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
  };
}

function toBody({ id, name, addedAt, usedAt }: Passkey) {
  return { id, name, addedAt, usedAt: usedAt ?? null };
}

function findNameError(name: string): string | undefined {
  const isWrong = name.length > nameLengthMax || !isDisplayable(name) || isInvisible(name);
  return isWrong ? `A passkey's name must have 1 to ${nameLengthMax} characters, on one line` : undefined;
}

function notFound(): Problem {
  return new Problem("not_found", "You have no such passkey");
}

function tooMany(): Problem {
  return new Problem(
    "conflict",
    `One person has at most ${passkeysMax} passkeys. Remove one that is not needed first.`,
  );
}

import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { AccountId } from "@sealpost/wire";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { sessionOf } from "../access/access.ts";
import type { AccountActions } from "../accounts/account-actions.ts";
import type { AccountStore } from "../accounts/account-store.ts";
import { confirmSession } from "../accounts/confirm-session.ts";
import type { PasskeyCredential, PasskeyStore } from "../accounts/passkey-store.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import type { Auth } from "../authentication/auth.ts";
import { toBetterAuthProblem } from "../authentication/better-auth-error.ts";
import { createSignInHeaders } from "../authentication/better-auth-request.ts";
import type { KnownBrowsers } from "../authentication/known-browsers.ts";
import type { Database } from "../database/database.ts";
import { lockRightsOf } from "../database/right-lock.ts";
import { runAsUnit } from "../database/unit-of-work.ts";
import type { OwnAddress } from "../instance/own-address.ts";
import { tooMany } from "../rate-limits/rate-limit-hooks.ts";
import type { RateLimits } from "../rate-limits/rate-limits.ts";
import type { Clock } from "../time/clock.ts";
import { type Ceremony, ceremonyMilliseconds } from "./ceremony.ts";
import { type PasskeyCeremonies, passkeyUnknown } from "./passkey-ceremonies.ts";
import { SignedAnswerBody } from "./passkey-schemas.ts";

export interface PasskeySignInRouteDependencies {
  readonly ceremonies: PasskeyCeremonies;
  readonly passkeys: PasskeyStore;
  readonly auth: Auth;
  readonly accounts: AccountStore;
  readonly accountActions: Pick<AccountActions, "findSession" | "endFormer">;
  readonly knownBrowsers: KnownBrowsers;
  readonly rateLimits: Pick<RateLimits, "countPasskeyOf">;
  readonly database: Database;
  readonly address: OwnAddress;
  readonly clock: Clock;
}

/** Signing in with a passkey, and making a session as fresh as a sign-in. */
export function createPasskeySignInRoutes(dependencies: PasskeySignInRouteDependencies) {
  const { ceremonies, passkeys, auth, accounts, knownBrowsers, rateLimits, database, address, clock } = dependencies;
  const { accountActions } = dependencies;
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();

    app.route({
      method: "POST",
      url: "/api/auth/passkeys/begin-sign-in",
      // Nothing can be guessed with it, and each visit of the sign-in page asks for one.
      config: { access: "public", rate: "api" },
      schema: { hide: true },
      handler: async (request, reply) => {
        const ceremony = ceremonies.begin(request, reply, signIn);
        return { publicKey: toRequest(ceremony, []) };
      },
    });

    app.route({
      method: "POST",
      url: "/api/auth/passkeys/sign-in",
      // As above: a flood from the owner's own address must not keep them out.
      config: { access: "public", rate: "api" },
      schema: { hide: true, body: SignedAnswerBody },
      handler: async (request, reply) => {
        const ceremony = ceremonies.receive(request, reply, signIn);
        const passkey = await ceremonies.findSigner(request.body, ceremony);
        const quota = await rateLimits.countPasskeyOf(passkey.personId);
        if (quota?.isExceeded) throw tooMany(quota);
        const former = await accountActions.findSession(request);
        for (const line of await openSession(request, passkey)) reply.header("set-cookie", line);
        await accountActions.endFormer(former);
        const email = await accounts.findEmail(passkey.personId);
        const known = email && (await knownBrowsers.remember(request.headers.cookie, email));
        if (known !== undefined) reply.header("set-cookie", known);
        return { status: true };
      },
    });

    app.route({
      method: "POST",
      url: "/api/auth/passkeys/begin-confirm",
      config: { access: "person", rate: "api" },
      schema: { hide: true },
      handler: async (request, reply) => {
        const ceremony = ceremonies.begin(request, reply, confirmBy(request));
        return { publicKey: toRequest(ceremony, await passkeys.list(sessionOf(request).personId)) };
      },
    });

    app.route({
      method: "POST",
      url: "/api/auth/passkeys/confirm",
      config: { access: "person", rate: "api" },
      schema: { hide: true, body: SignedAnswerBody },
      handler: async (request, reply) => {
        const ceremony = ceremonies.receive(request, reply, confirmBy(request));
        const passkey = await ceremonies.findSigner(request.body, ceremony);
        const { sessionId: id, personId: accountId } = sessionOf(request);
        const note = async () => {
          if (!(await passkeys.confirmSession(id, passkey.id))) throw passkeyUnknown();
        };
        await confirmSession({ database, accounts, clock }, { id, accountId }, { note });
        return { status: true };
      },
    });
  };

  /** The session and its entry, or neither. Gives the `Set-Cookie` headers of the new session. */
  function openSession(request: FastifyRequest, passkey: PasskeyCredential): Promise<readonly string[]> {
    return runAsUnit(database, () => open(request, passkey), {
      first: (transaction) => lockRightsOf(transaction, passkey.personId),
    });
  }

  async function open(request: FastifyRequest, passkey: PasskeyCredential): Promise<readonly string[]> {
    const { id: passkeyId, personId: accountId } = passkey;
    const response = await auth.api.signInPerson({
      headers: createSignInHeaders(request, address),
      asResponse: true,
      body: { passkeyId, accountId, authenticatedAt: clock.now(), secondFactor: "passkey" },
    });
    const text = await response.text();
    if (response.status !== 200) throw toBetterAuthProblem(response.status, text, {});
    const { token }: { readonly token?: unknown } = Object(JSON.parse(text));
    const session = typeof token === "string" ? await accounts.findSessionByToken(token) : undefined;
    if (session === undefined) throw new Error("A sign-in made no session");
    await keep(session.id, passkey, accountId);
    return response.headers.getSetCookie();
  }

  async function keep(id: string, passkey: PasskeyCredential, accountId: AccountId): Promise<void> {
    // Removed in this moment: its sessions have ended, and this one ends with them.
    if ((await passkeys.findOfSession(id)) !== passkey.id) throw passkeyUnknown();
    const actor = { type: "session", id, personId: accountId } as const;
    await recordAction(database, { accountId, actor, action: "session.started", occurredAt: clock.now() });
  }
}

const signIn = { purpose: "sign_in", session: undefined } as const;

function confirmBy(request: FastifyRequest) {
  const { sessionId: id, personId } = sessionOf(request);
  return { purpose: "confirm", session: { id, personId } } as const;
}

/** Options of a browser's `navigator.credentials.get`, as JSON. Without passkeys the person chooses one of this host. */
function toRequest({ challenge, party }: Ceremony, allowed: readonly PasskeyCredential[]) {
  return {
    ...{ challenge, rpId: party.id },
    timeout: ceremonyMilliseconds,
    userVerification: "required",
    allowCredentials: allowed.map(toDescriptor),
  };
}

/** A passkey as browsers expect it (`PublicKeyCredentialDescriptor`). */
export function toDescriptor({ credentialId: id, transports }: PasskeyCredential) {
  return { type: "public-key", id, transports };
}

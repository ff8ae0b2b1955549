import { pages } from "@sealpost/dashboard/pages";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { requireFreshSession, requireVerifiedAddress, sessionOf } from "../access/access.ts";
import type { AccountActions } from "../accounts/account-actions.ts";
import type { AccountStore } from "../accounts/account-store.ts";
import { requireOwnPasskey } from "../accounts/own-passkey.ts";
import type { PasskeyStore } from "../accounts/passkey-store.ts";
import { createSignInHeaders, parseBody } from "../authentication/better-auth-request.ts";
import { isFromOwnPage } from "../http/own-page.ts";
import { createSummedLines } from "../http/summed-lines.ts";
import type { OwnAddress } from "../instance/own-address.ts";
import { Problem } from "../problems/problem.ts";
import type { Clock } from "../time/clock.ts";
import { type Flow, type FlowCookies, parseNext } from "./flow.ts";
import { type AskingSession, type Begin, callbackPath, type OidcSignIn } from "./oidc-sign-in.ts";
import { OidcRefusal } from "./refusal.ts";

export interface OidcRouteDependencies {
  readonly oidcSignIn: OidcSignIn;
  readonly flowCookies: FlowCookies;
  readonly accountActions: Pick<AccountActions, "findSession" | "endFormer">;
  readonly accounts: Pick<AccountStore, "findBySession">;
  readonly passkeys: Pick<PasskeyStore, "list" | "isFactorRequired">;
  readonly address: OwnAddress;
  readonly clock: Clock;
}

/** Signing in by the identity provider. A browser is sent there by its own page, and comes back to `callbackPath`. */
export function createOidcRoutes(dependencies: OidcRouteDependencies) {
  const { oidcSignIn, flowCookies, accountActions, accounts, passkeys, address, clock } = dependencies;
  let logRefusal: ReturnType<typeof createRefusalLog>;
  return async (app: FastifyInstance): Promise<void> => {
    logRefusal = createRefusalLog(app);
    app.route({
      method: "POST",
      url: "/api/auth/oidc/sign-in",
      // Nothing is guessed here, but at the provider.
      config: { access: "public", rate: "api" },
      schema: { hide: true },
      handler: async (request, reply) => {
        if (!isFromOwnPage(request, address)) throw new Problem("forbidden", "This request came from another site");
        const { invitation, next } = parseBody(request.body);
        const token = typeof invitation === "string" && invitation.length <= 100 ? invitation : undefined;
        return begin(request, reply, {
          purpose: "sign_in",
          invitation: token,
          next: parseNext(next),
          session: undefined,
        });
      },
    });
    for (const purpose of ["link", "confirm"] as const)
      app.route({
        method: "POST",
        url: `/api/auth/oidc/${purpose}`,
        config: { access: "person", rate: "sign_in" },
        schema: { hide: true },
        handler: async (request, reply) => {
          if (!isFromOwnPage(request, address)) throw new Problem("forbidden", "This request came from another site");
          if (purpose === "link") {
            // Or who signs up with the address of somebody else could keep a way into the account.
            requireVerifiedAddress(request);
            requireFreshSession(request, clock.now());
            await requireOwnPasskey(passkeys, sessionOf(request));
          }
          const { sessionId: id, personId: accountId } = sessionOf(request);
          const { next } = parseBody(request.body);
          const session = { id, accountId };
          return begin(request, reply, { purpose, session, next: parseNext(next), invitation: undefined });
        },
      });
    app.route({
      method: "GET",
      url: callbackPath,
      config: { access: "public", rate: "api" },
      schema: { hide: true },
      handler: comeBack,
    });
  };

  async function begin(request: FastifyRequest, reply: FastifyReply, asked: Omit<Begin, "origin">) {
    const { origin = address.baseUrl() } = request.headers;
    try {
      const { flow, url } = await oidcSignIn.begin({ ...asked, origin });
      for (const line of flowCookies.begin(flow, request.headers.cookie, clock.now())) reply.header("set-cookie", line);
      return { url };
    } catch (error) {
      if (!(error instanceof OidcRefusal)) throw error;
      logRefusal(request, error);
      if (error.code === "away")
        throw new Problem("unavailable", "The identity provider does not answer. Please try again in a moment.", {
          retryAfter: 5,
        });
      throw new Problem(
        "unavailable",
        "The identity provider is not set up as this instance expects. Its operator finds out why with sealpost-server doctor.",
      );
    }
  }

  /** Always a page: only people with a browser come here. */
  async function comeBack(request: FastifyRequest, reply: FastifyReply) {
    const { cookie } = request.headers;
    const query = request.url.split("?").slice(1).join("?");
    const flow = flowCookies.find(new URLSearchParams(query).get("state"), cookie, clock.now());
    if (flow !== undefined) reply.header("set-cookie", flowCookies.end(flow));
    reply.header("cache-control", "no-store");
    try {
      const person = await oidcSignIn.receive(query, flow, request.ip);
      // Without it there is no person: `receive` has thrown.
      if (flow === undefined) throw new OidcRefusal("expired");
      if (flow.purpose === "sign_in") {
        const former = await accountActions.findSession(request);
        const headers = createSignInHeaders(request, address);
        const { cookies, isCodeNeeded, isNew } = await oidcSignIn.signIn(person, flow, headers);
        await accountActions.endFormer(former);
        for (const line of cookies) reply.header("set-cookie", line);
        const next = isNew ? undefined : flow.next;
        return reply.redirect(isCodeNeeded ? signInPage({ step: "code", next }) : (next ?? pages.forms.path), 303);
      }
      const session = await requireSession(request, flow);
      if (flow.purpose === "link") await oidcSignIn.link(person, session);
      else await oidcSignIn.confirm(person, flow, session);
      return reply.redirect(
        flow.purpose === "link" ? `${pages.account.path}?oidc=linked` : (flow.next ?? pages.forms.path),
        303,
      );
    } catch (error) {
      if (!(error instanceof OidcRefusal)) throw error;
      logRefusal(request, error);
      return reply.redirect(refusalPage(flow, error.code), 303);
    }
  }

  /** The one that began, and no other: somebody may have signed in again meanwhile, as another person. */
  async function requireSession(request: FastifyRequest, { session }: Flow): Promise<AskingSession> {
    const asking = await accountActions.findSession(request);
    if (asking === undefined || session?.id !== asking.id || session.personId !== asking.accountId)
      throw new OidcRefusal("session_changed");
    if ((await accounts.findBySession(asking.id, clock.now())) === undefined) throw new OidcRefusal("session_changed");
    return { id: asking.id, accountId: asking.accountId };
  }
}

function refusalPage(flow: Flow | undefined, code: string): string {
  if (flow === undefined || flow.purpose === "sign_in") return signInPage({ oidc: code, next: flow?.next });
  return `${pages.account.path}?${new URLSearchParams({ oidc: code })}`;
}

function signInPage(search: Readonly<Record<string, string | undefined>>): string {
  const known = Object.entries(search).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return `${pages.signIn.path}?${new URLSearchParams(known)}`;
}

const cameToNothing = "a sign-in by the identity provider came to nothing";

/** For the operator: what the provider said, and nothing about the person. Anybody can cause any number, so they are summed. */
function createRefusalLog(app: FastifyInstance) {
  const lines = createSummedLines<object>((members, more) => app.log.warn({ ...members, more }, cameToNothing));
  app.addHook("onClose", async () => lines.end());
  return ({ log }: FastifyRequest, { code, detail }: OidcRefusal): void => {
    const members = { code, detail };
    if (lines.isFirst({ key: JSON.stringify(members), members }, { key: code, members: { code } }))
      log.warn(members, cameToNothing);
  };
}

import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { requireFreshSession, sessionOf } from "../access/access.ts";
import type { Identity, IdentityStore } from "../accounts/identity-store.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import type { OidcSettings } from "../config/oidc-settings.ts";
import type { Database } from "../database/database.ts";
import { closed } from "../http/schemas.ts";
import type { OwnAddress } from "../instance/own-address.ts";
import { pageUrl } from "../instance/page-url.ts";
import type { SendSecurityMail } from "../mail/security-mail-store.ts";
import { Problem } from "../problems/problem.ts";
import type { Clock } from "../time/clock.ts";
import type { ProviderClient } from "./provider-client.ts";
import { OidcRefusal } from "./refusal.ts";

export interface IdentityRouteDependencies {
  readonly identities: IdentityStore;
  readonly provider: ProviderClient;
  readonly settings: OidcSettings;
  readonly sendSecurityMail: SendSecurityMail;
  readonly database: Database;
  readonly address: OwnAddress;
  readonly clock: Clock;
}

/** The people of identity providers who can sign in to one's account: listed and unlinked; and signing out there. */
export function createIdentityRoutes(dependencies: IdentityRouteDependencies) {
  const { identities, provider, settings, sendSecurityMail, database, address, clock } = dependencies;
  return async (app: FastifyInstance): Promise<void> => {
    app.route({
      method: "GET",
      url: "/api/auth/oidc",
      config: { access: "public", rate: "api" },
      schema: { hide: true },
      handler: async () => ({ name: settings.name }),
    });

    app.route({
      method: "GET",
      url: "/api/auth/identities",
      config: { access: "person", rate: "api" },
      schema: { hide: true },
      handler: async (request) => {
        const { personId } = sessionOf(request);
        const list = await identities.list(personId);
        return { identities: list.map(toBody), hasPassword: await identities.hasPassword(personId) };
      },
    });

    app.route<{ Params: { identity_id: string } }>({
      method: "DELETE",
      url: "/api/auth/identities/:identity_id",
      config: { access: "person", rate: "api" },
      schema: { hide: true, params: closed({ identity_id: Type.String() }) },
      handler: async (request) => {
        requireFreshSession(request, clock.now());
        const { personId: accountId, sessionId } = sessionOf(request);
        const id = request.params.identity_id;
        if (!/^[0-9a-f]{32}$/.test(id)) throw identityNotFound();
        const occurredAt = clock.now();
        await database.transaction().execute(async (transaction) => {
          if (!(await identities.unlink(transaction, accountId, id, sessionId))) throw identityNotFound();
          if (!(await identities.hasPassword(accountId, transaction)))
            throw new Problem(
              "conflict",
              "This is your only way to sign in: set a password first, by the link for a forgotten one",
            );
          const actor = { type: "session", id: sessionId, personId: accountId } as const;
          await recordAction(transaction, { accountId, actor, action: "identity.unlinked", occurredAt });
          await sendSecurityMail(transaction, { accountId, event: "identity_unlinked", occurredAt });
        });
        return { status: true };
      },
    });

    app.route({
      method: "POST",
      url: "/api/auth/oidc/sign-out-page",
      config: { access: "person", rate: "api" },
      schema: { hide: true },
      handler: async (request) => {
        const opener = settings.signsOut ? await identities.findOfSession(sessionOf(request).sessionId) : undefined;
        if (opener?.issuer !== settings.issuer) return { url: null };
        return { url: await findSignOutPage() };
      },
    });
  };

  /** The sign-out here happens whatever the provider does. */
  async function findSignOutPage(): Promise<string | null> {
    try {
      return (await provider.findSignOutUrl(pageUrl(address.baseUrl(), "signIn")))?.href ?? null;
    } catch (error) {
      if (error instanceof OidcRefusal) return null;
      throw error;
    }
  }

  function toBody({ id, issuer, name, linkedAt, usedAt }: Identity) {
    return { id, issuer, name, linkedAt, usedAt: usedAt ?? null, isOfProvider: issuer === settings.issuer };
  }
}

function identityNotFound(): Problem {
  return new Problem("not_found", "You have no such linked sign-in");
}

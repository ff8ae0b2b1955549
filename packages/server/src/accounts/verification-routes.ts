import type { AccountId } from "@sealpost/wire";
import type { FastifyInstance } from "fastify";
import { sessionOf } from "../access/access.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import { parseBody } from "../authentication/better-auth-request.ts";
import type { Database } from "../database/database.ts";
import { Problem } from "../problems/problem.ts";
import type { Clock } from "../time/clock.ts";
import type { AccountStateStore } from "./account-state-store.ts";

export interface VerificationRouteDependencies {
  readonly accountStates: AccountStateStore;
  readonly sendVerification: ((accountId: AccountId) => Promise<boolean>) | undefined;
  readonly database: Database;
  readonly clock: Clock;
}

const retrySeconds = 3600;

/**
 * Verifying the address of an account. A link counts only for a session of its account: somebody who
 * opens the mail of an account that a stranger made with their address would otherwise verify it for the stranger.
 */
export function createVerificationRoutes(dependencies: VerificationRouteDependencies) {
  const { accountStates, sendVerification, database, clock } = dependencies;
  const config = { access: "person", rate: "api" } as const;
  return async (app: FastifyInstance): Promise<void> => {
    app.route({
      method: "POST",
      url: "/api/auth/verification/send",
      config,
      schema: { hide: true },
      handler: async (request) => {
        const accountId = sessionOf(request).personId;
        if (sendVerification === undefined)
          throw new Problem("conflict", "This instance sends no emails. Its operator can verify your address.");
        if (await accountStates.isVerified(accountId)) return { status: true };
        if (!(await sendVerification(accountId)))
          throw new Problem("rate_limited", "Several emails were sent already. Look into the spam folder too.", {
            retryAfter: retrySeconds,
          });
        await decline(accountId);
        return { status: true };
      },
    });

    app.route({
      method: "POST",
      url: "/api/auth/verification/skip",
      config,
      schema: { hide: true },
      handler: async (request) => {
        await decline(sessionOf(request).personId);
        return { status: true };
      },
    });

    app.route({
      method: "POST",
      url: "/api/auth/verification/confirm",
      config,
      schema: { hide: true },
      handler: async (request) => {
        const { personId, sessionId: id } = sessionOf(request);
        const accountId = personId;
        const { token } = parseBody(request.body);
        const now = clock.now();
        await database.transaction().execute(async (transaction) => {
          const found =
            typeof token === "string"
              ? await accountStates.useVerification(transaction, token, accountId, now)
              : "unknown";
          if (found === "unknown")
            throw new Problem("bad_request", "This link was used before, or is older than a day. Ask for a new one.");
          if (found === "other")
            throw new Problem(
              "bad_request",
              "This link is for another account: sign out, and sign in with its address.",
            );
          const actor = { type: "session", id, personId } as const;
          if (await accountStates.markVerified(transaction, accountId))
            await recordAction(transaction, { accountId, actor, action: "account.verified", occurredAt: now });
        });
        return { status: true };
      },
    });
  };

  /** In a transaction, which looks at the session again. */
  function decline(accountId: AccountId): Promise<void> {
    return database.transaction().execute((transaction) => accountStates.declineVerification(transaction, accountId));
  }
}

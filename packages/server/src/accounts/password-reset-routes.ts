import type { FastifyInstance, FastifyRequest } from "fastify";
import { findPasswordError, findRevocationError } from "../authentication/account-input.ts";
import { type Auth, keepApiKeysHeader, knownBrowserHeader } from "../authentication/auth.ts";
import { type Messages, toBetterAuthProblem } from "../authentication/better-auth-error.ts";
import {
  classifyResponse,
  createOwnHeaders,
  parseBody,
  pick,
  toWebRequest,
} from "../authentication/better-auth-request.ts";
import { findCommonPasswordError } from "../authentication/common-passwords.ts";
import type { KnownBrowsers } from "../authentication/known-browsers.ts";
import type { Database } from "../database/database.ts";
import { addressLengthMax } from "../database/indexed-texts.ts";
import { lockRightsOf } from "../database/right-lock.ts";
import { runAsUnit } from "../database/unit-of-work.ts";
import type { OwnAddress } from "../instance/own-address.ts";
import type { SecretBox } from "../instance/secret-box.ts";
import { Problem, refuseInvalid } from "../problems/problem.ts";
import type { PasswordQueue } from "../rate-limits/password-queue.ts";
import type { AccountStore } from "./account-store.ts";

export interface PasswordResetRouteDependencies {
  readonly auth: Auth;
  readonly accounts: AccountStore;
  readonly knownBrowsers: KnownBrowsers;
  readonly passwordQueue: PasswordQueue;
  readonly database: Database;
  readonly address: OwnAddress;
  readonly secretBox: Pick<SecretBox, "requireOpen">;
}

interface LinkedPerson {
  readonly id: string;
  readonly email: string;
  readonly name: string;
}

/** Setting a new password with an emailed link. Only on instances that send emails: elsewhere the operator's command does it. */
export function createPasswordResetRoutes(dependencies: PasswordResetRouteDependencies) {
  const { auth, accounts, knownBrowsers, passwordQueue, database, address, secretBox } = dependencies;
  const running = new Set<Promise<void>>();

  return async (app: FastifyInstance): Promise<void> => {
    app.addHook("onClose", async () => {
      await Promise.all(running);
    });

    app.route({
      method: "POST",
      url: "/api/auth/request-password-reset",
      config: { access: "public", rate: "sign_in" },
      schema: { hide: true },
      handler: async (request) => {
        requireOwnPage(request);
        const { email } = parseBody(request.body);
        if (typeof email !== "string" || email.length > addressLengthMax || !/^[^\s@]+@[^\s@]+$/.test(email)) {
          const message = "An email address is needed, such as you@example.com";
          throw new Problem("bad_request", message, { details: { email: message } });
        }
        // Nobody would hear that nothing was sent.
        secretBox.requireOpen();
        await accounts.probe();
        // After the answer, which is the same and equally fast whether or not there is such an account.
        const work = ask(request, email).finally(() => running.delete(work));
        running.add(work);
        return { status: true };
      },
    });

    app.route({
      method: "POST",
      url: "/api/auth/reset-password",
      // The link has 140 random bits, and one that nobody was sent costs no hash: a neighbour on the same network must not keep the owner out.
      config: { access: "public", rate: "api" },
      schema: { hide: true },
      handler: async (request, reply) => {
        requireOwnPage(request);
        const given = parseBody(request.body);
        const body = pick(given, ["newPassword", "token"]);
        const revokeApiKeys = findRevocationError(given.revokeApiKeys);
        const person = typeof body.token === "string" ? await findPerson(body.token) : undefined;
        if (typeof body.token === "string")
          refuseInvalid({
            newPassword:
              findPasswordError(body.newPassword) ??
              // Only with a link that works: anyone can send a text in its place, and the look at a password is work.
              // Public facts about the person are easy to guess.
              (person && (await findCommonPasswordError(body.newPassword, [person.email, person.name]))),
            revokeApiKeys,
          });
        const asked = toWebRequest(request, "/reset-password", body, address);
        if (given.revokeApiKeys === false) asked.headers.set(keepApiKeysHeader, "1");
        const response = await passwordQueue.run("stranger", () => setPassword(asked, person?.id), request.ip);
        const text = await response.text();
        if (response.status >= 400) throw toBetterAuthProblem(response.status, text, { messages });
        // The browsers that were known ended with the password before; this one's person has set the new one.
        const known = person && (await knownBrowsers.remember(request.headers.cookie, person.email));
        if (known !== undefined) reply.header("set-cookie", known);
        return { status: true };
      },
    });
  };

  /** The person whose password a link sets. */
  async function findPerson(token: string): Promise<LinkedPerson | undefined> {
    const { internalAdapter } = await auth.$context;
    const link = await internalAdapter.findVerificationValue(`reset-password:${token}`);
    return link === null ? undefined : ((await internalAdapter.findUserById(link.value)) ?? undefined);
  }

  /** The new password, the used-up link and all that ends with the password before are one transaction: cut off, the link still works. */
  async function setPassword(asked: Request, personId: string | undefined): Promise<Response> {
    return runAsUnit(database, () => auth.handler(asked.clone()), {
      first: async (transaction) => {
        if (personId !== undefined) await lockRightsOf(transaction, personId);
      },
      classify: classifyResponse,
    });
  }

  async function ask(request: FastifyRequest, email: string): Promise<void> {
    try {
      const headers = createOwnHeaders(address);
      if ((await knownBrowsers.find(request.headers.cookie, email)) !== undefined) headers.set(knownBrowserHeader, "1");
      const asked = new Request(address.baseUrl(), { method: "POST", headers });
      await auth.api.requestPasswordReset({ body: { email }, headers, request: asked });
    } catch (error) {
      // Nobody waits for it. The same request may be made again.
      request.server.errorLog.write(request.log, "password reset", error);
    }
  }

  function requireOwnPage({ headers: { origin } }: FastifyRequest): void {
    if (origin !== undefined && !address.isOwn(origin))
      throw new Problem("forbidden", "This request came from another site");
  }
}

const messages: Messages = {
  INVALID_TOKEN: "This link was used before, or is older than an hour. Ask for a new one.",
  USER_NOT_FOUND: "This link was used before, or is older than an hour. Ask for a new one.",
  VALIDATION_ERROR: "The link's token and the new password are needed, as texts",
};

import type { FastifyRequest } from "fastify";
import { recordAction } from "../audit-log/audit-log-store.ts";
import type { Auth } from "../authentication/auth.ts";
import { toBetterAuthProblem } from "../authentication/better-auth-error.ts";
import { type Body, classifyResponse, createOwnHeaders } from "../authentication/better-auth-request.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { lockRightsOf } from "../database/right-lock.ts";
import { runAsUnit } from "../database/unit-of-work.ts";
import type { OwnAddress } from "../instance/own-address.ts";
import { Problem, refuseInvalid } from "../problems/problem.ts";
import type { Clock } from "../time/clock.ts";
import type { AccountSession, AccountStore } from "./account-store.ts";
import { type CountedCodes, codesLocked } from "./counted-codes.ts";

export interface OwnerCheckDependencies {
  readonly auth: Auth;
  readonly address: OwnAddress;
  readonly accounts: Pick<AccountStore, "useCode" | "findBySession">;
  readonly codes: CountedCodes;
  readonly database: Database;
  readonly clock: Clock;
}

export interface OwnerCheck {
  /** Throws unless the body has the account's password. */
  password(request: FastifyRequest, body: Body): Promise<void>;
  /** Throws unless the body has the account's password, and a code of its app or one of its backup codes, which it uses up. */
  passwordAndCode(request: FastifyRequest, session: AccountSession, body: Body): Promise<void>;
}

const wrongCode = "The code is wrong or too old, or was used before";

/**
 * For what would let somebody in without the app: the library asks only for the password there. Wrong codes count like
 * those of sign-ins, which it does not do within a session either.
 */
export function createOwnerCheck({
  auth,
  address,
  accounts,
  codes,
  database,
  clock,
}: OwnerCheckDependencies): OwnerCheck {
  return { password: checkPassword, passwordAndCode };

  async function checkPassword(request: FastifyRequest, { password }: Body): Promise<void> {
    if (typeof password !== "string") return refuseInvalid({ password: "The password is needed, as text" });
    await refuse(await auth.api.verifyPassword({ ...askedBy(request), body: { password } }));
  }

  async function passwordAndCode(
    request: FastifyRequest,
    { accountId, id }: AccountSession,
    { password, code }: Body,
  ): Promise<void> {
    if (typeof password !== "string" || typeof code !== "string")
      return refuseInvalid({
        password: typeof password === "string" ? undefined : "The password is needed, as text",
        code: typeof code === "string" ? undefined : "A code of the app or a backup code is needed, as text",
      });
    const entry = { accountId, actor: { type: "session", id, personId: accountId }, occurredAt: clock.now() } as const;
    const asked = askedBy(request);
    // First, or who does not know it could use up the owner's codes.
    await refuse(await auth.api.verifyPassword({ ...asked, body: { password } }));
    if (!(await codes.take(accountId))) {
      await requireSession(id);
      throw codesLocked();
    }
    const isOfApp = /^[0-9]{6}$/.test(code);
    const body = { code };
    // A backup code is used up with its entry.
    const verify = async () => {
      if (isOfApp) return auth.api.verifyTOTP({ ...asked, body });
      const response = await auth.api.verifyBackupCode({ ...asked, body });
      if (response.status < 400) await recordAction(database, { ...entry, action: "second_factor.backup_code_used" });
      return response;
    };
    const verified = await runAsUnit(database, verify, {
      first: async (transaction) => {
        await lockRightsOf(transaction, accountId);
        await requireSession(id, transaction);
      },
      classify: classifyResponse,
    });
    if (verified.status === 401) {
      // The library answers the same to a session that has ended meanwhile: that is no wrong code.
      await requireSession(id).catch(async (error) => {
        await codes.giveBack(accountId);
        throw error;
      });
      await codes.noteWrong(accountId, entry.actor);
      refuseInvalid({ code: wrongCode });
    }
    if (verified.status >= 400) await codes.giveBack(accountId);
    await refuse(verified);
    if (isOfApp && !(await accounts.useCode(accountId, code, entry.occurredAt))) {
      await codes.giveBack(accountId);
      refuseInvalid({ code: wrongCode });
    }
    await codes.unlock(accountId);
  }

  async function requireSession(id: string, transaction?: DatabaseTransaction): Promise<void> {
    if ((await accounts.findBySession(id, clock.now(), transaction)) === undefined)
      throw new Problem("unauthorized", "Invalid or missing authentication");
  }

  function askedBy(request: FastifyRequest) {
    return { headers: createOwnHeaders(address, request.headers.cookie), asResponse: true } as const;
  }

  async function refuse(response: Response): Promise<void> {
    if (response.status < 400) return;
    throw toBetterAuthProblem(response.status, await response.text(), { fields: { INVALID_PASSWORD: "password" } });
  }
}

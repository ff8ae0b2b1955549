import { createHmac, timingSafeEqual } from "node:crypto";
import type { AccountId } from "@sealpost/wire";
import { recordAction } from "../audit-log/audit-log-store.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { lockRightsOf } from "../database/right-lock.ts";
import type { SecretBox } from "../instance/secret-box.ts";
import type { SendSecurityMail } from "../mail/security-mail-store.ts";
import { Problem, refuseInvalid } from "../problems/problem.ts";
import { type Clock, isOpenUntil } from "../time/clock.ts";
import type { AccountSession, AccountStore } from "./account-store.ts";

export interface BackupCodesDependencies {
  readonly accounts: Pick<AccountStore, "findBySession">;
  readonly secretBox: Pick<SecretBox, "signingKeys">;
  readonly sendSecurityMail: SendSecurityMail;
  readonly database: Database;
  readonly clock: Clock;
}

/**
 * New backup codes that count only once their owner has seen them: an answer may be lost, and then the codes on paper must not be worth
 * nothing. Until then they are with the browser alone, as a proposal that the service has signed.
 */
export interface BackupCodes {
  /** The codes that count now, encrypted; `undefined` without a second factor. */
  find(target: Database | DatabaseTransaction, accountId: AccountId): Promise<string | undefined>;
  /** Takes back that the library has replaced those `before`. Gives the proposal, by which `keep` replaces them. */
  propose(accountId: AccountId, before: string): Promise<string>;
  /**
   * Makes the codes of a proposal those that count; a repeated one is answered as at first. Throws where the codes before are no longer
   * those that it was to replace, when it is over an hour old, and a 401 where the session has ended.
   */
  keep(session: AccountSession, proposal: unknown): Promise<void>;
}

const proposalMilliseconds = 3_600_000;

export function createBackupCodes(dependencies: BackupCodesDependencies): BackupCodes {
  const { accounts, secretBox, sendSecurityMail, database, clock } = dependencies;

  /** By the active secret alone: a rotation must not find codes of the one before after it has gone through the table. */
  const sign = (accountId: AccountId, before: string, content: string) =>
    createHmac("sha256", secretBox.signingKeys("backup-codes")[0])
      .update(JSON.stringify([accountId, before, content]))
      .digest("base64url");

  async function find(target: Database | DatabaseTransaction, accountId: AccountId): Promise<string | undefined> {
    const row = await target
      .selectFrom("second_factor")
      .select("backup_codes")
      .where("person_id", "=", accountId)
      .executeTakeFirst();
    return row?.backup_codes;
  }

  async function store(target: Database | DatabaseTransaction, accountId: AccountId, codes: string): Promise<void> {
    await target.updateTable("second_factor").set({ backup_codes: codes }).where("person_id", "=", accountId).execute();
  }

  return {
    find,
    async propose(accountId, before) {
      const codes = (await find(database, accountId)) ?? "";
      await store(database, accountId, before);
      const proposed: Proposed = { codes, until: clock.now() + proposalMilliseconds };
      const content = Buffer.from(JSON.stringify(proposed)).toString("base64url");
      return `${content}.${sign(accountId, before, content)}`;
    },
    async keep({ id, accountId }, proposal) {
      if (typeof proposal !== "string") return refuseInvalid({ proposal: "Must be a string" });
      const [content = "", signature = ""] = proposal.split(".");
      await database.transaction().execute(async (transaction) => {
        await lockRightsOf(transaction, accountId);
        const occurredAt = clock.now();
        if ((await accounts.findBySession(id, occurredAt, transaction)) === undefined)
          throw new Problem("unauthorized", "Invalid or missing authentication");
        const before = await find(transaction, accountId);
        const proposed = parse(content);
        if (before !== undefined && before === proposed?.codes) return;
        const isCurrent =
          before !== undefined && proposed !== undefined && isSame(signature, sign(accountId, before, content));
        if (!isCurrent || !isOpenUntil(proposed.until + 1, occurredAt, proposalMilliseconds))
          throw new Problem("conflict", "These backup codes came too late to count: make new ones");
        await store(transaction, accountId, proposed.codes);
        const actor = { type: "session", id, personId: accountId } as const;
        const action = "second_factor.backup_codes_replaced";
        await recordAction(transaction, { accountId, actor, action, occurredAt });
        await sendSecurityMail(transaction, { accountId, event: "backup_codes_replaced", occurredAt });
      });
    },
  };
}

interface Proposed {
  /** As the library has encrypted them. */
  readonly codes: string;
  /** Milliseconds since the Unix epoch. */
  readonly until: number;
}

/** The content counts only if this service has signed it. */
function parse(content: string): Proposed | undefined {
  try {
    const { codes, until }: Record<string, unknown> = Object(
      JSON.parse(Buffer.from(content, "base64url").toString("utf8")),
    );
    return typeof codes === "string" && typeof until === "number" ? { codes, until } : undefined;
  } catch {
    return undefined;
  }
}

function isSame(given: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}

import type { AccountId, ApiKeyId } from "@sealpost/wire";
import { recordAction } from "../audit-log/audit-log-store.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";

/** An API key that a restore brings back, though it may have been revoked since the backup. */
export interface RestoredApiKey {
  readonly id: ApiKeyId;
  readonly accountId: AccountId;
  readonly prefix: string;
  readonly name: string;
  readonly email: string;
}

/** A person whom a restore makes a member again, though they may have been removed, or had another role, since the backup. */
export interface RestoredMember {
  readonly organizationId: AccountId;
  readonly email: string;
  readonly role: string;
}

/** The credentials that were valid when the backup was made. */
export interface RestoredAccess {
  readonly accounts: readonly { readonly id: AccountId; readonly sessions: number }[];
  readonly apiKeys: readonly RestoredApiKey[];
  /** Members of the organizations that have more than one. */
  readonly members: readonly RestoredMember[];
}

/**
 * Ends what a backup would bring back to life: sessions, sign-ins that wait for a code, emailed links, invitations, and the
 * emails that carry them. API keys are revoked only if that is asked for. Run again on the same backup it leaves the same rows, which a copy that is
 * on relies on.
 */
export async function endRestoredAccess(
  database: Database,
  { createdAt, revokesKeys }: { readonly createdAt: number; readonly revokesKeys: boolean },
): Promise<RestoredAccess> {
  return database.transaction().execute(async (transaction) => {
    const access = await findAccess(transaction);
    await transaction.deleteFrom("session").execute();
    // Codes that were used stay used.
    await transaction.deleteFrom("verification").whereRef("id", "<>", "identifier").execute();
    // A move that could still be undone stays.
    await transaction.deleteFrom("address_move").where("moved_at", "is", null).execute();
    await transaction
      .deleteFrom("mail")
      .where("kind", "in", ["password_reset", "verify_email", "invitation", "instance_invitation"])
      .execute();
    // One may have been used or taken back since.
    for (const table of ["invitation", "instance_invitation"] as const)
      await transaction.updateTable(table).set({ ended_at: createdAt }).where("ended_at", "is", null).execute();
    if (revokesKeys) await transaction.deleteFrom("api_key").execute();
    return access;
  });
}

async function findAccess(transaction: DatabaseTransaction): Promise<RestoredAccess> {
  const accounts = await transaction
    .selectFrom("account_holder")
    .leftJoin("session", "session.account_id", "account_holder.id")
    .select(({ fn }) => ["account_holder.id", fn.count<number>("session.id").as("sessions")])
    .groupBy("account_holder.id")
    .execute();
  const keys = await transaction
    .selectFrom("api_key")
    .innerJoin("account_holder", "account_holder.id", "api_key.account_id")
    .select(["api_key.id", "api_key.account_id", "api_key.prefix", "api_key.name", "account_holder.email"])
    .orderBy("api_key.id")
    .execute();
  const members = await transaction
    .selectFrom("member")
    .innerJoin("account_holder", "account_holder.id", "member.person_id")
    .select(["member.organization_id", "member.role", "account_holder.email"])
    .where("member.organization_id", "in", ({ selectFrom }) =>
      selectFrom("member as one")
        .select("one.organization_id")
        .groupBy("one.organization_id")
        .having(({ fn }) => fn.countAll(), ">", 1),
    )
    .orderBy("member.organization_id")
    .orderBy("member.since")
    .orderBy("member.person_id")
    .execute();
  return {
    // Only ids of ours are written there.
    accounts: accounts.map(({ id, sessions }) => ({ id: id as AccountId, sessions: Number(sessions) })),
    apiKeys: keys.map(({ id, account_id, ...key }) => ({
      ...key,
      id: id as ApiKeyId,
      accountId: account_id as AccountId,
    })),
    members: members.map(({ organization_id, ...member }) => ({
      ...member,
      organizationId: organization_id as AccountId,
    })),
  };
}

/** Writes the restore into the audit log of each account that it brings back, and each API key that it revoked. */
export async function tellRestored(
  transaction: DatabaseTransaction,
  { accounts, apiKeys }: RestoredAccess,
  { createdAt, now, revokesKeys }: { readonly createdAt: number; readonly now: number; readonly revokesKeys: boolean },
): Promise<void> {
  const actor = { type: "operator" } as const;
  for (const { id: accountId, sessions } of accounts) {
    const keys = apiKeys.filter((key) => key.accountId === accountId);
    const counts = { sessions, [revokesKeys ? "keysRevoked" : "keysRestored"]: keys.length };
    const details = { backupAt: createdAt, counts };
    await recordAction(transaction, { accountId, actor, action: "account.restored", occurredAt: now, details });
    if (!revokesKeys) continue;
    for (const { id, name } of keys) {
      const target = { type: "api_key", id, name } as const;
      await recordAction(transaction, { accountId, actor, action: "api_key.revoked", occurredAt: now, target });
    }
  }
}

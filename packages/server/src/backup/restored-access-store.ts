import type { AccountId, ApiKeyId } from "@sealpost/wire";
import { undoMilliseconds } from "../accounts/address-move-store.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { recordOf, type TablesWhere, tableNames } from "../database/table-records.ts";
import { keepOrganizations, keepPersons } from "../retention/called-off-store.ts";
import { heldBackDays } from "../retention/held-back.ts";
import { holdBack } from "../retention/held-back-store.ts";

/** An API key that a restore brings back, though it may have been revoked since the backup. */
export interface RestoredApiKey {
  readonly id: ApiKeyId;
  readonly accountId: AccountId;
  readonly prefix: string;
  readonly name: string;
  /** The address of the person who made it. */
  readonly email: string;
}

/** A person whom a restore makes a member again, though they may have been removed, or had another role, since the backup. */
export interface RestoredMember {
  readonly organizationId: AccountId;
  readonly email: string;
  readonly role: string;
}

/** A way to sign in that a restore brings back, though the person may have removed it since the backup. */
export interface RestoredSignIn {
  readonly kind: "passkey" | "linked sign-in";
  readonly name: string;
  readonly email: string;
}

/**
 * Move of an account to another address: `waiting` for links, which the restore ends; `moved`, where the address before could undo it, and
 * may have since the backup; or `undone` in the days before. Somebody else may have been in the account.
 */
export type RestoredMove = {
  /** The address that the account has now. */
  readonly email: string;
} & (
  | { readonly kind: "waiting"; readonly to: string }
  | { readonly kind: "moved"; readonly from: string; readonly undoableUntil: number }
  | { readonly kind: "undone"; readonly undoneAt: number }
);

/** Deletion of an account or an organization that had been asked for, and that the restore calls off: it may have been called off since the backup. */
export interface RestoredDeletion {
  readonly kind: "account" | "organization";
  readonly id: AccountId;
  /** The address of a person; the name of an organization. */
  readonly name: string;
  /** When it was to be deleted for good, in milliseconds. */
  readonly at: number;
}

/** How many rows of a table work again, by their name in its record. */
export interface WorkingAgain {
  readonly table: CredentialTable;
  readonly name: string;
  readonly count: number;
}

type CredentialTable = TablesWhere<"restored", { readonly worksAgain: string }>;

/** The credentials that were valid when the backup was made. */
export interface RestoredAccess {
  readonly accounts: readonly { readonly id: AccountId; readonly sessions: number }[];
  readonly apiKeys: readonly RestoredApiKey[];
  /** Members of the organizations that have more than one. */
  readonly members: readonly RestoredMember[];
  readonly signIns: readonly RestoredSignIn[];
  /** Addresses of the operators of the instance: their right may have been taken away since the backup. */
  readonly operators: readonly string[];
  /** Addresses of the disabled accounts: all others are enabled, also those that were disabled since the backup. */
  readonly disabled: readonly string[];
  readonly moves: readonly RestoredMove[];
  readonly deletions: readonly RestoredDeletion[];
  readonly workingAgain: readonly WorkingAgain[];
}

/** Takes the rows of a table of a backup that may have been used, or taken back, since `createdAt`. */
type End = (transaction: DatabaseTransaction, createdAt: number) => Promise<unknown>;

const endOf =
  (table: "invitation" | "instance_invitation"): End =>
  (transaction, createdAt) =>
    transaction.updateTable(table).set({ ended_at: createdAt }).where("ended_at", "is", null).execute();

/** How a restore ends what was handed out, for each table whose record says so, in this order. */
const endings = {
  organization: keepOrganizations,
  person: keepPersons,
  session: (transaction) => transaction.deleteFrom("session").execute(),
  // Codes that were used stay used.
  verification: (transaction) => transaction.deleteFrom("verification").whereRef("id", "<>", "identifier").execute(),
  // A move that could still be undone stays.
  address_move: (transaction) => transaction.deleteFrom("address_move").where("moved_at", "is", null).execute(),
  invitation: endOf("invitation"),
  instance_invitation: endOf("instance_invitation"),
  admission: (transaction, createdAt) =>
    transaction.updateTable("admission").set({ ended_at: createdAt }).where("ended_at", "is", null).execute(),
  // Between two sessions, which have ended.
  device_request: (transaction) => transaction.deleteFrom("device_request").execute(),
  // Emails with links that have ended; those that undo a move stay with it.
  mail: (transaction) =>
    transaction
      .deleteFrom("mail")
      .where(({ and, or, eb, not, exists, selectFrom }) =>
        or([
          eb("kind", "in", ["password_reset", "verify_email", "invitation", "instance_invitation"]),
          and([
            eb("kind", "=", "address"),
            not(
              exists(
                selectFrom("address_move")
                  .select("person_id")
                  .whereRef("address_move.person_id", "=", "mail.account_id"),
              ),
            ),
          ]),
        ]),
      )
      .execute(),
} satisfies Readonly<Record<TablesWhere<"restored", { readonly ends: string }>, End>>;

/**
 * Ends what a backup would bring back to life: sessions, sign-ins that wait for a code, emailed links, invitations, admissions, and
 * the emails that carry them, and deletions of accounts and organizations. Holds back what is deleted for its age. API keys are revoked only if that is asked for. Run again on the same backup it leaves the same rows,
 * which a copy that is on relies on.
 */
export async function endRestoredAccess(
  database: Database,
  { createdAt, revokesKeys }: { readonly createdAt: number; readonly revokesKeys: boolean },
): Promise<RestoredAccess> {
  return database.transaction().execute(async (transaction) => {
    const access = await findAccess(transaction);
    for (const end of Object.values<End>(endings)) await end(transaction, createdAt);
    if (revokesKeys) await transaction.deleteFrom("api_key").execute();
    const idsOf = (kind: RestoredDeletion["kind"]) =>
      access.deletions.flatMap((deletion) => (deletion.kind === kind ? [deletion.id] : []));
    const calledOff = { organizations: idsOf("organization"), persons: idsOf("account") };
    await holdBack(transaction, { since: createdAt, days: heldBackDays, calledOff });
    return access;
  });
}

async function findAccess(transaction: DatabaseTransaction): Promise<RestoredAccess> {
  const ids = transaction
    .selectFrom("organization")
    .select("organization.id")
    .union(transaction.selectFrom("person").select("person.id"));
  const accounts = await transaction
    .selectFrom(ids.as("account"))
    .leftJoin("session", "session.person_id", "account.id")
    .select(({ fn }) => ["account.id", fn.count<number>("session.id").as("sessions")])
    .groupBy("account.id")
    .execute();
  const keys = await transaction
    .selectFrom("api_key")
    .innerJoin("person", "person.id", "api_key.made_by")
    .select(["api_key.id", "api_key.account_id", "api_key.prefix", "api_key.name", "person.email"])
    .orderBy("api_key.id")
    .execute();
  const members = await transaction
    .selectFrom("member")
    .innerJoin("person", "person.id", "member.person_id")
    .select(["member.organization_id", "member.role", "person.email"])
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
    signIns: [...(await listSignIns(transaction, "passkey")), ...(await listSignIns(transaction, "identity"))],
    operators: await listPersonsWith(transaction, "operator_since"),
    disabled: await listPersonsWith(transaction, "disabled_at"),
    moves: await listMoves(transaction),
    deletions: await listDeletions(transaction),
    workingAgain: await countWorkingAgain(transaction),
  };
}

async function listPersonsWith(
  transaction: DatabaseTransaction,
  column: "operator_since" | "disabled_at",
): Promise<readonly string[]> {
  const rows = await transaction
    .selectFrom("person")
    .select("email")
    .where(column, "is not", null)
    .orderBy("email")
    .execute();
  return rows.map(({ email }) => email);
}

async function listMoves(transaction: DatabaseTransaction): Promise<readonly RestoredMove[]> {
  const moves = await transaction
    .selectFrom("address_move")
    .innerJoin("person", "person.id", "address_move.person_id")
    .select(["person.email", "old_email", "new_email", "moved_at"])
    .orderBy("person.email")
    .execute();
  const undone = await transaction
    .selectFrom("undone_move")
    .innerJoin("person", "person.id", "undone_move.person_id")
    .select(["person.email", "undone_at"])
    .orderBy("person.email")
    .orderBy("undone_at")
    .execute();
  return [
    ...moves.map(({ email, old_email: from, new_email: to, moved_at }): RestoredMove => {
      if (moved_at === null) return { kind: "waiting", email, to };
      return { kind: "moved", email, from, undoableUntil: Number(moved_at) + undoMilliseconds };
    }),
    ...undone.map(({ email, undone_at }): RestoredMove => ({ kind: "undone", email, undoneAt: Number(undone_at) })),
  ];
}

async function listDeletions(transaction: DatabaseTransaction): Promise<readonly RestoredDeletion[]> {
  const organizations = await transaction
    .selectFrom("organization")
    .select(["id", "name", "ends_at as at"])
    .where("ends_at", "is not", null)
    .orderBy("id")
    .execute();
  const persons = await transaction
    .selectFrom("person")
    .select(["id", "email as name", "leaves_at as at"])
    .where("leaves_at", "is not", null)
    .orderBy("id")
    .execute();
  const toDeletion =
    (kind: RestoredDeletion["kind"]) =>
    ({ id, name, at }: { readonly id: string; readonly name: string; readonly at: number | null }) => ({
      kind,
      id: id as AccountId,
      name,
      at: Number(at),
    }); // only ids of ours are written there
  return [...organizations.map(toDeletion("organization")), ...persons.map(toDeletion("account"))];
}

async function listSignIns(
  transaction: DatabaseTransaction,
  table: "passkey" | "identity",
): Promise<readonly RestoredSignIn[]> {
  const rows = await transaction
    .selectFrom(table)
    .innerJoin("person", "person.id", `${table}.person_id`)
    .select([`${table}.name`, "person.email"])
    .orderBy(`${table}.id`)
    .execute();
  const kind = table === "passkey" ? "passkey" : "linked sign-in";
  return rows.map(({ name, email }) => ({ kind, name, email }));
}

async function countWorkingAgain(transaction: DatabaseTransaction): Promise<readonly WorkingAgain[]> {
  const counted: WorkingAgain[] = [];
  for (const table of tableNames) {
    const { restored } = recordOf(table);
    if (typeof restored === "string" || !("worksAgain" in restored)) continue;
    const row = await transaction
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<number>().as("count"))
      .executeTakeFirstOrThrow();
    if (Number(row.count) > 0)
      counted.push({ table: table as CredentialTable, name: restored.worksAgain, count: Number(row.count) });
  }
  return counted;
}

/** Writes the restore into the audit log of each account that it brings back, and each API key that it revoked. */
export async function tellRestored(
  transaction: DatabaseTransaction,
  { accounts, apiKeys, deletions }: RestoredAccess,
  { createdAt, now, revokesKeys }: { readonly createdAt: number; readonly now: number; readonly revokesKeys: boolean },
): Promise<void> {
  const actor = { type: "operator" } as const;
  for (const { kind, id: accountId } of deletions)
    await recordAction(transaction, { accountId, actor, action: `${kind}.kept`, occurredAt: now });
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

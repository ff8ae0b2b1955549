import type { AccountId } from "@sealpost/wire";
import { sql } from "kysely";
import type { DatabaseTransaction } from "../database/database.ts";
import { securityKinds } from "./mail.ts";

/** Columns that the copy takes over from the email. */
const copied = [
  "kind",
  "account_id",
  "is_personal",
  "is_by_others",
  "by_id",
  "form_id",
  "details",
  "created_at",
  "expires_at",
] as const;

/** One that is being sent may fail, and its copy must not wait for the end of its lease. */
const dueAt = sql<number>`case when claim_token is null then due_at else created_at end`;

/**
 * Sends somebody who was an owner until now a copy of each security email that waits for the organization's owners: they are about what was done
 * while they were one, perhaps by the one who has removed them. It is an email of their own, with what was counted until now: they learn nothing of what
 * comes afterwards, nor the addresses of owners. Ask in the transaction in which they cease to be an owner.
 */
export async function keepNotifying(
  transaction: DatabaseTransaction,
  organizationId: AccountId,
  personId: AccountId,
): Promise<void> {
  const waiting = transaction
    .selectFrom("mail")
    .where("account_id", "=", organizationId)
    .where("is_personal", "=", 0)
    .where("former_owner", "is", null)
    .where("kind", "in", [...securityKinds, "security_gathered"])
    .where("finished_at", "is", null);
  const copyOf = (id: "id" | "mail_id") => sql<string>`${sql.ref(id)} || ${`-${personId}`}`;
  await transaction
    .insertInto("mail")
    .columns(["id", ...copied, "due_at", "attempts", "former_owner"])
    .expression(
      waiting
        .select(copyOf("id").as("id"))
        .select(copied)
        .select([
          dueAt.as("due_at"),
          sql.lit(0).as("attempts"),
          sql<string>`cast(${personId} as text)`.as("former_owner"),
        ]),
    )
    .onConflict((conflict) => conflict.column("id").doNothing())
    .execute();
  // Someone who became an owner again while the email waited, and then left again, gets the present counts.
  const gathered = waiting.where("kind", "=", "security_gathered");
  await transaction
    .deleteFrom("mail_gathered")
    .where("mail_id", "in", gathered.select(copyOf("id").as("id")))
    .execute();
  await transaction
    .insertInto("mail_gathered")
    .columns(["mail_id", "event", "count"])
    .expression(({ selectFrom }) =>
      selectFrom("mail_gathered")
        .select([copyOf("mail_id").as("mail_id"), "event", "count"])
        .where("mail_id", "in", gathered.select("id")),
    )
    .execute();
}

/** Addresses of people who were owners while emails waited, by person id, without disabled accounts. */
export async function listFormerOwners(
  transaction: DatabaseTransaction,
  rows: readonly { readonly former_owner: string | null }[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const ids = [...new Set(rows.flatMap(({ former_owner }) => former_owner ?? []))];
  if (ids.length === 0) return new Map();
  const people = await transaction
    .selectFrom("person")
    .select(["id", "email", "disabled_at"])
    .where("id", "in", ids)
    .execute();
  return new Map(people.map(({ id, email, disabled_at }) => [id, disabled_at === null ? [email] : []]));
}

/** For a person who gets another id. */
export async function renameFormerOwner(
  transaction: DatabaseTransaction,
  from: AccountId,
  to: AccountId,
): Promise<void> {
  await transaction.updateTable("mail").set({ former_owner: to }).where("former_owner", "=", from).execute();
}

import type { AccountId } from "@sealpost/wire";
import { sql } from "kysely";
import type { DatabaseTransaction } from "../database/database.ts";
import { securityKinds } from "./mail.ts";
import { parseTexts } from "./stored-texts.ts";

/**
 * Has the security emails that wait for an organization's owners sent to somebody who was one until now as well: they are about what was done while
 * they were, perhaps by the one who has removed them. Ask in the transaction in which they cease to be an owner.
 */
export async function keepNotifying(
  transaction: DatabaseTransaction,
  organizationId: AccountId,
  personId: AccountId,
): Promise<void> {
  const rows = await transaction
    .selectFrom("mail")
    .select("former_owners")
    .distinct()
    .where("account_id", "=", organizationId)
    .where("is_personal", "=", 0)
    .where("kind", "in", [...securityKinds, "security_gathered"])
    .where("finished_at", "is", null)
    .execute();
  for (const { former_owners } of rows) {
    const ids = parseTexts(former_owners);
    if (ids.includes(personId) || ids.length >= formerMax) continue;
    await transaction
      .updateTable("mail")
      .set({ former_owners: JSON.stringify([...ids, personId]) })
      .where("account_id", "=", organizationId)
      .where("is_personal", "=", 0)
      .where("kind", "in", [...securityKinds, "security_gathered"])
      .where("finished_at", "is", null)
      .where(sql<boolean>`coalesce(former_owners, '') = ${former_owners ?? ""}`)
      .execute();
  }
}

/** As many as there may be recipients of one email. */
const formerMax = 20;

/** The addresses of people who were owners while emails waited, by their ids; without those who are disabled. */
export async function listFormerOwners(
  transaction: DatabaseTransaction,
  rows: readonly { readonly former_owners: string | null }[],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(rows.flatMap(({ former_owners }) => parseTexts(former_owners)))];
  if (ids.length === 0) return new Map();
  const people = await transaction
    .selectFrom("person")
    .select(["id", "email"])
    .where("id", "in", ids)
    .where("disabled_at", "is", null)
    .execute();
  return new Map(people.map(({ id, email }) => [id, email]));
}

/** For a person who gets another id. */
export async function renameFormerOwner(
  transaction: DatabaseTransaction,
  from: AccountId,
  to: AccountId,
): Promise<void> {
  await transaction
    .updateTable("mail")
    .set({ former_owners: sql`replace(former_owners, ${from}, ${to})` })
    .where("former_owners", "is not", null)
    .where("former_owners", "like", `%${from}%`)
    .execute();
}

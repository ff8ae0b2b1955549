import { sql } from "kysely";
import type { DatabaseTransaction } from "../database/database.ts";
import { isProven } from "../database/membership.ts";
import { isPersonal, type MailSubject } from "./mail.ts";

/** The owners of the emails' organizations, the oldest ones of each, in one statement. */
export async function listOwners(
  transaction: DatabaseTransaction,
  rows: readonly { readonly account_id: string }[],
): Promise<ReadonlyMap<string, readonly Owner[]>> {
  const numbered = transaction
    .selectFrom("member")
    .innerJoin("person", "person.id", "member.person_id")
    .select(["member.organization_id", "member.person_id", "person.email"])
    // Counted in each organization: many owners of one must not take the place of another's.
    .select(
      sql<number>`row_number() over (partition by member.organization_id order by member.since, member.person_id)`.as(
        "position",
      ),
    )
    .where("member.organization_id", "in", [...new Set(rows.map(({ account_id }) => account_id))])
    .where("member.role", "=", "owner")
    .where(isProven("member"))
    .where("person.disabled_at", "is", null);
  const owners = await transaction
    .selectFrom(numbered.as("owner"))
    .selectAll()
    .where("position", "<=", ownersMax)
    .orderBy("position")
    .execute();
  return Map.groupBy(owners, ({ organization_id }) => organization_id);
}

export interface Owner {
  readonly person_id: string;
  readonly email: string;
}

/** The addresses at which a repeated email did not arrive yet; all, if it has none of these any more. */
export function missedOf(failedTo: string | null, addresses: readonly string[]): readonly string[] {
  const missed = parseAddresses(failedTo);
  const again = addresses.filter((address) => missed.includes(address));
  return again.length > 0 ? again : addresses;
}

export function parseAddresses(text: string | null): readonly string[] {
  return text === null ? [] : (JSON.parse(text) as readonly string[]); // written from some
}

/** More recipients than that a mail server may refuse. */
const ownersMax = 20;

interface MailRow {
  readonly account_id: string;
  /** The address of the person with this id. */
  readonly email: string | null;
}

export function addressesOf(
  subject: MailSubject,
  { account_id: id, email }: MailRow,
  owners: ReadonlyMap<string, readonly Owner[]>,
  passedOver: ReadonlySet<string> = new Set(),
): readonly string[] {
  if ("address" in subject) return [subject.address];
  if (isPersonal(subject)) return email === null ? [] : [email];
  return (owners.get(id) ?? []).filter(({ person_id }) => !passedOver.has(person_id)).map(({ email: own }) => own);
}

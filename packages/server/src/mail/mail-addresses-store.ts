import type { Selectable } from "kysely";
import type { DatabaseTransaction } from "../database/database.ts";
import type { MailTable } from "../database/mail-tables.ts";
import { isProven } from "../database/membership.ts";
import { isPersonal, type MailSubject } from "./mail.ts";
import { toOneForm } from "./recipient.ts";
import { parseTexts } from "./stored-texts.ts";

/** The owners of the emails' organizations, in one statement; an organization has at most 500 members. */
export async function listOwners(
  transaction: DatabaseTransaction,
  rows: readonly { readonly account_id: string }[],
): Promise<ReadonlyMap<string, readonly Owner[]>> {
  const owners = await transaction
    .selectFrom("member")
    .innerJoin("person", "person.id", "member.person_id")
    .select(["member.organization_id", "member.person_id", "person.email"])
    .where("member.organization_id", "in", [...new Set(rows.map(({ account_id }) => account_id))])
    .where("member.role", "=", "owner")
    .where(isProven("member"))
    .where("person.disabled_at", "is", null)
    .orderBy("member.since")
    .orderBy("member.person_id")
    .execute();
  return Map.groupBy(owners, ({ organization_id }) => organization_id);
}

export interface Owner {
  readonly person_id: string;
  readonly email: string;
}

/** The addresses at which a repeated email did not arrive yet, in the order of the last try. All, if it has none of these any more and has reached nobody. */
export function missedOf(
  { failed_to, refused_to, reached }: Pick<Selectable<MailTable>, "failed_to" | "refused_to" | "reached">,
  addresses: readonly string[],
): readonly string[] {
  const [missed, refused] = [failed_to, refused_to].map((column) => parseTexts(column).map(toOneForm));
  const waiting = addresses.filter((address) => !refused?.includes(toOneForm(address)));
  const placeOf = (address: string) => missed?.indexOf(toOneForm(address)) ?? -1;
  const again = waiting.filter((address) => placeOf(address) >= 0);
  if (again.length > 0) return again.toSorted((one, other) => placeOf(one) - placeOf(other));
  return reached > 0 ? [] : waiting;
}

interface MailRow {
  readonly account_id: string;
  /** The address of the person with this id. */
  readonly email: string | null;
  readonly former_owner: string | null;
}

/** Who may get emails about organizations. */
interface Concerned {
  readonly owners: ReadonlyMap<string, readonly Owner[]>;
  /** Addresses of those who were owners while emails waited, by their ids. */
  readonly formerOwners: ReadonlyMap<string, readonly string[]>;
  /** Ids of owners who have had their share of notices. */
  readonly passedOver: ReadonlySet<string> | undefined;
}

export function addressesOf(
  subject: MailSubject,
  { account_id: id, email, former_owner }: MailRow,
  { owners, formerOwners, passedOver = new Set() }: Concerned,
): readonly string[] {
  if (former_owner !== null) return formerOwners.get(former_owner) ?? [];
  if ("address" in subject) return [subject.address];
  if (isPersonal(subject)) return email === null ? [] : [email];
  const own = (owners.get(id) ?? []).filter(({ person_id }) => !passedOver.has(person_id));
  return own.map(({ email: address }) => address);
}

import type { AccountId } from "@sealpost/wire";
import type { Selectable } from "kysely";
import type { Database } from "../database/database.ts";
import type { KeyCopyTable } from "../database/personal-key-tables.ts";
import { listFormerIds } from "./account-export-store.ts";

// Public keys, sealed copies and signed entries: what several readers of forms need of a person.

/** Its public halves: nobody here has the others. */
export async function readPersonalKey(database: Database, id: AccountId) {
  const row = await database.selectFrom("personal_key").selectAll().where("person_id", "=", id).executeTakeFirst();
  return row === undefined
    ? null
    : { recipient: row.recipient, signingKey: row.signing_key, createdAt: row.created_at };
}

/** The copies with their files, which are the person's and open with their secrets alone; also copies that can still be restored. */
export async function readKeyCopies(database: Database, id: AccountId) {
  const rows = await database.selectFrom("key_copy").selectAll().where("person_id", "=", id).orderBy("id").execute();
  return rows.map(toKeyCopy);
}

/** Keys that another has replaced, for the time in which that can be undone, with their copies. */
export async function readFormerKeys(database: Database, id: AccountId) {
  const keys = await database.selectFrom("former_key").selectAll().where("person_id", "=", id).execute();
  const copies = await database.selectFrom("former_key_copy").selectAll().where("person_id", "=", id).execute();
  return keys.map(({ recipient, signing_key, created_at, replaced_at, copy_id, file }) => ({
    ...{ recipient, signingKey: signing_key, createdAt: created_at, replacedAt: replaced_at, copyId: copy_id, file },
    copies: copies.filter((copy) => copy.signing_key === signing_key).map(toKeyCopy),
  }));
}

function toKeyCopy({ id, way, name, file, created_at, removed_at }: Selectable<KeyCopyTable>) {
  return { id, way, name, file, createdAt: created_at, removedAt: removed_at };
}

/** Heads of signed lists that the person has signed, with the keys that were replaced as well. */
export async function readSignedHeads(database: Database, id: AccountId) {
  const rows = await database.selectFrom("signed_head").selectAll().where("person_id", "=", id).execute();
  return rows.map(({ organization_id: organizationId, signing_key: signingKey, signed_head, number, stored_at }) => ({
    ...{ organizationId, signingKey, signedHead: signed_head, number, storedAt: stored_at },
  }));
}

/** Offers to bring the person, or the address that they have shown to be theirs, into signed lists. */
export async function readAdmissions(database: Database, id: AccountId, email: string | undefined) {
  const rows = await database
    .selectFrom("admission")
    .selectAll()
    .where(({ eb, or, and }) =>
      or([
        eb("person_id", "=", id),
        ...(email === undefined ? [] : [and([eb("person_id", "is", null), eb("email", "=", email)])]),
      ]),
    )
    .orderBy("id")
    .execute();
  return rows.map((row) => ({
    ...{ id: row.id, organizationId: row.organization_id, email: row.email, madeBy: row.made_by, terms: row.terms },
    ...{ answer: row.answer, refusals: row.refusals },
    ...{ createdAt: row.created_at, endsAt: row.ends_at, answeredAt: row.answered_at, endedAt: row.ended_at },
  }));
}

/** Names of the person next to signed lists of members, with the salts: together they prove the commitments in the entries. */
export async function readMemberListNames(database: Database, id: AccountId) {
  const rows = await database
    .selectFrom("list_name")
    .select(["organization_id", "commitment", "salt", "name"])
    .where("member_id", "in", [id, ...(await listFormerIds(database, id)).map((former) => former.id)])
    .orderBy("organization_id")
    .orderBy("commitment")
    .execute();
  return rows.map(({ organization_id: organizationId, ...line }) => ({ organizationId, ...line }));
}

/** Entries about the person in signed lists of members: their role and public keys, and a commitment to their name, as somebody signed them. */
export async function readMemberListEntries(database: Database, id: AccountId) {
  const rows = await database
    .selectFrom("list_entry")
    .select(["organization_id", "number", "entry", "added_at"])
    .where("member_id", "in", [id, ...(await listFormerIds(database, id)).map((former) => former.id)])
    .orderBy("organization_id")
    .orderBy("number")
    .execute();
  return rows.map(({ organization_id: organizationId, number, entry, added_at: addedAt }) => ({
    ...{ organizationId, number, entry, addedAt },
  }));
}

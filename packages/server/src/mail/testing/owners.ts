import { type AccountId, createId } from "@sealpost/wire";
import type { Database } from "../../database/database.ts";
import { insertOrganization } from "../../database/membership.ts";
import type { TestAccount } from "../../testing/test-service.ts";

export interface OwnedOrganization {
  readonly id: AccountId;
  readonly people: readonly AccountId[];
  readonly addresses: readonly string[];
}

/** Makes an organization with owners of its own, without a request for each; `model` is an account like theirs. The first has been there for longest. */
export async function insertOwned(
  database: Database,
  model: TestAccount,
  addresses: readonly string[],
  now: number,
): Promise<OwnedOrganization> {
  const id = createId("account");
  const person = await database.selectFrom("person").selectAll().where("id", "=", model.id).executeTakeFirstOrThrow();
  const people = addresses.map(() => createId("account"));
  await database
    .insertInto("person")
    .values(people.map((personId, index) => ({ ...person, id: personId, email: addresses[index] ?? "" })))
    .execute();
  await database.transaction().execute((transaction) =>
    insertOrganization(transaction, {
      id,
      name: "Of owners",
      plan: "free",
      createdAt: now,
      countsFor: model.id as AccountId,
    }),
  );
  const member = { organization_id: id, role: "owner", form_ids: "[]", added_by: null, unproven_address: null };
  await database
    .insertInto("member")
    .values(people.map((person_id, index) => ({ ...member, person_id, since: now + index })))
    .execute();
  return { id, people, addresses };
}

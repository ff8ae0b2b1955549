/**
 * `npm run bench -- instance`: what the lists of the instance page cost with 10,000 accounts, next to those with 10. The aim for
 * the first page of a list is 1.3. With SEALPOST_TEST_DATABASE_URL on PostgreSQL.
 */
import { createId } from "@sealpost/wire";
import { createOperator } from "../packages/server/src/operators/testing/test-operator.ts";
import { createTestService, type TestAccount, type TestService } from "../packages/server/src/testing/test-service.ts";
import { compareRequests } from "./compare-requests.ts";
import { describeMachine } from "./machine.ts";

const closers: (() => unknown)[] = [];
const few = await fill(10);
const many = await fill(10_000);

console.log(`${describeMachine()}\n`);
const { compare, close } = compareRequests(many.service, 200);
const person = "search=person-7%40";
for (const [name, path] of [
  ["accounts", "/accounts?limit=20"],
  ["accounts by address", "/accounts?limit=20&sort=address"],
  ["accounts, next page", `/accounts?limit=5&cursor=`],
  ["accounts, found by an address", `/accounts?limit=20&${person}`],
  ["organizations", "/organizations?limit=20"],
  ["organizations by name", "/organizations?limit=20&sort=name"],
  ["organizations, the fullest first", "/organizations?limit=20&sort=storage"],
  ["organizations, found by a member's address", `/organizations?limit=20&${person}`],
  ["health and counts", ""],
] as const) {
  const pathOf = async ({ service, operator }: typeof few) =>
    `${service.url}/api/instance${path}${path.endsWith("cursor=") ? await findCursor(operator, path) : ""}`;
  await compare(name, "10 accounts", [few.operator, await pathOf(few)], "10,000 accounts", [
    many.operator,
    await pathOf(many),
  ]);
}
close();
for (const end of closers.reverse()) await end();

/** A service with as many accounts, each with an organization, a form with 1 KiB, a session and an API key. */
async function fill(count: number): Promise<{ readonly service: TestService; readonly operator: TestAccount }> {
  const service = await createTestService({ after: (close: () => unknown) => closers.push(close) } as never); // all that it uses of a test
  const operator = await createOperator(service);
  const at = "2026-01-01T00:00:00.000Z";
  const { database } = service;
  const [owner] = await database.selectFrom("person").selectAll().execute();
  const form = (await operator.request("POST", "/api/forms", { name: "Form", settings: { encryption: false } })).body
    .form;
  await operator.request("POST", "/api/api-keys", { name: "Key" });
  const samples = {
    form: await database.selectFrom("form").selectAll().where("id", "=", form.id).executeTakeFirstOrThrow(),
    form_count: await database
      .selectFrom("form_count")
      .selectAll()
      .where("form_id", "=", form.id)
      .executeTakeFirstOrThrow(),
    api_key: await database.selectFrom("api_key").selectAll().executeTakeFirstOrThrow(),
    session: await database.selectFrom("session").selectAll().executeTakeFirstOrThrow(),
  };
  if (owner === undefined) throw new Error("There is no operator");
  await database.transaction().execute(async (transaction) => {
    for (let index = 1; index < count; index++) {
      const id = createId("account");
      const formId = createId("form");
      const names = { email: `person-${index}@example.com`, name: `Person ${(index * 7919) % count}` };
      await transaction
        .insertInto("person")
        .values({
          id,
          ...names,
          email_verified: owner.email_verified,
          disabled_at: null,
          joined_at: 1,
          created_at: at,
          updated_at: at,
        })
        .execute();
      await transaction
        .insertInto("organization")
        .values({ id, name: names.name, plan: "free", created_at: 1, counts_for: id })
        .execute();
      await transaction
        .insertInto("member")
        .values({ organization_id: id, person_id: id, role: "owner", form_ids: "[]", since: 1, added_by: null })
        .execute();
      await transaction
        .insertInto("form")
        .values({ ...samples.form, id: formId, account_id: id })
        .execute();
      await transaction
        .insertInto("form_count")
        .values({ ...samples.form_count, form_id: formId, bytes: index })
        .execute();
      await transaction.insertInto("account_count").values({ account_id: id, forms: 1 }).execute();
      await transaction
        .insertInto("api_key")
        .values({ ...samples.api_key, id: createId("apiKey"), account_id: id, made_by: id, hash: `${index}` })
        .execute();
      await transaction
        .insertInto("session")
        .values({ ...samples.session, id: `session-${index}`, token: `token-${index}`, person_id: id })
        .execute();
    }
  });
  return { service, operator };
}

async function findCursor(operator: TestAccount, path: string): Promise<string> {
  return (await operator.request("GET", `/api/instance${path.replace("&cursor=", "")}`)).body.nextCursor;
}

/**
 * `npm run bench -- organizations`: what the lists of an organization with 50 members and 200 forms cost, next to those of
 * one person with 10 forms. The aim is 1.3.
 */
import { switchTo } from "../packages/server/src/organizations/testing/test-organization.ts";
import { createTestService, type TestAccount } from "../packages/server/src/testing/test-service.ts";
import { compareRequests } from "./compare-requests.ts";
import { describeMachine } from "./machine.ts";

const closers: (() => unknown)[] = [];
const service = await createTestService({ after: (close: () => unknown) => closers.push(close) } as never); // all that it uses of a test
const alone = await service.signUp();
const owner = await service.signUp();
const fewForms = await createForms(alone, 10);
const manyForms = await createForms(owner, 200);
const members: TestAccount[] = [];
for (let index = 1; index < 50; index++)
  members.push(await addMember(index === 1 ? undefined : index === 2 ? manyForms : manyForms.slice(index, index + 10)));
const [manager, readerOfAll, readerOfTen] = members as [TestAccount, TestAccount, TestAccount];

console.log(`${describeMachine()}\n`);
const { compare, close } = compareRequests(service, 200);
const small = "1 member, 10 forms";
const large = (who: string) => `50 members, 200 forms, ${who}`;
for (const [who, account, forms] of [
  ["owner", owner, manyForms],
  ["manager", manager, manyForms],
  ["reader of all forms by name", readerOfAll, manyForms],
  ["reader of ten forms", readerOfTen, manyForms.slice(3, 13)],
] as const) {
  const lists = (form = "") => [
    ["GET /api/forms?limit=10", "/api/forms?limit=10"] as const,
    ["GET /api/forms/{form_id}/submissions", `/api/forms/${form}/submissions`] as const,
    ["GET /api/forms/{form_id}/stats", `/api/forms/${form}/stats?period=year`] as const,
  ];
  for (const [index, [name, path]] of lists(forms[5]).entries())
    await compare(name, small, [alone, lists(fewForms[5])[index]?.[1] ?? ""], large(who), [account, path]);
}
for (const path of ["/api/organizations", "/api/audit-log?limit=10", "/api/members"])
  await compare(`GET ${path}`, small, [alone, path], large("owner"), [owner, path]);

close();
for (const end of closers.reverse()) await end();

async function createForms(account: TestAccount, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index++) {
    const { status, body } = await account.request("POST", "/api/forms", { name: `Form ${index}` });
    if (status !== 200) throw new Error(`A form was answered with ${status}`);
    ids.push(body.form.id);
  }
  return ids;
}

/** Past the invitations, of which an organization makes 20 a day. A reader of these forms; without them, a manager. */
async function addMember(forms: readonly string[] | undefined): Promise<TestAccount> {
  const person = await service.signUp();
  const role = forms === undefined ? ("manager" as const) : ("reader" as const);
  const member = { organization_id: owner.id, person_id: person.id, role, form_ids: JSON.stringify(forms ?? []) };
  await service.database
    .insertInto("member")
    .values({ ...member, since: Date.now(), added_by: owner.id })
    .execute();
  await switchTo(person, owner.id);
  return person;
}

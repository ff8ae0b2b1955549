import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createSoftwareAuthenticator } from "../../packages/server/src/passkeys/testing/software-authenticator.ts";
import { testDatabaseKind } from "../../packages/server/src/testing/test-database.ts";
import type { TestAccount } from "../../packages/server/src/testing/test-service.ts";
import { type Actor, setOperator } from "./revocations.ts";
import { openRights, runAlone } from "./rights.ts";

/** Things made by a right that was taken away: each ends with the right, and does not come back with it. */
const rights = await openRights({ after });
const { service, scene, calls, createActor } = rights;
const { owner } = scene;

async function remove({ account }: Actor): Promise<void> {
  assert.equal((await owner.request("DELETE", `/api/members/${account.id}`)).status, 200);
}

async function bringBack({ account }: Actor): Promise<void> {
  await calls.addMember(owner, account.id, { role: "owner", formIds: undefined });
}

const change = (account: TestAccount, role: string) =>
  owner.request("PATCH", `/api/members/${account.id}`, { role, ...(role === "developer" && { forms: [] }) });

async function invite(account: TestAccount, role: string) {
  const email = `${crypto.randomUUID()}@example.com`;
  const made = await account.request("POST", "/api/invitations", { email, role });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  const token: string = made.body.url.split("#")[1];
  return { token, find: () => service.request("POST", "/api/invitations/find", { body: { token } }) };
}

test("an API key and an invitation of a member who was removed stay dead when the member comes back", async () => {
  const actor = await createActor();
  const { key } = (await actor.account.request("POST", "/api/api-keys", { name: "Key" })).body.key;
  const { find } = await invite(actor.account, "owner");
  assert.equal((await find()).status, 200);
  await remove(actor);
  await bringBack(actor);
  assert.equal((await service.request("GET", "/api/forms", { token: key })).status, 401);
  assert.equal((await find()).status, 400);
});

test("an invitation to a role that its maker may not give any more stays dead when the maker gets the role back", async () => {
  const { account } = await createActor();
  const invitations = [await invite(account, "owner"), await invite(account, "manager")];
  assert.equal((await change(account, "manager")).status, 200);
  assert.equal((await change(account, "owner")).status, 200);
  for (const { find } of invitations) assert.equal((await find()).status, 400);
});

test("an invitation to the instance ends with the right of the operator who made it", async () => {
  const actor = await createActor();
  const email = `${crypto.randomUUID()}@example.com`;
  const made = await actor.account.request("POST", "/api/instance/invitations", { email });
  assert.equal(made.status, 200, JSON.stringify(made.body));
  const token = made.body.url.split("#")[1];
  const find = () => service.request("POST", "/api/invitations/find", { body: { token } });
  assert.equal((await find()).status, 200);
  await setOperator(scene, actor, false);
  await setOperator(scene, actor, true);
  assert.equal((await find()).status, 400);
});

/** Twenty rounds, since which one comes first is the database's choice. */
test("of an API key that is made while its maker is removed, nothing works afterwards, whichever was first", async () => {
  let refused = 0;
  for (let round = 0; round < (testDatabaseKind === "postgres" ? 20 : 5); round++) {
    const actor = await createActor();
    const make = () => actor.account.request("POST", "/api/api-keys", { name: "Key" });
    const [first, second] = await Promise.all([make(), make(), remove(actor)]);
    await bringBack(actor);
    for (const { status, body } of [first, second]) {
      assert.ok([200, 401, 403].includes(status), JSON.stringify(body));
      if (status !== 200) refused += 1;
      else assert.equal((await service.request("GET", "/api/forms", { token: body.key.key })).status, 401);
    }
  }
  console.log(`# ${refused} of the keys were refused`);
});

test("a passkey whose last request was held while the password was changed signs nobody in", async () => {
  const actor = await createActor();
  await service.database
    .updateTable("person")
    .set({ second_factor_enabled: 0 as never }) // PostgreSQL's boolean, SQLite's number
    .where("id", "=", actor.account.id)
    .execute();
  const authenticator = createSoftwareAuthenticator(service.url);
  const browser = { origin: service.url, cookie: actor.account.cookie };
  const begun = await service.request("POST", "/api/auth/passkeys/begin", { headers: browser });
  assert.equal(begun.status, 200, JSON.stringify(begun.body));
  const cookie = `${browser.cookie}; ${begun.headers.getSetCookie()[0]?.split(";")[0]}`;
  const made = runAlone(
    rights,
    {
      method: "POST",
      path: "/api/auth/passkeys",
      headers: { ...browser, cookie, "content-type": "application/json" },
      body: JSON.stringify(authenticator.create(begun.body.publicKey)),
    },
    () =>
      actor.post("/api/auth/change-password", {
        currentPassword: "correct horse battery",
        newPassword: "another horse battery",
        revokeApiKeys: true,
      }),
  );
  assert.equal((await made).status, 401);
});

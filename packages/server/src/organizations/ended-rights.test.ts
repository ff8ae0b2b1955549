import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { administer } from "../accounts/administer.ts";
import { showCode } from "../accounts/testing/authenticator.ts";
import { parseConfig } from "../config/config.ts";
import { createForm, postPlain, silentWebhooks } from "../forms/testing/test-form.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { createTestDatabase } from "../testing/test-database.ts";
import { createTestService, type TestAccount } from "../testing/test-service.ts";
import { addPerson, invite, switchTo } from "./testing/test-organization.ts";

/**
 * Everything that an owner of an organization has. When their rights have ended, they try with each to read submissions and
 * invitations, and to let an accomplice in.
 */
const held = [
  "session cookie",
  "session token",
  "session that acted for another organization",
  "API key with every permission",
  "sign-in that waits for a code",
  "invitation that they made",
] as const;
type Held = (typeof held)[number];

const password = "correct horse battery";

const ways = {
  "was removed by another owner": (second: TestAccount, person: TestAccount) =>
    second.request("DELETE", `/api/members/${person.id}`),
  left: (_second: TestAccount, person: TestAccount) => person.request("POST", "/api/members/leave"),
  "was made an auditor": (second: TestAccount, person: TestAccount) =>
    second.request("PATCH", `/api/members/${person.id}`, { role: "auditor" }),
  "was made a reader of no form": (second: TestAccount, person: TestAccount) =>
    second.request("PATCH", `/api/members/${person.id}`, { role: "reader", forms: [] }),
  "was disabled": undefined,
} as const;

async function start(t: TestContext, isOrganizationTheirOwn: boolean) {
  const folder = createTemporaryFolder(t);
  const service = await createTestService(t, { folder, deliveries: silentWebhooks });
  const first = await service.signUp("first@example.com");
  const member = await addPerson(service, first, "member@example.com", { role: "owner" });
  const [person, second] = isOrganizationTheirOwn ? [first, member] : [member, first];
  const form = await createForm(first, { encryption: false });
  await postPlain(service, form);
  await service.signUp("accomplice@example.com");
  /** Requests with the person's credentials, each with its headers. */
  const signIn = (headers: Readonly<Record<string, string>> = {}) =>
    service.request("POST", "/api/auth/sign-in/email", {
      headers: { origin: service.url, ...headers },
      body: { email: person === first ? "first@example.com" : "member@example.com", password },
    });
  return { service, folder, organizationId: first.id, person, second, form, signIn };
}
type Stage = Awaited<ReturnType<typeof start>>;

const cookiesOf = (headers: Headers) =>
  headers
    .getSetCookie()
    .map((line) => line.split(";")[0] ?? "")
    .join("; ");

/** Whether these headers read anything of the organization that the person had rights to. */
async function reaches({ service, form }: Stage, headers: Readonly<Record<string, string>>): Promise<boolean> {
  const asked = { headers: { origin: service.url, ...headers } };
  const paths = [`/api/forms/${form}/submissions`, "/api/invitations"];
  const answers = await Promise.all(paths.map((path) => service.request("GET", path, asked)));
  return answers.some(({ status, body }) => status === 200 && body.total > 0);
}

/** Turns the second factor on, which ends all other sessions. */
async function turnOn({ service, person, organizationId }: Stage) {
  const own = { origin: service.url, cookie: person.cookie };
  const begun = await service.request("POST", "/api/auth/two-factor/enable", { headers: own, body: { password } });
  const { totpURI: uri, backupCodes } = begun.body;
  const body = { code: showCode(uri) };
  const turnedOn = await service.request("POST", "/api/auth/two-factor/verify-totp", { headers: own, body });
  const cookie = cookiesOf(turnedOn.headers);
  const issued = await service.request("GET", "/api/auth/token", { headers: { origin: service.url, cookie } });
  const token: string = issued.body.token;
  const session: TestAccount = {
    ...{ id: person.id, token, cookie },
    request: (method, path, body) => service.request(method, path, { token, body }),
  };
  await switchTo(session, organizationId);
  return { session, uri: String(uri), backupCode: String(backupCodes[0]) };
}

/** Everything that the person has, taken while they are an owner. Each is tried when it is called. */
async function collect(stage: Stage) {
  const { service, organizationId, signIn } = stage;
  const { session, uri, backupCode } = await turnOn(stage);
  const { key } = (await session.request("POST", "/api/api-keys", { name: "Key" })).body;
  const token = await invite(session, "accomplice@example.com", { role: "manager" });
  const own = (cookie: string) => ({ origin: service.url, cookie });
  const switchWith = (cookie: string, id: string) =>
    service.request("POST", `/api/organizations/${id}/switch`, { headers: own(cookie) });
  const finish = async (waiting: string, path: string, code: string) => {
    const headers = own(waiting);
    const answer = await service.request("POST", `/api/auth/two-factor/${path}`, { headers, body: { code } });
    return answer.status === 200 ? cookiesOf(answer.headers) : "";
  };
  const away = await finish(cookiesOf((await signIn()).headers), "verify-backup-code", backupCode);
  const elsewhere = await session.request("POST", "/api/organizations", { name: "Away" });
  assert.equal((await switchWith(away, elsewhere.body.organization.id)).status, 200);
  const waiting = cookiesOf((await signIn()).headers);
  const body = { email: "accomplice@example.com", password };
  const accomplice = await service.request("POST", "/api/auth/sign-in/email", { headers: own(""), body });
  const reachesAfterSwitch = async (cookie: string) => {
    await switchWith(cookie, organizationId);
    return reaches(stage, { cookie });
  };
  const tries: Readonly<Record<Held, () => Promise<boolean>>> = {
    "session cookie": () => reachesAfterSwitch(session.cookie),
    "session token": () => reaches(stage, { authorization: `Bearer ${session.token}` }),
    "session that acted for another organization": () => reachesAfterSwitch(away),
    "API key with every permission": () => reaches(stage, { authorization: `Bearer ${key.key}` }),
    "sign-in that waits for a code": async () =>
      reachesAfterSwitch(await finish(waiting, "verify-totp", showCode(uri, Date.now() + 30_000))),
    "invitation that they made": async () => {
      const headers = own(cookiesOf(accomplice.headers));
      const answer = await service.request("POST", "/api/invitations/accept", { headers, body: { token } });
      return answer.status === 200;
    },
  };
  return { session, tries };
}

async function disable(t: TestContext, { folder, person, service }: Stage): Promise<void> {
  const config = parseConfig({ ...(await createTestDatabase(t, folder)), SEALPOST_DATA: folder });
  const row = await service.database
    .selectFrom("person")
    .select("email")
    .where("id", "=", person.id)
    .executeTakeFirstOrThrow();
  await administer(config, (accounts) => accounts.disable(row.email));
}

for (const isOwn of [false, true])
  for (const [way, end] of Object.entries(ways))
    test(`an owner who ${way} has nothing left that works in the organization${isOwn ? " with their id" : ""}`, async (t) => {
      const stage = await start(t, isOwn);
      const { session, tries } = await collect(stage);
      if (end === undefined) await disable(t, stage);
      else assert.equal((await end(stage.second, session)).status, 200);
      for (const what of held) assert.equal(await tries[what](), false, what);
    });

test("before the rights of an owner end everything of theirs works, so the tests of ended rights would find what does", async (t) => {
  const { tries } = await collect(await start(t, false));
  for (const what of held) assert.equal(await tries[what](), true, what);
});

test("requests of somebody who was removed keep no owner from revoking API keys", async (t) => {
  const service = await createTestService(t, { clock: createFakeClock(Date.now()) });
  const owner = await service.signUp("owner@example.com");
  const { id } = (await owner.request("POST", "/api/api-keys", { name: "Key" })).body.key;
  const removed = await addPerson(service, owner, "removed@example.com", { role: "auditor" });
  assert.equal((await owner.request("DELETE", `/api/members/${removed.id}`)).status, 200);
  const ask = async () => (await removed.request("POST", "/api/api-keys", {})).status;
  for (let count = 0; count < 20; count++) assert.equal(await ask(), 403);
  assert.equal(await ask(), 429);
  assert.equal((await owner.request("DELETE", `/api/api-keys/${id}`)).status, 200);
});

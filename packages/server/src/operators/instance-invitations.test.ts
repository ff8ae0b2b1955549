import assert from "node:assert/strict";
import { test } from "node:test";
import { administer } from "../accounts/administer.ts";
import { parseConfig } from "../config/config.ts";
import { silentWebhooks } from "../forms/testing/test-form.ts";
import { startSmtpServer } from "../mail/testing/smtp-server.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { runCommand } from "../testing/run-command.ts";
import { createTemporaryFolder, type TestScope } from "../testing/temporary-folder.ts";
import { createTestDatabase, onSqlite } from "../testing/test-database.ts";
import { createTestService, type TestAccount, type TestService } from "../testing/test-service.ts";
import { createInstanceInvitationStore } from "./instance-invitation-store.ts";
import { createOperator } from "./testing/test-operator.ts";

const password = "correct horse battery";
const day = 86_400_000;
const path = "/api/instance/invitations";

async function invite(operator: TestAccount, email: string): Promise<string> {
  const { status, body } = await operator.request("POST", path, { email });
  assert.equal(status, 200, JSON.stringify(body));
  return String(body.url).split("#")[1] ?? "";
}

function signUp(service: TestService, email: string, invitation: unknown, name = "Guest") {
  return service.request("POST", "/api/auth/sign-up/email", { body: { email, name, password, invitation } });
}

async function listAddresses(operator: TestAccount): Promise<readonly string[]> {
  const { invitations, total } = (await operator.request("GET", path)).body;
  assert.equal(invitations.length, total);
  return invitations.map(({ email }: { email: string }) => email);
}

async function start(t: TestScope) {
  const clock = createFakeClock();
  const service = await createTestService(t, { clock, environment: { SEALPOST_SIGNUP: "open" } });
  const operator = await createOperator(service);
  return { service, clock, operator };
}

const codeOf = async (answer: Promise<{ readonly status: number; readonly body: { readonly code?: string } }>) => {
  const { status, body } = await answer;
  return body.code ?? status;
};

test("where sign-up is closed an invitation makes an account with an organization of its own; the emailed link alone proves the address", async (t) => {
  const smtp = await startSmtpServer(t);
  const environment = {
    SEALPOST_SIGNUP: "first",
    SEALPOST_SMTP_URL: `smtp://127.0.0.1:${smtp.port}?tls=off`,
    SEALPOST_MAIL_FROM: "Forms <forms@example.com>",
  };
  const folder = createTemporaryFolder(t);
  const service = await createTestService(t, { environment, folder, deliveries: silentWebhooks });
  const operator = await createOperator(service);
  assert.equal(await codeOf(signUp(service, "guest@example.com", undefined)), "sign_up_closed");

  const shown = await invite(operator, "shown@example.com");
  await smtp.next("the first invitation");
  await invite(operator, "mailed@example.com");
  const mail = await smtp.next("the second invitation");
  assert.deepEqual(mail.to, ["mailed@example.com"]);
  assert.ok(!mail.text.includes("operator@example.com"));
  const mailed = /\/invitation#([\w-]+)/.exec(mail.text)?.[1];
  const tokens = JSON.stringify(await service.database.selectFrom("instance_invitation").selectAll().execute());
  assert.ok(!tokens.includes(String(mailed)) && !tokens.includes(shown));
  assert.deepEqual(await listAddresses(operator), ["mailed@example.com", "shown@example.com"]);
  for (const [email, token, isVerified] of [
    ["shown@example.com", shown, false],
    ["mailed@example.com", mailed, true],
  ] as const) {
    const { status, headers, body } = await signUp(service, email, token);
    assert.equal(status, 200, JSON.stringify(body));
    const cookie = headers.getSetCookie()[0]?.split(";")[0] ?? "";
    const own = await service.request("GET", "/api/organizations", { headers: { cookie, origin: service.url } });
    const roles = own.body.organizations.map(({ id, role }: Record<string, unknown>) => [id === body.user.id, role]);
    assert.deepEqual(roles, [[true, "owner"]]);
    const { accounts } = (await operator.request("GET", `/api/instance/accounts?search=${email}`)).body;
    assert.deepEqual([accounts[0].verified, accounts[0].operatorSince], [isVerified, null], email);
  }

  // Three emails a day; the link is shown all the same.
  const mailedOnes = [];
  for (let index = 0; index < 4; index++)
    mailedOnes.push((await operator.request("POST", path, { email: "often@example.com" })).body.mailed);
  assert.deepEqual(mailedOnes, [true, true, true, false]);
  const { SEALPOST_DATA: _data, ...database } = { SEALPOST_DATA: folder, ...(await createTestDatabase(t, folder)) };
  const order = (email: string) =>
    runCommand(["account", "invite", email], {
      SEALPOST_DATA: folder,
      SEALPOST_BASE_URL: "https://forms.example.com",
      ...database,
    });
  const { stdout, code } = await order("command@example.com");
  assert.equal(code, 0);
  assert.match(stdout, /No email is sent: give the link to command@example\.com yourself/);
  const ofCommand = /^https:\/\/forms\.example\.com\/invitation#([\w-]+)$/m.exec(stdout)?.[1];
  assert.equal((await signUp(service, "command@example.com", ofCommand)).status, 200);
  assert.equal((await order("command@example.com")).stderr, "There is an account with this email address already\n");

  const { entries } = (await operator.request("GET", "/api/instance/log")).body;
  const logged = entries.map(({ action, operator, subject }: Record<string, { email: string }>) => [
    ...[action, operator?.email ?? null, subject?.email],
  ]);
  const by = "operator@example.com";
  const often = ["account.invited", by, "often@example.com"];
  assert.deepEqual(
    logged.toSorted(),
    [
      ...["shown@example.com", "mailed@example.com"].map((email) => ["account.invited", by, email]),
      ...Array.from({ length: 4 }, () => often),
      ...Array.from({ length: 3 }, () => ["account.invitation_ended", by, "often@example.com"]),
      ["account.invited", null, "command@example.com"],
      ...["shown", "mailed", "command"].map((name) => ["account.invitation_accepted", null, `${name}@example.com`]),
    ].toSorted(),
  );
  // The log itself keeps no address.
  const kept = await service.database
    .selectFrom("audit_entry")
    .selectAll()
    .where("account_id", "=", "instance")
    .execute();
  assert.doesNotMatch(JSON.stringify(kept), /@example\.com/);
});

test("an invitation to the instance is refused to another address, once it was used, taken back, replaced or is too old", async (t) => {
  const { service, clock, operator } = await start(t);
  const find = (token: string) => codeOf(service.request("POST", "/api/invitations/find", { body: { token } }));
  const token = await invite(operator, "Guest@example.com");
  const found = (await service.request("POST", "/api/invitations/find", { body: { token } })).body;
  assert.deepEqual([found.email, found.organization, found.role], ["guest@example.com", null, null]);
  assert.equal(await codeOf(signUp(service, "other@example.com", token)), "invitation_other_address");
  assert.equal(
    await codeOf(operator.request("POST", "/api/invitations/accept", { token })),
    "invitation_for_new_account",
  );
  // A refused sign-up used nothing up.
  assert.equal(await codeOf(signUp(service, "guest@example.com", token, "")), "account_name_blank");
  const [one, two] = await Promise.all([
    signUp(service, "guest@example.com", token),
    signUp(service, "guest@example.com", token),
  ]);
  assert.deepEqual([one, two].filter(({ status }) => status === 200).length, 1);
  assert.equal(await find(token), "invitation_unknown");

  const replaced = await invite(operator, "second@example.com");
  const revoked = await invite(operator, "second@example.com");
  assert.equal(await find(replaced), "invitation_unknown");
  const [{ id, invitedBy }] = (await operator.request("GET", path)).body.invitations;
  assert.equal(invitedBy.email, "operator@example.com");
  assert.equal(await codeOf(operator.request("DELETE", `${path}/${id}`)), 200);
  assert.equal(await codeOf(operator.request("DELETE", `${path}/${id}`)), "invitation_not_found");
  assert.equal(await codeOf(signUp(service, "second@example.com", revoked)), "invitation_unknown");
  const old = await invite(operator, "third@example.com");
  clock.advance(7 * day);
  assert.equal(await find(old), "invitation_unknown");
  const store = createInstanceInvitationStore(service.database);
  assert.equal(await store.removeOld(clock.now() + 29 * day), false);
  assert.equal(await store.removeOld(clock.now() + 31 * day), true);
});

test("nobody is invited whose address has an account, or can be taken back by another; and no more than the bound", async (t) => {
  const { service, clock, operator } = await start(t);
  const invited = (email: string) => codeOf(operator.request("POST", path, { email }));
  assert.equal(await invited("operator@example.com"), "account_exists");
  assert.equal(await invited("nobody"), "invalid_request");
  const move = { person_id: operator.id, old_email: "old@example.com", new_email: "operator@example.com" };
  const times = { created_at: 0, expires_at: 0, moved_at: clock.now() - day };
  await service.database
    .insertInto("address_move")
    .values({ ...move, ...times, old_hash: null, new_hash: null, undo_hash: null })
    .execute();
  assert.equal(await invited("Old@example.com"), "address_reserved");
  const token = await invite(operator, "guest@example.com");
  // Who made an account without it is not waited for, and a sign-up that fails uses no invitation up.
  await service.signUp("guest@example.com");
  assert.equal(await codeOf(signUp(service, "guest@example.com", token)), "account_exists");
  const rows = await service.database.selectFrom("instance_invitation").select("ended_at").execute();
  assert.deepEqual(
    rows.map(({ ended_at }) => ended_at),
    [null],
  );
  assert.deepEqual(await listAddresses(operator), []);
  const store = createInstanceInvitationStore(service.database);
  const fill = (count: number, at: number) =>
    service.database.transaction().execute(async (transaction) => {
      for (let index = 0; index < count; index++)
        await store.create(
          transaction,
          { email: `${at}-${index}@example.com`, invitedBy: undefined, isMailed: false },
          at,
        );
    });
  await fill(99, clock.now());
  assert.equal(await invited("next@example.com"), "too_many_invitations_today");
  await fill(100, clock.now() - 2 * day);
  assert.equal(await invited("next@example.com"), "too_many_invitations_today", "the guest's is not on the list");
  await fill(1, clock.now() - 3 * day);
  assert.equal(await invited("next@example.com"), "too_many_invitations");
});

test("an invitation ends with its operator's right to make it, and with their account", async (t) => {
  const { service, operator } = await start(t);
  const second = await createOperator(service, "second@example.com");
  const token = await invite(second, "guest@example.com");
  const config = parseConfig({ ...(await createTestDatabase(t, service.folder)), SEALPOST_DATA: service.folder });
  await administer(config, (accounts) => accounts.setOperator("second@example.com", false));
  assert.deepEqual(await listAddresses(operator), []);
  assert.equal(await codeOf(signUp(service, "guest@example.com", token)), "invitation_unknown");
  await administer(config, (accounts) => accounts.setOperator("second@example.com", true));
  assert.deepEqual(await listAddresses(operator), [], "it does not come back with the right");
  await invite(second, "another@example.com");
  assert.deepEqual(await listAddresses(operator), ["another@example.com"]);
  await administer(config, (accounts) => accounts.endSessions("second@example.com"));
  assert.deepEqual(await listAddresses(operator), []);
  const actions = (await operator.request("GET", "/api/instance/log")).body.entries.map(
    ({ action }: { action: string }) => action,
  );
  assert.equal(actions.filter((action: string) => action === "account.invitation_ended").length, 2);
});

test(
  "on an empty data folder the command says what comes first, and leaves a folder that the service starts on",
  onSqlite,
  async (t) => {
    const folder = createTemporaryFolder(t);
    const { code, stderr } = await runCommand(["account", "invite", "ada@example.com"], { SEALPOST_DATA: folder });
    assert.equal(code, 1);
    assert.match(stderr, /^There is no account here yet/);
    await createTestService(t, { folder });
  },
);

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import type { AccountId } from "@sealpost/wire";
import { createAccountStateStore } from "../accounts/account-state-store.ts";
import { completeMove, createToken, saveMove, setAddress } from "../accounts/address-move-store.ts";
import { insertMember } from "../database/membership.ts";
import { createForm, silentWebhooks } from "../forms/testing/test-form.ts";
import { byNobody, createSendSecurityMail } from "../mail/security-mail-store.ts";
import { startSmtpServer } from "../mail/testing/smtp-server.ts";
import type { TestScope } from "../testing/temporary-folder.ts";
import { createTestService } from "../testing/test-service.ts";

const password = "correct horse battery";

async function start(t: TestScope, mode: string) {
  const smtp = await startSmtpServer(t);
  const service = await createTestService(t, {
    deliveries: silentWebhooks,
    environment: {
      SEALPOST_SIGNUP: mode,
      SEALPOST_SMTP_URL: `smtp://127.0.0.1:${smtp.port}?tls=off`,
      SEALPOST_MAIL_FROM: "Forms <forms@example.com>",
    },
  });
  const owner = await service.signUp("owner@example.com");
  await service.database.updateTable("person").set({ verification: "trusted" }).execute();
  const form = await createForm(owner, { encryption: false });
  const post = (path: string, body: object, cookie = "") =>
    service.request("POST", `/api/auth${path}`, { body, headers: { origin: service.url, cookie } });
  /** The secret of the next link of this kind that an address gets. */
  const linkTo = async (address: string, page: string) => {
    for (;;) {
      const { to, text } = await smtp.next(`${page} to ${address}`);
      const secret = new RegExp(`/${page}#([\\w-]+)`).exec(text)?.[1];
      if (secret !== undefined && to.includes(address)) return secret;
    }
  };
  const inviteReader = async (email: string) => {
    const { status, body } = await owner.request("POST", "/api/invitations", { email, role: "reader", forms: [form] });
    assert.deepEqual([status, body.mailed], [200, true]);
    // A link to set a password is sent at once, and what waits goes with it.
    await post("/request-password-reset", { email: "owner@example.com" });
    const [shown = "", mailed] = [String(body.url).split("#")[1], await linkTo(email, "invitation")];
    assert.notEqual(shown, mailed);
    return { shown, mailed };
  };
  const signUp = async (email: string, invitation: string) => {
    const answer = await post("/sign-up/email", { name: "New", email, password, invitation });
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return answer.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  };
  const read = async (cookie: string) => {
    const headers = { cookie, origin: service.url };
    const { status, body } = await service.request("GET", `/api/forms/${form}/submissions`, { headers });
    return body.code ?? status;
  };
  return { smtp, service, owner, post, linkTo, inviteReader, signUp, read };
}

for (const mode of ["first", "open"]) {
  test(`where emails are sent and sign-up is ${mode}, the emailed link of an invitation proves its address, and the one that was shown gives no rights before the address is verified`, async (t) => {
    const { post, linkTo, inviteReader, signUp, read } = await start(t, mode);
    const { mailed } = await inviteReader("mailed@example.com");
    assert.equal(await read(await signUp("mailed@example.com", mailed)), 200);

    const { shown } = await inviteReader("shown@example.com");
    const cookie = await signUp("shown@example.com", shown);
    assert.equal(await read(cookie), "email_unverified");
    const token = await linkTo("shown@example.com", "verify-email");
    assert.equal((await post("/verification/confirm", { token }, cookie)).status, 200);
    assert.equal(await read(cookie), 200);
  });

  test(`where emails are sent and sign-up is ${mode}, nobody keeps an address that they invited themselves from its owner`, async (t) => {
    const { post, linkTo, inviteReader, signUp, read } = await start(t, mode);
    const { shown } = await inviteReader("ceo@example.com");
    const squatter = await signUp("ceo@example.com", shown);
    assert.equal((await post("/two-factor/enable", { password }, squatter)).body.code, "email_unverified");

    assert.equal((await post("/request-password-reset", { email: "ceo@example.com" })).status, 200);
    const token = await linkTo("ceo@example.com", "reset-password");
    const newPassword = "the real person's phrase";
    assert.equal((await post("/reset-password", { token, newPassword })).status, 200);
    assert.equal(await read(squatter), "credential_invalid");
    const signedIn = await post("/sign-in/email", { email: "ceo@example.com", password: newPassword });
    assert.equal(await read(signedIn.headers.getSetCookie()[0]?.split(";")[0] ?? ""), 200);
  });
}

test("where no emails are sent the link of an invitation is enough, and its maker could use it", async (t) => {
  const service = await createTestService(t, { deliveries: silentWebhooks });
  const owner = await service.signUp("owner@example.com");
  const { body } = await owner.request("POST", "/api/invitations", { email: "guest@example.com", role: "auditor" });
  assert.equal(body.mailed, false);
  const invitation = String(body.url).split("#")[1];
  const made = await service.request("POST", "/api/auth/sign-up/email", {
    body: { name: "Guest", email: "guest@example.com", password, invitation },
  });
  const cookie = made.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const members = await service.request("GET", "/api/members", { headers: { cookie, origin: service.url } });
  assert.equal(members.status, 200);
});

type Started = Awaited<ReturnType<typeof start>>;

/** A person who was invited and has the shown link alone, with their account. */
interface Waiting {
  readonly personId: AccountId;
  readonly cookie: string;
  /** Another mailbox, which is theirs. */
  readonly other: string;
}

/** Moves the account to the person's other mailbox, which confirms it. */
async function move({ service, post, linkTo }: Started, { cookie, other }: Waiting): Promise<void> {
  const headers = { cookie, origin: service.url };
  const begun = await service.request("POST", "/api/account/address", { headers, body: { email: other } });
  assert.equal(begun.status, 200, JSON.stringify(begun.body));
  // Sent at once, with what waits.
  await post("/request-password-reset", { email: "owner@example.com" });
  const { status, body } = await post("/address/confirm", { token: await linkTo(other, "address") }, cookie);
  assert.deepEqual([status, body.status], [200, "moved"]);
}

/** By the file that proves an address: the account is verified by it, and nobody has opened the mailbox that was invited. */
const provenOtherwise: Readonly<Record<string, (started: Started, waiting: Waiting) => Promise<void>>> = {
  "accounts/address-moves.ts": move,
  "accounts/address-move-store.ts": async ({ service: { database } }, { personId, other: oldEmail }) => {
    const newEmail = `again-${oldEmail}`;
    await database.transaction().execute(async (transaction) => {
      await setAddress(transaction, personId, oldEmail);
      const tokens = { oldToken: createToken("old"), newToken: createToken("new") };
      await saveMove(transaction, { personId, oldEmail, newEmail, ...tokens }, Date.now());
      await completeMove(transaction, { personId, newEmail }, Date.now());
      await setAddress(transaction, personId, oldEmail);
    });
  },
  "account-life/account-life-administration.ts": ({ service: { database } }, { personId, other }) =>
    database.transaction().execute((transaction) => setAddress(transaction, personId, other)),
  "accounts/verification-routes.ts": async (started, waiting) => {
    const { database } = started.service;
    await database.transaction().execute((one) => setAddress(one, waiting.personId, waiting.other));
    assert.equal((await started.post("/verification/skip", {}, waiting.cookie)).status, 200);
  },
  ...Object.fromEntries(
    // They prove the address that the account has.
    [
      "accounts/password-reset.ts",
      "accounts/account-operations.ts",
      "accounts/account-routes.ts",
      "accounts/account-administration.ts",
      "accounts/account-state-store.ts",
      "oidc/admit-person.ts",
    ].map((file) => [
      file,
      async (started: Started, waiting: Waiting) => {
        const { database } = started.service;
        await database.transaction().execute((one) => setAddress(one, waiting.personId, waiting.other));
        await database
          .updateTable("person")
          .set({ verification: "needed" })
          .where("id", "=", waiting.personId)
          .execute();
        const { markVerified } = createAccountStateStore(database);
        await database.transaction().execute((transaction) => markVerified(transaction, waiting.personId));
      },
    ]),
  ),
};

/** Their account is made by the proof itself: an emailed invitation, or a provider that vouches for the address. */
const provenAtSignUp = ["accounts/identity-store.ts"];

test("every place that proves an address is known to the test of memberships that wait for one", () => {
  const proves = /\b(?:markVerified|setAddress)\(|verification: (?:"trusted"|isVerified)/;
  const sources = `${import.meta.dirname}/..`;
  const files = globSync("**/*.ts", { cwd: sources, exclude: ["**/*.test.ts", "**/testing/**"] });
  const found = files.filter((file) => proves.test(readFileSync(`${sources}/${file}`, "utf8")));
  assert.deepEqual(found.toSorted(), [...Object.keys(provenOtherwise), ...provenAtSignUp].toSorted());
});

test("an account that the shown link of an invitation made has no right before the invited mailbox is opened, however another address of it is verified, and owners see that it waits", async (t) => {
  const started = await start(t, "open");
  const { service, owner, signUp } = started;
  for (const [index, [file, prove]] of Object.entries(provenOtherwise).entries()) {
    const [email, other] = [`colleague-${index}@clinic.example`, `thief-${index}@evil.example`];
    const { body: made } = await owner.request("POST", "/api/invitations", { email, role: "owner" });
    const cookie = await signUp(email, String(made.url).split("#")[1] ?? "");
    const headers = { cookie, origin: service.url };
    const ask = (method: string, path: string, body?: object) => service.request(method, path, { headers, body });
    const personId = await findPerson(service.database, email);
    await prove(started, { personId, cookie, other });
    for (const path of ["/api/forms", "/api/members", "/api/audit-log"])
      assert.equal((await ask("GET", path)).body.code, "invited_address_unproven", `${file} ${path}`);
    const second = await ask("POST", "/api/invitations", { email: "second@evil.example", role: "owner" });
    assert.equal(second.body.code, "invited_address_unproven", file);
    const [own] = (await ask("GET", "/api/organizations")).body.organizations;
    assert.equal(own.unprovenAddress, email, file);
    const { members } = (await owner.request("GET", "/api/members")).body;
    assert.equal(members.find(({ id }: { id: string }) => id === personId)?.unprovenAddress, email, file);
    // The control: the invited mailbox proves it.
    await service.database.transaction().execute((transaction) => setAddress(transaction, personId, email));
    assert.equal((await ask("GET", "/api/members")).status, 200, file);
  }
});

async function findPerson(database: Started["service"]["database"], email: string): Promise<AccountId> {
  const person = database.selectFrom("person").select("id").where("email", "=", email);
  return (await person.executeTakeFirstOrThrow()).id as AccountId; // only ids are written there
}

test("somebody who has moved their account is invited at the new address, and that replaces the membership that waited; or leaves", async (t) => {
  const started = await start(t, "open");
  const { service, owner, signUp } = started;
  const join = async (name: string) => {
    const email = `${name}@clinic.example`;
    const { body } = await owner.request("POST", "/api/invitations", { email, role: "owner" });
    const cookie = await signUp(email, String(body.url).split("#")[1] ?? "");
    const other = `${name}@home.example`;
    await move(started, { personId: await findPerson(service.database, email), cookie, other });
    const headers = { cookie, origin: service.url };
    return {
      other,
      ask: (method: string, path: string, body?: object) => service.request(method, path, { headers, body }),
    };
  };
  const moved = await join("moved");
  const { status, body } = await owner.request("POST", "/api/invitations", { email: moved.other, role: "auditor" });
  assert.equal(status, 200, JSON.stringify(body));
  const token = String(body.url).split("#")[1];
  assert.equal((await moved.ask("POST", "/api/invitations/accept", { token })).status, 200);
  const { members } = (await moved.ask("GET", "/api/members")).body;
  assert.deepEqual([members[1].role, members[1].unprovenAddress], ["auditor", undefined]);

  const gone = await join("gone");
  assert.equal((await gone.ask("POST", "/api/members/leave")).status, 200);
  assert.equal((await owner.request("GET", "/api/members")).body.total, 2);
});

test("an owner who waits for a proof counts for nobody: they get no email, and the last owner who can do something stays", async (t) => {
  const { service, owner, post, signUp, smtp } = await start(t, "open");
  const email = "stranger@clinic.example";
  const { body } = await owner.request("POST", "/api/invitations", { email, role: "owner" });
  await signUp(email, String(body.url).split("#")[1] ?? "");
  const personId = await findPerson(service.database, email);
  assert.equal((await owner.request("POST", "/api/members/leave")).status, 409);
  const toReader = await owner.request("PATCH", `/api/members/${owner.id}`, { role: "auditor" });
  assert.equal(toReader.status, 409);
  const leaving = await owner.request("POST", "/api/account/deletion?confirm=DELETE_ACCOUNT");
  assert.equal(leaving.body.code, "account_deletion_needs_owner");

  const changed = "A form's webhook address was changed";
  await createSendSecurityMail({ hasMail: true })(service.database, {
    ...{ accountId: owner.id as AccountId, event: "webhook_url_changed", by: byNobody, occurredAt: Date.now() },
  });
  await post("/request-password-reset", { email: "owner@example.com" });
  for (let mail = await smtp.next(); mail.headers.get("subject") !== changed; ) mail = await smtp.next(changed);
  const recipients = smtp.emails.filter(({ headers }) => headers.get("subject") === changed).flatMap(({ to }) => to);
  assert.deepEqual(recipients, ["owner@example.com"]);

  // The control: with the proof they count.
  await service.database.transaction().execute((transaction) => setAddress(transaction, personId, email));
  assert.equal((await owner.request("POST", "/api/members/leave")).status, 200);
});

test("a membership that comes back waits for its address, unless that was proven meanwhile", async (t) => {
  const service = await createTestService(t);
  const [owner, other] = [await service.signUp("owner@example.com"), await service.signUp("other@example.com")];
  const [organizationId, personId] = [owner.id as AccountId, other.id as AccountId];
  const bringBack = (unprovenAddress: string) =>
    service.database.transaction().execute(async (transaction) => {
      await transaction
        .deleteFrom("member")
        .where("organization_id", "=", organizationId)
        .where("person_id", "=", personId)
        .execute();
      await insertMember(transaction, {
        organizationId,
        personId,
        role: "reader",
        formIds: [],
        since: 0,
        addedBy: undefined,
        unprovenAddress,
      });
      const row = await transaction
        .selectFrom("member")
        .select("unproven_address")
        .where("organization_id", "=", organizationId)
        .where("person_id", "=", personId)
        .executeTakeFirstOrThrow();
      return row.unproven_address;
    });
  const setTo = (verification: string) =>
    service.database.updateTable("person").set({ verification }).where("id", "=", personId).execute();
  await setTo("needed");
  assert.equal(await bringBack("other@example.com"), "other@example.com");
  await setTo("trusted");
  assert.equal(await bringBack("other@example.com"), null);
  assert.equal(await bringBack("another@example.com"), "another@example.com");
});

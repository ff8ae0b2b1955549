import assert from "node:assert/strict";
import { test } from "node:test";
import { createForm, silentWebhooks } from "../forms/testing/test-form.ts";
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
  return { service, owner, post, linkTo, inviteReader, signUp, read };
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

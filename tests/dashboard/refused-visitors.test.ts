import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { fingerprint } from "@sealpost/sdk";
import { startSite, type TestSite, untilState } from "../../packages/embed/testing/browser.ts";
import { startSmtpServer, type TestSmtpServer } from "../../packages/server/src/mail/testing/smtp-server.ts";
import { takeKeyPair } from "../support/key-pairs.ts";
import { createAccount, type Dashboard, startDashboard } from "./dashboard.ts";

let dashboard: Dashboard;
let smtp: TestSmtpServer;
let site: TestSite;
const closers: (() => unknown)[] = [];

before(async () => {
  smtp = await startSmtpServer({ after: (close) => void closers.unshift(close) });
  dashboard = await startDashboard({
    environment: {
      SEALPOST_SMTP_URL: `smtp://127.0.0.1:${smtp.port}?tls=off`,
      SEALPOST_MAIL_FROM: "forms@example.com",
    },
  });
  site = await startSite(dashboard.browser);
});
after(async () => {
  await site.close();
  await dashboard.close();
  for (const close of closers) await close();
});

const form = `<form><input name="vote"><button>Send</button></form>`;

test("a visitor who is refused by an old snippet is heard of on home, inbox and Embed page and by email, whose snippet sends at once", async () => {
  const client = await createAccount(dashboard.service);
  const [first, second] = [takeKeyPair(), takeKeyPair()];
  const { id } = await client.forms.create({ name: "Contact", publicKey: first.publicKey });
  const { embedCode } = await client.forms.get(id);
  const pin = (print: string) => embedCode.replace(/, \{\}\)/, `, ${JSON.stringify({ keyFingerprint: print })})`);
  const old = pin(await fingerprint(first.publicKey));
  assert.notEqual(old, embedCode);
  // The visitor's browser keeps the public key of now for a minute.
  const visitor = await site.open(form + old);
  const isKept = visitor.waitForResponse(/\/public$/);
  await visitor.focus("input");
  await (await isKept).finished();
  await client.forms.rotateKeys(id, { publicKey: second.publicKey });

  await site.openNext(form + pin(await fingerprint(second.publicKey)));
  await visitor.fill("input", "new snippet");
  await visitor.click("button");
  assert.match(await untilState(visitor, "sent"), /Thank you/, "although the browser has the former key");

  const isReported = visitor.waitForResponse(/\/keys\/refused$/);
  await site.openNext(form + old);
  await visitor.fill("input", "old snippet");
  await visitor.click("button");
  assert.match(await untilState(visitor, "error"), /wrong key/);
  assert.equal((await isReported).status(), 200);
  assert.equal((await client.forms.get(id)).submissionCount, 1);

  const sentence = /Visitors of a page with the old key are refused/;
  const page = await dashboard.signIn();
  await page.getByText(sentence).waitFor();
  await page.goto(`/forms/${id}`);
  await page.getByText(sentence).waitFor();
  await page.getByRole("link", { name: "This is the snippet with the new key" }).click();
  await page.getByText(sentence).waitFor();
  const shown = page.locator("pre", { hasText: "Sealpost.init" });
  await shown.filter({ hasText: await fingerprint(second.publicKey) }).waitFor();

  let mail = await smtp.next();
  while (mail.headers.get("subject") !== "Visitors of a form are refused") mail = await smtp.next();
  const snippet = /<script[\s\S]*<\/script>/.exec(mail.text)?.[0] ?? "";
  assert.equal(await shown.textContent(), snippet, "the same as on the Embed page");
  await site.openNext(form + snippet);
  await visitor.fill("input", "from the email");
  await visitor.click("button");
  await untilState(visitor, "sent");
  assert.deepEqual(dashboard.complaints, []);
});

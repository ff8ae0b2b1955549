import assert from "node:assert/strict";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { test } from "node:test";
import { takeKeyPair } from "../../../../tests/support/key-pairs.ts";
import { pair, silentWebhooks, webhookUrl } from "../forms/testing/test-form.ts";
import { createTestService } from "../testing/test-service.ts";
import { startSmtpServer } from "./testing/smtp-server.ts";

const baseUrl = "https://forms.example.com";
const foreign = {
  host: "evil.example",
  "x-forwarded-host": "evil.example",
  "x-forwarded-proto": "http",
  forwarded: "host=evil.example;proto=http",
};
const day = 86_400_000;
const next = takeKeyPair();

for (const proxies of [undefined, "127.0.0.1/32"])
  test(`emails name the service's own address, whatever Host asked, ${proxies === undefined ? "without" : "with"} a proxy`, async (t) => {
    const smtp = await startSmtpServer(t);
    const service = await createTestService(t, {
      deliveries: silentWebhooks,
      environment: {
        SEALPOST_BASE_URL: baseUrl,
        SEALPOST_SMTP_URL: `smtp://127.0.0.1:${smtp.port}?tls=off`,
        SEALPOST_MAIL_FROM: "Forms <forms@example.com>",
        ...(proxies !== undefined && { SEALPOST_TRUSTED_PROXIES: proxies }),
      },
    });
    const { address, port } = service.app.server.address() as AddressInfo; // it listens on TCP

    /** With a Host that `fetch` lets nobody set. */
    async function ask(method: string, path: string, body: object, headers: Record<string, string> = {}) {
      const asked = request({
        host: address,
        port,
        method,
        path,
        headers: { ...foreign, "content-type": "application/json", ...headers },
      });
      asked.end(JSON.stringify(body));
      const [answer] = (await once(asked, "response")) as [IncomingMessage]; // the event's only argument
      const said = await json(answer);
      assert.ok((answer.statusCode ?? 500) < 300, `${method} ${path}: ${answer.statusCode} ${JSON.stringify(said)}`);
      // biome-ignore lint/suspicious/noExplicitAny: the test asserts on what it reads of it
      return { body: said as any, cookie: answer.headers["set-cookie"]?.[0]?.split(";")[0] ?? "" };
    }

    const email = "owner@example.com";
    const { setupToken } = service;
    const { cookie } = await ask("POST", "/api/auth/sign-up/email", {
      name: "Owner",
      email,
      password: "correct horse battery",
      setupToken,
    });
    const own = { cookie, origin: baseUrl };
    const settings = { encryption: false, webhookUrl };
    const { form } = (await ask("POST", "/api/forms", { name: "Contact", settings, publicKey: pair.publicKey }, own))
      .body;
    await service.database
      .updateTable("webhook")
      .set({ failing_since: Date.now() - 2 * day })
      .execute();
    const plain = { payload: { encrypted: false, version: "plain1", fields: {} } };
    await ask("POST", `/api/forms/${form.id}/submissions`, plain);
    await ask("POST", `/api/forms/${form.id}/rotate-keys`, { publicKey: next.publicKey }, own);
    // Wakes the worker, which looks for everything that there is to tell.
    await ask("POST", "/api/auth/request-password-reset", { email });

    const emails = [];
    for (const awaited of ["the first", "the second", "the third", "the last"])
      emails.push(await smtp.next(`${awaited} of four emails`));
    assert.deepEqual(emails.map(({ headers }) => headers.get("subject")).toSorted(), [
      "1 new submission",
      "A form has a new key pair",
      "A webhook has been failing for a day",
      "Set a new password",
    ]);
    for (const { raw, text } of emails) {
      assert.doesNotMatch(`${raw}${text}`, /evil/);
      const links = text.match(/https?:\S*/g) ?? [];
      assert.ok(links.length > 0, text);
      for (const link of links) assert.equal(new URL(link).origin, baseUrl, link);
    }
    const token = /reset-password#(\w+)/.exec(emails.map(({ text }) => text).join(""))?.[1];
    await ask("POST", "/api/auth/reset-password", { token, newPassword: "another horse battery" });
  });

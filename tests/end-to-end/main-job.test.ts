import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { createClient, createReceiver, type Received } from "@sealpost/sdk";
import { createTestService, type TestService } from "../../packages/server/src/testing/test-service.ts";
import { createCertificate } from "../../scripts/demo/certificate.ts";
import { takeKeyPair } from "../support/key-pairs.ts";
import { type SharedBrowser, shareBrowser } from "../support/shared-browser.ts";

const typed = {
  name: "Zoë 😀 Ωμέγα",
  email: "reader@example.com",
  message: "Geheimnis-Wort: Kupferkessel 🫖 \u202Eאבג\u202C",
};

describe("a form in a real browser, sealed, stored, delivered, opened", () => {
  const closers: (() => unknown)[] = [];
  const received: Received[] = [];
  let arrived = Promise.withResolvers<Received>();
  let service: TestService;
  let browser: SharedBrowser;
  let pageUrl: string;
  let formId: `form_${string}`;
  let client: ReturnType<typeof createClient>;

  before(async () => {
    const certificate = await createCertificate();
    const pair = takeKeyPair();
    const receiverServer = createHttpsServer(certificate, (request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", async () => {
        const result = await (await receiver).receive({ headers: request.headers, body: Buffer.concat(chunks) });
        received.push(result);
        response.writeHead(result.verified ? 204 : 401).end();
        arrived.resolve(result);
      });
    });
    const receiverPort = await listen(receiverServer);
    service = await createTestService(
      { after: (close) => closers.push(close as () => unknown) },
      { environment: { SEALPOST_WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8,::1/128" }, deliveries: { ca: certificate.cert } },
    );
    const account = await service.signUp();
    client = createClient({ baseUrl: service.url, token: account.token });
    const created = await client.forms.create({
      name: "Contact",
      publicKey: pair.publicKey,
      settings: { webhookUrl: `https://localhost:${receiverPort}/hook` },
    });
    formId = created.id as typeof formId; // the service makes nothing else
    const { secret } = await client.webhooks.secret(formId);
    const receiver = createReceiver({ secrets: secret, privateKeys: [pair.privateKey] });
    const { embedCode } = await client.forms.get(formId);
    const pageServer = createServer((_request, response) => {
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
      response.end(`<!doctype html><html lang="en"><title>Contact</title>
        <form><label>Name <input name="name"></label> <label>Mail <input name="email" type="email"></label>
        <label><input type="checkbox" name="topics" value="a">A</label><label><input type="checkbox" name="topics" value="b">B</label>
        <label>Message <textarea name="message"></textarea></label> <button>Send</button></form>
        ${embedCode}</html>`);
    });
    // Another host name than the service's, so another origin and another site.
    pageUrl = `http://127.0.0.1:${await listen(pageServer)}/`;
    browser = await shareBrowser();
    closers.push(() => browser.close());
  });

  after(async () => {
    for (const close of closers.reverse()) await close();
  });

  async function listen(server: Server): Promise<number> {
    await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
    closers.push(() => {
      if ("closeAllConnections" in server && typeof server.closeAllConnections === "function")
        server.closeAllConnections();
      server.close();
    });
    return (server.address() as AddressInfo).port; // it listens on TCP
  }

  async function submit(message: string): Promise<Extract<Received, { verified: true }>> {
    arrived = Promise.withResolvers();
    const page = await browser.newPage();
    const requests: string[] = [];
    page.on("request", (request) => requests.push(request.postData() ?? ""));
    await page.goto(pageUrl);
    await page.getByLabel("Name").fill(typed.name);
    await page.getByLabel("Mail").fill(typed.email);
    await page.getByLabel("A", { exact: true }).check();
    await page.getByLabel("B", { exact: true }).check();
    // Set, not typed: Chromium takes half a minute to lay out a pasted text of this length while it is being edited.
    await page.getByLabel("Message").evaluate((element, text) => {
      (element as HTMLTextAreaElement).value = text; // it is the page's textarea
    }, message);
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("status").filter({ hasText: "Thank you" }).waitFor();
    assert.equal(
      requests.some((body) => body.includes(typed.email) || body.includes("Kupferkessel")),
      false,
    );
    await page.close();
    const result = await arrived.promise;
    assert.ok(result.verified);
    return result;
  }

  test("what was typed arrives opened at the receiver, Unicode included", async () => {
    const { event } = await submit(typed.message);
    assert.ok(event.event === "submission.created" && event.opened.opened);
    assert.equal(event.opened.sealed, true);
    assert.deepEqual(
      { ...event.opened.fields },
      { name: typed.name, email: typed.email, topics: ["a", "b"], message: typed.message },
    );
    assert.equal(event.form.id, formId);
  });

  test("a text of 100 KB arrives unchanged", async () => {
    const long = `${"Kupferkessel ".repeat(8_000)}Zoë 🫖`;
    assert.ok(Buffer.byteLength(long) > 100_000);
    const { event } = await submit(long);
    assert.ok(event.event === "submission.created" && event.opened.opened);
    assert.equal(event.opened.fields.message, long);
  });

  test("the database files hold none of the typed words", async () => {
    const files = ["sealpost.sqlite", "sealpost.sqlite-wal"].map((name) => readFileSync(join(service.folder, name)));
    const stored = Buffer.concat(files);
    assert.ok(stored.includes(formId), "a control: what is stored in clear is found by this search");
    for (const word of [typed.email, "Kupferkessel", "Zoë", "Geheimnis"]) {
      for (const form of [word, Buffer.from(word).toString("base64").slice(0, -3), encodeURIComponent(word)]) {
        assert.equal(stored.includes(form), false, form);
      }
    }
    const list = await client.submissions.list(formId);
    assert.equal(list.total, 2);
    assert.deepEqual(
      list.submissions.map(({ payload }) => payload.version),
      ["sp1", "sp1"],
    );
  });
});

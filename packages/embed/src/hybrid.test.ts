import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import type { Page } from "playwright-core";
import { takeKeyPair } from "../../../tests/support/key-pairs.ts";
import { embedCode, scriptTag, untilState } from "../testing/browser.ts";
import type { Posted, PublicAnswer } from "../testing/service.ts";
import { startSiteAndService } from "../testing/site.ts";

// A form with a hybrid key. Chromium has its algorithm; a page that hides it stands for the browsers that don't.

const { service, site } = await startSiteAndService();
beforeEach(async () => {
  await site.reset();
  service.reset({ hybrid: true });
});

const form = `<form><input name="secret" value="hunter2"><button>Send</button></form>`;
const hideNative = (page: Page) =>
  page.addInitScript(() => Object.defineProperty(SubtleCrypto, "supports", { value: undefined }));
const secondScripts = () => service.requests.filter(({ path }) => path.includes("sealpost-hybrid")).length;

/** The format of each post. */
function versions(): string[] {
  return service.posts.map((body) => (JSON.parse(body) as Posted).payload.version); // posted by our own script
}

test("a browser that has the algorithm seals sp2 by itself and loads nothing more", async () => {
  const page = await site.open(form + embedCode(service));
  await page.focus("input");
  await page.click("button");
  await untilState(page, "sent");
  assert.deepEqual(versions(), ["sp2"]);
  assert.deepEqual(await service.opened(), [{ secret: "hunter2" }]);
  assert.equal(secondScripts(), 0);
});

test("elsewhere a second script comes at the first focus, once, and seals sp2", async () => {
  const page = await site.open(form + embedCode(service), {}, hideNative);
  const arrived = page.waitForResponse(/sealpost-hybrid/);
  await page.focus("input");
  await arrived;
  assert.equal(await page.inputValue("input"), "hunter2");
  await page.fill("input", "typed meanwhile");
  await page.click("button");
  await untilState(page, "sent");
  assert.deepEqual(versions(), ["sp2"]);
  assert.deepEqual(await service.opened(), [{ secret: "typed meanwhile" }]);
  assert.equal(secondScripts(), 1);
});

test("a form without a hybrid key never loads the second script", async () => {
  service.reset();
  const page = await site.open(form + embedCode(service), {}, hideNative);
  await page.fill("input", "x");
  await page.click("button");
  await untilState(page, "sent");
  assert.deepEqual([versions(), secondScripts()], [["sp1"], 0]);
});

test("a browser that only claims to have the algorithm gets the second script when it fails", async () => {
  const page = await site.open(form + embedCode(service), {}, (opened) =>
    opened.addInitScript(() =>
      Object.defineProperty(SubtleCrypto.prototype, "encapsulateBits", {
        value: () => Promise.reject(new DOMException("Not today", "NotSupportedError")),
      }),
    ),
  );
  await page.click("button");
  await untilState(page, "sent");
  assert.deepEqual(versions(), ["sp2"]);
  assert.deepEqual(await service.opened(), [{ secret: "hunter2" }]);
  assert.equal(secondScripts(), 1);
});

test("a second script that is changed or missing: nothing is sent, to no other key; and then it is tried again", async () => {
  for (const keyFingerprint of [undefined, [service.fingerprint, service.hybridFingerprint]])
    for (const alterScript of [(text: string) => `${text} `, () => ""]) {
      service.reset({ hybrid: true });
      service.alterScript = (text, file) => (file.includes("hybrid") ? alterScript(text) : text);
      const page = await site.open(form + embedCode(service, { keyFingerprint }), {}, hideNative);
      await page.click("button");
      assert.equal(await untilState(page, "error"), "Not sent: encryption failed. Please send again.");
      assert.deepEqual(service.posts, []);
      assert.equal(await page.inputValue("input"), "hunter2");
      service.alterScript = (text) => text;
      await page.click("button");
      await untilState(page, "sent");
      assert.deepEqual(versions(), ["sp2"]);
      assert.deepEqual(await service.opened(), [{ secret: "hunter2" }]);
      await page.close();
    }
});

test("a second script that never answers: when its time is over nothing is sent, the visitor is notified, and the next click sends", async () => {
  const scripts = [
    ["sealpost-hybrid", { hybrid: true }, "Not sent: encryption failed. Please send again."],
    ["sealpost-pii", { piiStrip: true }, "Not sent: personal data cannot be removed."],
  ] as const;
  for (const [name, settings, message] of scripts) {
    service.reset(settings);
    service.alterScript = (text, file) => (file.startsWith(name) ? undefined : text);
    const page = await site.open(form + embedCode(service), {}, async (opened) => {
      await hideNative(opened);
      await opened.clock.install();
    });
    const asked = page.waitForRequest((request) => request.url().includes(name));
    // By the handle: a click would also turn to the form, and load the script for that.
    await page.evaluate(() => void Reflect.get(window, "handle").submit());
    await asked;
    assert.ok(await page.isDisabled("button"));
    await page.clock.fastForward(30_000);
    assert.equal(await untilState(page, "error"), message);
    assert.ok(await page.isEnabled("button"));
    assert.equal(await page.locator(`script[src*="${name}"]`).count(), 0);
    assert.deepEqual(service.posts, []);
    service.alterScript = (text) => text;
    await page.click("button");
    await untilState(page, "sent");
    assert.deepEqual(await service.opened(), [{ secret: "hunter2" }]);
    await page.close();
  }
});

test("which key is sealed to, the pins and the offer decide: every pair of them", async () => {
  const { fingerprint, hybridFingerprint } = service;
  const earlier = "A".repeat(43);
  const pairs: [string | string[] | undefined, rsaAlone: string | undefined, both: string | undefined][] = [
    [undefined, "sp1", "sp2"],
    [fingerprint, "sp1", "sp1"],
    [hybridFingerprint, undefined, "sp2"],
    [[fingerprint, hybridFingerprint], "sp1", "sp2"],
    [[earlier, hybridFingerprint], undefined, "sp2"],
    [earlier, undefined, undefined],
  ];
  for (const [keyFingerprint, rsaAlone, both] of pairs)
    for (const [hybrid, expected] of [
      [false, rsaAlone],
      [true, both],
    ] as const) {
      service.reset({ hybrid });
      const page = await site.openNext(form + embedCode(service, { keyFingerprint }));
      await page.click("button");
      const message = await untilState(page, expected === undefined ? "error" : "sent");
      const name = `${keyFingerprint} and ${hybrid ? "both keys" : "the RSA key"}`;
      assert.match(message, expected === undefined ? /wrong key/ : /Thank you/, name);
      assert.deepEqual(versions(), expected === undefined ? [] : [expected], name);
    }
});

test("an odd hybrid key gets nothing, whatever fingerprint it comes with, and neither does the RSA key of its version", async () => {
  const attacker = takeKeyPair().publicKey;
  const odd: [string, (honest: PublicAnswer["form"]) => object][] = [
    ["no key but its fingerprint", () => ({ hybridPublicKey: undefined })],
    ["no fingerprint", () => ({ hybridKeyFingerprint: undefined })],
    ["another fingerprint", () => ({ hybridKeyFingerprint: "A".repeat(43) })],
    ["null", () => ({ hybridPublicKey: null })],
    ["a text", () => ({ hybridPublicKey: "AKP" })],
    ["a private member", ({ hybridPublicKey }) => ({ hybridPublicKey: { ...hybridPublicKey, priv: "" } })],
    ["another algorithm", ({ hybridPublicKey }) => ({ hybridPublicKey: { ...hybridPublicKey, alg: "ML-KEM-768" } })],
    ["an RSA key in its place", () => ({ hybridPublicKey: attacker })],
    [
      "an RSA key that names its bytes",
      ({ hybridPublicKey: honest }) => ({ hybridPublicKey: { ...attacker, pub: honest?.pub } }),
    ],
    [
      "bytes that are missing",
      ({ hybridPublicKey: honest }) => ({ hybridPublicKey: { ...honest, pub: `${honest?.pub}`.slice(4) } }),
    ],
    ["bytes that are no text", ({ hybridPublicKey: honest }) => ({ hybridPublicKey: { ...honest, pub: null } })],
  ];
  for (const keyFingerprint of [undefined, service.hybridFingerprint]) {
    const page = await site.openNext(form + embedCode(service, { keyFingerprint }));
    for (const [name, change] of odd) {
      service.publicAnswer = (honest) => ({ body: { form: { ...honest.form, ...change(honest.form) } } });
      const outcome = await page.evaluate(() => Reflect.get(window, "handle").submit());
      assert.deepEqual([outcome.sent, outcome.code], [false, "key_refused"], name);
    }
  }
  assert.deepEqual(service.posts, []);
});

test("a lost answer: the same sp2 bytes are sent again, once stored", async () => {
  service.nextPosts.push({ kind: "store_and_lose" });
  const page = await site.open(form + embedCode(service), {}, hideNative);
  await page.click("button");
  await untilState(page, "sent");
  assert.deepEqual([service.posts.length, new Set(service.posts).size], [2, 1]);
  assert.deepEqual(await service.opened(), [{ secret: "hunter2" }]);
});

test("a double click on a form whose second script takes its time sends once", async () => {
  const page = await site.open(form + embedCode(service), {}, async (opened) => {
    await hideNative(opened);
    await opened.route(/sealpost-hybrid/, async (route) => {
      const response = await route.fetch();
      await opened.locator("button[disabled]").waitFor();
      await route.fulfill({ response });
    });
  });
  await page.dblclick("button");
  await untilState(page, "sent");
  assert.deepEqual(versions(), ["sp2"]);
});

test("the second script loads on a strict page that names the policy sealpost; where it is forbidden nothing is sent", async () => {
  const strict = `default-src 'none'; script-src ${service.url}; connect-src ${service.url}; require-trusted-types-for 'script'`;
  const tag = scriptTag(service, `data-sealpost="${service.formId}"`);
  const open = (trustedTypes: string) =>
    site.open(
      form + tag,
      { "content-security-policy": `${strict}; trusted-types ${trustedTypes}; report-uri /violations` },
      hideNative,
    );
  const page = await open("sealpost");
  await page.click("button");
  await untilState(page, "sent");
  assert.deepEqual(site.violations, []);
  const stricter = await open("'none'");
  await stricter.click("button");
  assert.match(await untilState(stricter, "error"), /encryption failed/);
  assert.deepEqual(versions(), ["sp2"]);
});

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { beforeEach, test } from "node:test";
import { fingerprint } from "@sealpost/wire";
import type { Page } from "playwright-core";
import { takeKeyPair } from "../../../tests/support/key-pairs.ts";
import { embedCode, scriptTag, untilState } from "../testing/browser.ts";
import type { PublicAnswer, TestService } from "../testing/service.ts";
import { startSiteAndService } from "../testing/site.ts";

// The service is in bad hands: whatever it answers, nothing but what is sealed to the right key leaves the page.

const { service, site } = await startSiteAndService();
beforeEach(async () => {
  await site.reset();
  service.reset();
});

const form = `<form><input name="secret" value="hunter2"><button>Send</button></form>`;

/** The message for the visitor when the service answers so, on a page of its own unless one is given. */
async function refusedWith(answer: TestService["publicAnswer"], given?: Page): Promise<string> {
  service.publicAnswer = answer;
  const page = given ?? (await site.open(form + embedCode(service)));
  const outcome = await page.evaluate(() => Reflect.get(window, "handle").submit());
  assert.equal(outcome.sent, false);
  assert.deepEqual(service.posts, []);
  assert.equal(await page.inputValue("input"), "hunter2");
  const shown = await page.locator("[role=alert]").textContent();
  assert.equal(shown, outcome.message);
  return shown ?? "";
}

/** RSA-shaped `n` of so many bits, odd, as base64url. */
function modulus(bits: number, last = 1): string {
  const bytes = new Uint8Array(Math.ceil(bits / 8)).fill(0xff);
  bytes[0] = (1 << (((bits - 1) % 8) + 1)) - 1;
  bytes[bytes.length - 1] = 0xfe + last;
  return Buffer.from(bytes).toString("base64url");
}

const odd: [string, (key: Record<string, unknown>) => Record<string, unknown> | string | null][] = [
  ["no key", () => null],
  ["a key that is text", () => "key"],
  ["a key without members", () => ({})],
  ["512 bits", (key) => ({ ...key, n: modulus(512) })],
  ["1024 bits", (key) => ({ ...key, n: modulus(1024) })],
  ["2047 bits", (key) => ({ ...key, n: modulus(2047) })],
  ["8192 bits", (key) => ({ ...key, n: modulus(8192) })],
  ["an even modulus", (key) => ({ ...key, n: modulus(3072, 0) })],
  ["a padded modulus", (key) => ({ ...key, n: `${key.n}=` })],
  ["leading zeros", (key) => ({ ...key, n: `AA${key.n}` })],
  ["e = 1", (key) => ({ ...key, e: "AQ" })],
  ["e = 3", (key) => ({ ...key, e: "Aw" })],
  ["another kind of key", (key) => ({ ...key, kty: "oct" })],
  ["an extra member", (key) => ({ ...key, alg: "RSA1_5" })],
  ["a private member", (key) => ({ ...key, d: "AQAB" })],
];

test("a weak or odd key gets nothing, whatever fingerprint it comes with", async () => {
  const page = await site.open(form + embedCode(service));
  for (const [name, change] of odd) {
    const message = await refusedWith((honest) => {
      const publicKey = change(honest.form.publicKey);
      return { body: { form: { ...honest.form, publicKey } } };
    }, page);
    assert.match(message, /wrong key/, name);
  }
});

test("a page with the wrong key keeps what was typed, offers it as a file, and does not send the visitor in circles", async () => {
  const page = await site.open(form + embedCode(service, { keyFingerprint: "A".repeat(43) }));
  await page.fill("input", "typed for an hour");
  await page.click("button");
  const message = await untilState(page, "error");
  assert.match(message, /wrong key.*save your answers.*owner/);
  assert.doesNotMatch(message, /reload/);
  assert.equal(await page.inputValue("input"), "typed for an hour");
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("link").click()]);
  assert.equal(await readFile(await file.path(), "utf8"), "secret: typed for an hour\n");
});

test("an answer that contradicts itself, or misses a member, gets nothing", async () => {
  const lies: [string, (form: PublicAnswer["form"]) => unknown][] = [
    ["another fingerprint", (form) => ({ ...form, keyFingerprint: "A".repeat(43) })],
    ["another form", (form) => ({ ...form, id: "form_00000000000000000000000000" })],
    ["no key version", (form) => ({ ...form, keyVersion: undefined })],
    ["a key version that is text", (form) => ({ ...form, keyVersion: "3" })],
    ["a key version that is no whole number", (form) => ({ ...form, keyVersion: 1.5 })],
    ["no settings", (form) => ({ ...form, settings: null })],
    ["no word about personal data", (form) => ({ ...form, settings: { encryption: true } })],
    ["no form", () => null],
  ];
  const page = await site.open(form + embedCode(service));
  for (const [name, change] of lies)
    assert.match(await refusedWith((honest) => ({ body: { form: change(honest.form) } }), page), /wrong key/, name);
});

test("no answer of the service turns sealing off", async () => {
  service.publicAnswer = (honest) => {
    honest.form.settings.encryption = false;
    return { body: honest };
  };
  const page = await site.open(form + embedCode(service));
  await page.click("button");
  await untilState(page, "sent");
  assert.deepEqual(await service.opened(), [{ secret: "hunter2" }]);
  assert.ok(!service.posts.join().includes("hunter2"));
});

test("refusals and failures of the public answer: nothing is sent, and the message says why", async () => {
  const refusals: [number, unknown, RegExp][] = [
    [404, { error: "not_found", message: "Form not found" }, /no longer exists/],
    [403, { error: "forbidden", message: "Origin not allowed" }, /on this website/],
    [400, { error: "bad_request", message: "<img src=x onerror=alert(1)>" }, /^Your answers were not accepted\.$/],
    [500, { error: "internal_error", message: "…" }, /No answer/],
    [503, "<h1>Bad gateway</h1>", /No answer/],
    [200, "<h1>Sign in to the hotel</h1>", /No answer/],
    [429, { error: "rate_limited", message: "…", retryAfter: 7 }, /will be sent soon/],
    [302, "", /No connection/],
  ];
  for (const [status, body, expected] of refusals)
    assert.match(await refusedWith(() => ({ status, body })), expected, `${status}`);
  assert.ok(!service.requests.some(({ path }) => path === "/elsewhere"));
});

test("with a pinned fingerprint another key gets nothing, even if the old fingerprint is given as well", async () => {
  const other = takeKeyPair();
  const otherFingerprint = await fingerprint(other.publicKey);
  for (const keyFingerprint of [service.fingerprint, otherFingerprint]) {
    service.reset();
    service.publicAnswer = ({ form }) => ({ body: { form: { ...form, publicKey: other.publicKey, keyFingerprint } } });
    const page = await site.openNext(form + embedCode(service, { keyFingerprint: [service.fingerprint] }));
    await page.click("button");
    assert.match(await untilState(page, "error"), /wrong key/);
    assert.deepEqual(service.posts, []);
  }
});

test("the pinned key, alone or among several, is accepted", async () => {
  for (const keyFingerprint of [service.fingerprint, ["A".repeat(43), service.fingerprint]]) {
    const page = await site.openNext(form + embedCode(service, { keyFingerprint }));
    await page.click("button");
    await untilState(page, "sent");
  }
  assert.equal(service.posts.length, 2);
});

test("a pin that is malformed, empty or misspelt, or a wrong snippet, sends nothing instead of everything", async () => {
  const wrong: Record<string, unknown>[] = [
    { keyFingerprint: "" },
    { keyFingerprint: [] },
    { keyFingerprint: null },
    { keyFingerprint: service.fingerprint.slice(1) },
    { keyFingerprint: `${service.fingerprint}=` },
    { keyFingerPrint: service.fingerprint },
    { keyFingerprint: service.fingerprint, encryption: false },
    { toString: 1 },
  ];
  const opened = await site.open(form + embedCode(service));
  await opened.evaluate(() => Reflect.get(window, "handle").destroy());
  for (const options of wrong) {
    await opened.evaluate(
      ([formId, given]) => Reflect.set(window, "handle", Reflect.get(window, "Sealpost").init(formId, given)),
      [service.formId, options] as const,
    );
    await opened.click("button");
    assert.match(await untilState(opened, "error"), /not set up correctly/, JSON.stringify(options));
    await opened.evaluate(() => Reflect.get(window, "handle").destroy());
  }
  const page = await site.openNext(`${form}${scriptTag(service)}<script>Sealpost.init("form_x")</script>`);
  await page.click("button");
  assert.match(await untilState(page, "error"), /not set up correctly/);
  assert.deepEqual(service.posts, []);
  assert.deepEqual(site.strays, []);
});

test("a script with one byte changed does not run, the page says so, and its button stays disabled", async () => {
  const guarded = `<form><p data-sealpost-unavailable>This form could not be loaded.</p>
    <input name="secret"><button data-sealpost-submit disabled>Send</button></form>`;
  const honest = await site.open(guarded + scriptTag(service, `data-sealpost="${service.formId}"`));
  assert.ok(await honest.isHidden("[data-sealpost-unavailable]"));
  assert.ok(await honest.isEnabled("button"));
  service.alterScript = (text) => `${text} `;
  const page = await site.open(guarded + scriptTag(service, `data-sealpost="${service.formId}"`));
  assert.equal(await page.evaluate(() => "Sealpost" in window), false);
  assert.ok(await page.isVisible("[data-sealpost-unavailable]"));
  assert.ok(await page.isDisabled("button"));
  await page.focus("input");
  await page.keyboard.press("Enter");
  assert.deepEqual(service.posts, []);
});

test("without a secure context nothing is sent, and the message says why", async () => {
  const script = scriptTag(service).replace(service.url, "");
  const page = await site.context.newPage();
  const requests: string[] = [];
  page.on("request", (request) => requests.push(request.url()));
  await page.route("http://insecure.example/**", async (route) => {
    const path = new URL(route.request().url()).pathname;
    if (path !== "/") return route.fulfill({ response: await page.request.get(service.url + path) });
    const body = `${form}${script}<script>Sealpost.init("${service.formId}", { endpoint: "${service.url}" })</script>`;
    return route.fulfill({ contentType: "text/html", body: `<!doctype html>${body}` });
  });
  await page.goto("http://insecure.example/");
  assert.equal(await page.evaluate(() => isSecureContext), false);
  await page.click("button");
  assert.match(await untilState(page, "error"), /HTTPS/);
  assert.deepEqual(service.posts, []);
  assert.ok(requests.every((url) => !url.includes("/api/")));
});

test("without WebCrypto nothing is sent", async () => {
  const page = await site.open(form + embedCode(service), {}, (opened) =>
    opened.addInitScript(() => Object.defineProperty(crypto, "subtle", { value: undefined })),
  );
  await page.click("button");
  assert.match(await untilState(page, "error"), /newer browser/);
  assert.deepEqual(service.posts, []);
});

test("a page that replaced fetch before us sees nothing but what is sealed", async () => {
  const page = await site.open(
    `<script>window.seen = []; const own = fetch; window.fetch = (...args) => { seen.push(JSON.stringify(args)); return own(...args); }</script>${form}${embedCode(service)}`,
  );
  await page.click("button");
  await untilState(page, "sent");
  const seen = await page.evaluate(() => (window as unknown as { seen: string[] }).seen); // set by the page above
  assert.ok(seen.length >= 2);
  assert.ok(!seen.join().includes("hunter2"));
});

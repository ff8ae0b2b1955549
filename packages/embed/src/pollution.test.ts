import assert from "node:assert/strict";
import { test } from "node:test";
import { embedCode, endHung } from "../testing/browser.ts";
import { startSiteAndService } from "../testing/site.ts";
import { optionNames } from "./options.ts";

// A link can put members into Object.prototype of a page whose query parser lets it: $.deparam("__proto__[endpoint]=https://evil.example").

const { service, site } = await startSiteAndService();

/** Members that the embed takes from elsewhere, by kind; the options are those that it knows itself. */
const members: Readonly<Record<string, readonly string[]>> = {
  options: [...Object.keys(optionNames), "keyLog", "form: several", "json", "showMessages"],
  answers: [
    "form",
    "id",
    "publicKey",
    "kty",
    "n",
    "e",
    "d",
    "alg",
    "ext",
    "use",
    "key_ops",
    "oth",
    "k",
    "keyVersion",
    "keyFingerprint",
    "hybridPublicKey",
    "hybridKeyFingerprint",
    "settings",
    "piiStrip",
    "submission",
    "retryAfter",
    "code",
    "seconds",
    "value",
    "key",
  ],
  requests: [
    "method",
    "mode",
    "headers",
    "body",
    "cache",
    "credentials",
    "integrity",
    "keepalive",
    "redirect",
    "referrer",
    "referrerPolicy",
    "signal",
    "window",
    "priority",
    "duplex",
    "content-type",
    "authorization",
  ],
  attributes: ["data-sealpost", "data-sealpost-state", "action", "formmethod", "formaction"],
  algorithms: ["name", "hash", "iv", "additionalData", "tagLength", "label", "length", "info", "salt"],
  platform: [
    "once",
    "passive",
    "capture",
    "composed",
    "get",
    "set",
    "has",
    "writable",
    "configurable",
    "subtree",
    "childList",
    "attributes",
    "attributeFilter",
    "characterData",
    "preventScroll",
    "calls",
    "toJSON",
    "0",
    "1",
    "2",
    "length",
    "pii",
    "type",
    "autocomplete",
    "stripped",
    "doubtful",
    "tries",
    "edits",
    "collected",
  ],
};
const values = ["https://evil.example", "1", false, {}];

test("no option, no answer, no request and no algorithm is read through a prototype", async () => {
  service.reset();
  const page = await site.open(
    `<form hidden class="other"></form><form data-sealpost="${service.formId}"><input name="a" value="1"><input name="utm_source" value="2"><button>Send</button></form>${embedCode(service)}`,
  );
  await page.evaluate(() => Reflect.get(window, "handle").destroy());
  // Each option alone, and everything together: one may hide what another does.
  const names = [...new Set(Object.values(members).flat())];
  const rounds = [...Object.values(members), names].flatMap((group) => [
    ...(group === members.options ? group.map((name) => [name]) : []),
    group,
  ]);
  const work = page.evaluate(
    async ({ all, polluted, formId }) => {
      const failed: string[] = [];
      for (const group of all)
        for (const value of polluted) {
          const descriptor = Object.assign(Object.create(null), {
            value,
            configurable: true,
            enumerable: true,
            writable: true,
          });
          for (const name of group) Object.defineProperty(Object.prototype, name, descriptor);
          let outcome: unknown;
          try {
            const handle = Reflect.get(window, "Sealpost").init(formId, {});
            const { sent, code, changed } = await handle.submit();
            handle.destroy();
            outcome = sent ? changed : code;
          } catch (error) {
            outcome = `${error}`;
          }
          for (const name of group) Reflect.deleteProperty(Object.prototype, name);
          if (outcome !== false) failed.push(`${group} = ${JSON.stringify(value)}: ${outcome}`);
        }
      return failed;
    },
    { all: rounds, polluted: values, formId: service.formId },
  );
  // Each round posts once.
  const running = () => `${rounds[Math.floor(service.posts.length / values.length)]}`;
  const failures = await endHung(page, work, running);
  assert.deepEqual(failures, []);
  assert.equal(new URL(page.url()).origin, site.url);
  assert.deepEqual(site.strays, []);
  const opened = await service.opened();
  assert.equal(opened.length, rounds.length * values.length);
  for (const fields of opened) assert.deepEqual({ ...fields }, { a: "1", utm_source: "2" });
});

test("a page that was polluted before the script came sends sealed answers to its own service, and stays", async () => {
  service.reset();
  const polluting = (names: readonly string[]) =>
    `<script>Object.assign(Object.prototype, ${JSON.stringify(Object.fromEntries(names.map((name) => [name, "https://evil.example"])))})</script>`;
  // A page whose driver and platform are polluted too could not add a script.
  const names = [...(members.options ?? []), ...(members.requests ?? []), ...(members.attributes ?? []), "encryption"];
  const page = await site.open(
    `${polluting(names)}<form method="post" action="https://example.com/search"></form><form><input name="a" value="1"><button>Send</button></form>${embedCode(service)}`,
  );
  // Without the driver's own functions, which such a page breaks.
  assert.equal(
    await page.evaluate(() => document.forms[0]?.outerHTML),
    '<form method="post" action="https://example.com/search"></form>',
  );
  await page.evaluate(() => document.querySelector("button")?.click());
  await service.posted(1);
  assert.deepEqual(await service.opened(), [{ a: "1" }]);
  assert.deepEqual(site.strays, []);
});

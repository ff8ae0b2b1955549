import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { embedCode, scriptTag, untilState } from "../testing/browser.ts";
import type { TestService } from "../testing/service.ts";
import { startSiteAndService } from "../testing/site.ts";
import type { Options } from "./options.ts";

const { service, site } = await startSiteAndService();
beforeEach(async () => {
  await site.reset();
  service.reset({ piiStrip: true });
});

const form = `<form><textarea name="text">Write to a.b@example.com please</textarea><button>Send</button></form>`;
const loadedSecondScript = () => service.requests.some(({ path }) => path.includes("sealpost-pii"));

test("with piiStrip, personal data is gone before anything is sealed", async () => {
  const page = await site.open(form + embedCode(service));
  await page.evaluate(() => {
    document.addEventListener("sealpost:success", (event) =>
      Reflect.set(window, "detail", Reflect.get(event, "detail")),
    );
  });
  await page.click("button");
  await untilState(page, "sent");
  assert.deepEqual(await service.opened(), [{ text: "Write to [EMAIL] please" }]);
  const detail = await page.evaluate(() => Reflect.get(window, "detail"));
  assert.deepEqual(detail.stripped, [{ field: "text", types: ["EMAIL_ADDRESS"] }]);
});

test("without piiStrip nothing of it is loaded; the snippet can ask for it, and the service cannot refuse", async () => {
  service.reset({ piiStrip: false });
  const page = await site.open(form + embedCode(service));
  await page.click("button");
  await untilState(page, "sent");
  assert.ok(!loadedSecondScript());
  const asking = await site.openNext(form + embedCode(service, { piiStrip: true }));
  await asking.click("button");
  await untilState(asking, "sent");
  assert.ok(loadedSecondScript());
  assert.deepEqual((await service.opened())[1], { text: "Write to [EMAIL] please" });
});

test("what the page says about a field decides", async () => {
  const page = await site.open(
    `<form><label>Whatever <input name="x" data-sealpost-pii value="a secret"></label>
    <input name="contact" value="public@example.org" data-sealpost-pii="false"><input name="__proto__" value="p">
    <input name="nick" autocomplete="username" value="neo"><button>Send</button></form>${embedCode(service)}`,
  );
  await page.click("button");
  await untilState(page, "sent");
  const [fields = {}] = await service.opened();
  assert.ok(!JSON.stringify(fields).includes("a secret"));
  assert.equal(fields.nick, "[USERNAME]");
  assert.equal(fields.contact, "public@example.org");
  assert.deepEqual(Object.keys(fields), ["x", "contact", "__proto__", "nick"]);
});

test("what a label asks, or what was typed inside it, empties no answer; what it names does", async () => {
  const page = await site.open(
    `<form><label>Which of our plans has a phone?<textarea name="a"></textarea></label>
    <label>Telephone<br>for questions on the day of delivery, no other use<input name="b" value="none yet"></label>
    <label>Email <small>we send the receipt to it and nothing else</small><input name="c" value="see above"></label>
    <input name="d" placeholder="First name" value="Anna"><label>Notes <textarea name="e">first name</textarea></label>
    <label>
      Name on
      card
      <span>Name on card</span>
      <input name="g" value="None yet">
    </label><label>Phone number<input type="number" name="h" value="5550147"></label>
    <label>Colour<select name="f"><option>your phone</option></select></label><button>Send</button></form>${embedCode(service)}`,
  );
  await page.fill("textarea[name=a]", "The one with the green phone");
  await page.click("button");
  await untilState(page, "sent");
  const kept = { a: "The one with the green phone", e: "first name", f: "your phone" };
  assert.deepEqual(await service.opened(), [
    { ...kept, b: "[PHONE]", c: "[EMAIL]", d: "[NAME]", g: "[NAME]", h: null },
  ]);
});

test("the form's types and country are used; the snippet's own come first, and its own piiStrip is not narrowed by the service", async () => {
  const values = '<form><textarea name="t">22345678 or a@b.example</textarea><button>Send</button></form>';
  const cases: [Options & Record<string, unknown>, string][] = [
    [{}, "[PHONE] or a@b.example"],
    [{ country: "US" }, "22345678 or a@b.example"],
    [{ piiTypes: ["EMAIL_ADDRESS"] }, "22345678 or [EMAIL]"],
    [{ piiStrip: true }, "[PHONE] or [EMAIL]"],
  ];
  for (const [options, expected] of cases) {
    service.reset({ piiStrip: true, piiTypes: ["PHONE_NUMBER"], country: "DK" });
    const page = await site.openNext(values + embedCode(service, options));
    await page.click("button");
    await untilState(page, "sent");
    assert.deepEqual(await service.opened(), [{ t: expected }]);
  }
});

test("the second script comes once, while the visitor types, and not at all where nothing is stripped", async () => {
  const scripts = () => service.requests.filter(({ path }) => path.includes("sealpost-pii")).length;
  const page = await site.open(form + embedCode(service));
  const arrived = page.waitForResponse(/sealpost-pii/);
  await page.type("textarea", "x");
  await arrived;
  await page.type("textarea", "y");
  await page.click("button");
  await untilState(page, "sent");
  assert.equal(scripts(), 1);
  service.reset({ piiStrip: false });
  const plain = await site.open(form + embedCode(service));
  await plain.type("textarea", "x");
  await plain.click("button");
  await untilState(plain, "sent");
  assert.equal(scripts(), 0);
});

test("the visitor is notified which fields lost what, never a value, in the page's own words if it has some", async () => {
  const fields = `<label>Your email<input name="email" value="a@b.example"></label><label>Note<textarea name="note">Call 212-555-0147 or a@b.example</textarea></label>`;
  const page = await site.open(`<form>${fields}<button>Send</button></form>${embedCode(service)}`);
  await page.click("button");
  await untilState(page, "sent");
  const thanks = "Thank you, your answers were sent. ";
  const list = "Removed before sending: Your email (email address), Note (telephone number, email address).";
  assert.equal(await page.innerText("[role=status]"), thanks + list);
  assert.ok(!(await page.innerText("body")).includes("555"));
  const messages = { stripped: "Entfernt: {fields}", EMAIL_ADDRESS: "E-Mail-Adresse", PHONE_NUMBER: "Rufnummer" };
  const slots = `<form>${fields}<p data-sealpost-success hidden>Danke</p><p data-sealpost-stripped></p><button>Send</button></form>`;
  const own = await site.openNext(slots + embedCode(service, { messages }));
  await own.click("button");
  await untilState(own, "sent");
  const notice = "Entfernt: Your email (E-Mail-Adresse), Note (Rufnummer, E-Mail-Adresse)";
  assert.equal(await own.innerText("[data-sealpost-stripped]"), notice);
});

test("the visitor reads what was removed in plain words, on a German page in German", async () => {
  const bank = '<label>Bank<input name="bank" value="DE89370400440532013000"></label>';
  const form = (lang: string) =>
    `<form lang="${lang}"><input name="closest" type="hidden">${bank}<textarea name="note">My SSN is 536-22-1234</textarea><button>Send</button></form>`;
  const notice: string[] = [];
  for (const lang of ["en-GB", "de-AT", "fr"]) {
    const page = await site.openNext(form(lang) + embedCode(service, { messages: { sent: "", stripped: "{fields}" } }));
    await page.click("button");
    notice.push(await untilState(page, "sent"));
  }
  const english = "Bank (IBAN), note (US Social Security number)";
  assert.deepEqual(notice, [english, "Bank (IBAN), note (US-Sozialversicherungsnummer)", english]);
});

test("a second script that is changed or missing, or a rule that it does not know: nothing is sent", async () => {
  const alterations: [TestService["alterScript"], Options & Record<string, unknown>][] = [
    [(text, file) => (file.includes("pii") ? `${text} ` : text), {}],
    [(text, file) => (file.includes("pii") ? "" : text), {}],
    [(text) => text, { piiTypes: ["NO_SUCH_TYPE"] }],
  ];
  for (const [alterScript, options] of alterations) {
    service.reset({ piiStrip: true });
    service.alterScript = alterScript;
    const page = await site.open(form + embedCode(service, options));
    await page.click("button");
    assert.match(await untilState(page, "error"), /personal data cannot be removed/);
    assert.deepEqual(service.posts, []);
    await page.close();
  }
});

test("the second script loads on a strict page that names the policy sealpost, and on no stricter one", async () => {
  const strict = `default-src 'none'; script-src ${service.url}; connect-src ${service.url}; require-trusted-types-for 'script'`;
  const tag = scriptTag(service, `data-sealpost="${service.formId}"`);
  const page = await site.open(form + tag, {
    "content-security-policy": `${strict}; trusted-types sealpost; report-uri /violations`,
  });
  await page.click("button");
  await untilState(page, "sent");
  assert.deepEqual(site.violations, []);
  const stricter = await site.open(form + tag, { "content-security-policy": `${strict}; trusted-types 'none'` });
  await stricter.click("button");
  assert.match(await untilState(stricter, "error"), /personal data cannot/);
  assert.equal(service.posts.length, 1);
});

test("labels name their fields around them, by their for attribute and in a shadow root; the first of several counts", async () => {
  const fields = `<label for="b">Telephone</label><label>First name <input name="a" value="Anna"></label><input name="b" id="b" value="none yet">
    <label for="c">Anything</label><label for="c">Email</label><input name="c" id="c" value="see above">
    <input name="d" value="kept" aria-label="Surname"><input type="hidden" name="e" id="e" value="kept"><label for="e">Email</label>`;
  const expected = { a: "[NAME]", b: "[PHONE]", c: "see above", d: "[NAME]", e: "kept" };
  const page = await site.open(`<form>${fields}<button>Send</button></form>${embedCode(service)}`);
  await page.click("button");
  assert.match(await untilState(page, "sent"), /First name \(name\), Telephone \(telephone number\), Surname/);
  const shadow = await site.openNext(`<label for="b">Anything</label><div></div>${scriptTag(service)}`);
  await shadow.evaluate(
    async ({ html, formId }) => {
      const root = document.querySelector("div")?.attachShadow({ mode: "open" });
      if (root) root.innerHTML = `<form>${html}<button>Send</button></form>`;
      await Reflect.get(window, "Sealpost")
        .init(formId, { form: root?.querySelector("form") })
        .submit();
    },
    { html: fields, formId: service.formId },
  );
  assert.deepEqual(await service.opened(), [expected, expected]);
});

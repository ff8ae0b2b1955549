import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { embedCode, untilState } from "../testing/browser.ts";
import { startSiteAndService } from "../testing/site.ts";

const { service, site } = await startSiteAndService();
beforeEach(async () => {
  await site.reset();
  service.reset();
});

const fields = `<input name="a" value="secret"><button>Send</button>`;
/** A library that sends every form whose event nobody cancelled; and htmx, which cancels it itself and then asks. */
const libraries = `document.addEventListener("submit", (event) => { if (event.defaultPrevented) return; event.preventDefault(); fetch("/library?" + new URLSearchParams(new FormData(event.target))) });`;
const htmx = `document.forms[0].addEventListener("submit", (event) => { event.preventDefault(); if (event.target.dispatchEvent(new CustomEvent("htmx:beforeRequest", { cancelable: true, bubbles: true }))) fetch("/htmx?a=secret") });`;

const escapes: Readonly<Record<string, string>> = {
  "form.submit()": "document.forms[0].submit()",
  "the submit of all forms": "HTMLFormElement.prototype.submit.call(document.forms[0])",
  "a clone":
    "const form = document.forms[0]; const clone = form.cloneNode(true); form.remove(); document.body.append(clone); queueMicrotask(() => clone.querySelector('button').click())",
  "a second clone":
    "const clone = document.forms[0].cloneNode(true); document.body.append(clone); queueMicrotask(() => clone.querySelector('button').click())",
  "a second form": "document.querySelectorAll('form')[1].querySelector('button').click()",
  "a library": `${libraries} document.forms[0].querySelector("button").click()`,
  htmx: `${htmx} document.forms[0].querySelector("button").click()`,
  "a method that was changed":
    "document.forms[0].method = 'get'; queueMicrotask(() => document.forms[0].querySelector('button').click())",
};

test("nothing leaves a bound form or its copies in plain, and each is sealed", async () => {
  const forms = `<form data-sealpost="${service.formId}">${fields}</form>`.repeat(2);
  const page = await site.open(forms + embedCode(service));
  const address = page.url();
  for (const [name, script] of Object.entries(escapes)) {
    service.reset();
    await site.openNext(forms + embedCode(service));
    const posted = service.posted(1);
    const opened = page.url();
    await page.evaluate(script);
    await posted;
    await untilState(page, "sent");
    assert.equal(page.url(), opened, name);
    assert.deepEqual(await service.opened(), [{ a: "secret" }], name);
    assert.deepEqual(site.strays, [], name);
  }
  // The control: without the embed, the first of them puts the answers into an address.
  await site.openNext(forms);
  await Promise.all([page.waitForURL("**/*?a=secret"), page.evaluate("document.forms[0].submit()")]);
  assert.notEqual(page.url(), address);
});

test("a listener of the window that keeps the event from the form keeps no answers from being sent, unless it cancels it", async () => {
  for (const stop of ["stopPropagation", "stopImmediatePropagation"])
    for (const at of ["window", "document", "document.forms[0]"])
      for (const cancels of [false, true]) {
        const name = `${stop} at ${at}, ${cancels ? "cancelled" : "not cancelled"}`;
        service.reset();
        const listener = `${at}.addEventListener("submit", (event) => { ${cancels ? "event.preventDefault();" : ""} event.${stop}() }, true)`;
        const page = await site.openNext(`<form>${fields}</form><script>${listener}</script>${embedCode(service)}`);
        const address = page.url();
        await page.click("button");
        if (cancels) await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
        else await untilState(page, "sent");
        assert.equal(page.url(), address, name);
        assert.deepEqual(await service.opened(), cancels ? [] : [{ a: "secret" }], name);
        assert.equal(service.posts.length, cancels ? 0 : 1, name);
      }
  assert.deepEqual(site.strays, []);
});

test("what was given back is the page's own again, attributes and all", async () => {
  const page = await site.open(`<form method="get" action="/own">${fields}</form>${embedCode(service)}`);
  await untilState(page, "idle");
  assert.equal(await page.getAttribute("form", "method"), "dialog");
  await page.evaluate(() => Reflect.get(window, "handle").destroy());
  assert.equal(
    await page.locator("form").evaluate((form) => form.outerHTML),
    `<form method="get" action="/own">${fields}</form>`,
  );
  await Promise.all([page.waitForURL("**/own?a=secret"), page.evaluate(() => document.forms[0]?.submit())]);
});

test("fields that are locked, removed or counted by scripts while they are being sent are no change of the visitor's", async () => {
  const scripts = [
    `form.querySelector("fieldset").disabled = true`,
    `form.querySelector("fieldset").remove()`,
    `form.elements.a.value = "counted"`,
  ];
  const content = `<form><fieldset><input name="a" value="1"></fieldset><button>Send</button></form>`;
  for (const script of scripts) {
    const page = await site.openNext(
      `${content}${embedCode(service, { resetOnSuccess: false })}<script>const form = document.forms[0]; form.addEventListener("sealpost:submit", () => { ${script} })</script>`,
    );
    await page.click("button");
    assert.equal(await untilState(page, "sent"), "Thank you, your answers were sent.", script);
  }
  assert.deepEqual(
    await service.opened(),
    scripts.map(() => ({ a: "1" })),
  );
});

test("fields that could never be sent are no success: with underscores, without names, or disabled", async () => {
  for (const field of [
    "<textarea name='_message'>x</textarea>",
    "<textarea>x</textarea>",
    "<textarea name='a' disabled>x</textarea>",
  ]) {
    const page = await site.openNext(
      `<form>${field}<input name="_gotcha" hidden><button>Send</button></form>${embedCode(service)}`,
    );
    await page.click("button");
    assert.equal(await untilState(page, "error"), "Not sent: this form is not set up correctly.", field);
  }
  assert.deepEqual(service.posts, []);
  const page = await site.openNext(
    `<form><input type="checkbox" name="a"><button>Send</button></form>${embedCode(service)}`,
  );
  await page.click("button");
  await untilState(page, "sent");
  assert.deepEqual(await service.opened(), [{}]);
});

test("a script that is deferred finds the form by its attributes, and a call of init takes their place", async () => {
  const attributes = `data-sealpost="${service.formId}" data-sealpost-options='{"messages": {"sent": "by attributes"}}'`;
  const code = embedCode(service, { messages: { sent: "by init" } }).replace("<script ", `<script ${attributes} `);
  const page = await site.open(`<form>${fields}</form>${code.replace("<script ", "<script defer ")}`);
  await page.click("button");
  assert.equal(await untilState(page, "sent"), "by attributes");
  // Rocket Loader, by its documentation: scripts get another type and run in their order once the page is loaded.
  const late = `<script>addEventListener("load", async () => { for (const old of document.querySelectorAll("script[type^=late]")) { const script = document.createElement("script"); for (const { name, value } of old.attributes) if (name !== "type") script.setAttribute(name, value); script.text = old.text; script.async = false; const loaded = new Promise((resolve) => { script.onload = script.onerror = resolve }); old.replaceWith(script); if (script.src) await loaded } })</script>`;
  const rocket = await site.openNext(
    `<form>${fields}</form>${late}${code.replaceAll("<script", '<script type="late-javascript"')}`,
  );
  await untilState(rocket, "idle");
  await rocket.waitForFunction(() => "handle" in window);
  await rocket.click("button");
  assert.equal(await untilState(rocket, "sent"), "by init");
});

test("a pin in the attribute holds where the script is deferred and the call fails: the wrong key gets nothing", async () => {
  const options = JSON.stringify({ keyFingerprint: "A".repeat(43) });
  const code = embedCode(service, { keyFingerprint: "A".repeat(43) }).replace(
    "<script ",
    `<script defer data-sealpost="${service.formId}" data-sealpost-options='${options}' `,
  );
  const page = await site.open(`<form>${fields}</form>${code}`);
  await page.click("button");
  assert.match(await untilState(page, "error"), /this form has the wrong key/);
  assert.deepEqual(service.posts, []);
});

test("copies of a form say nothing of what was said in it", async () => {
  const page = await site.open(
    `<div><form data-sealpost="${service.formId}"><p data-sealpost-error="true"></p>${fields}<p data-sealpost-success="true"></p></form></div>${embedCode(service)}`,
  );
  await page.click("button");
  const thanks = await untilState(page, "sent");
  assert.equal(await page.locator("[data-sealpost-success]").textContent(), thanks);
  await page.evaluate(() => {
    const home = document.querySelector("div");
    if (home) home.innerHTML = String(home.innerHTML);
  });
  assert.equal(await untilState(page, "idle"), "");
  service.nextPosts.push({ kind: "answer", status: 429, body: { retryAfter: 600 } });
  await page.click("button");
  await untilState(page, "waiting");
  assert.ok(await page.isDisabled("button"));
  await page.evaluate(() => {
    const home = document.querySelector("div");
    if (home) home.innerHTML = String(home.innerHTML);
  });
  assert.equal(await untilState(page, "idle"), "");
  assert.ok(await page.isEnabled("button"));
});

test("on a phone a visitor sees that their answers are being sent, and is not taken there again by what is tried later", async () => {
  const page = await site.open(
    `<form><input name="a" value="1"><button>Send</button><p style="height: 900px"></p><p data-sealpost-success></p><p data-sealpost-error></p></form>${embedCode(service)}`,
    {},
    ({ clock }) => clock.install(),
  );
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.setViewportSize({ width: 390, height: 844 });
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  service.nextPosts.push(
    { kind: "hold", until: first.promise },
    { kind: "lose" },
    { kind: "hold", until: second.promise },
  );
  const slot = page.locator("[data-sealpost-success]");
  const isSeen = () => slot.evaluate((element) => element.getBoundingClientRect().bottom <= innerHeight);
  await page.click("button");
  await untilState(page, "sending");
  await page.clock.fastForward(1_000);
  assert.ok(await isSeen());
  first.resolve();
  await untilState(page, "sent");

  await page.reload();
  await page.click("button");
  await untilState(page, "waiting");
  await page.evaluate(() => scrollTo(0, 0));
  await page.clock.fastForward(2_000);
  await untilState(page, "sending");
  await page.clock.fastForward(1_000);
  assert.equal(await isSeen(), false);
  second.resolve();
  await untilState(page, "sent");
});

test("on a phone the result is scrolled into view and focused; English text on another page says so", async () => {
  const tall = `<p style="height: 900px"></p>`;
  const page = await site.open(
    `<body lang="ar" dir="rtl"><form><input name="a" value="1" aria-describedby="hint"><p id="hint">Hint</p><button>Send</button>${tall}<p data-sealpost-success></p></form>${embedCode(service)}`,
  );
  await page.setViewportSize({ width: 390, height: 844 });
  await page.click("button");
  await untilState(page, "sent");
  const slot = page.locator("[data-sealpost-success]");
  assert.ok(await slot.evaluate((element) => element.getBoundingClientRect().bottom <= innerHeight));
  assert.ok(await slot.evaluate((element) => element === document.activeElement));
  assert.deepEqual([await slot.getAttribute("lang"), await slot.getAttribute("dir")], ["en", "ltr"]);
});

test("in a frame of srcdoc, _next is no script of the page", async () => {
  const inner = `<form><input type="hidden" name="_next" value="javascript:parent.document.title='ran'"><input name="a" value="1"><button>Send</button></form>${embedCode(service)}`;
  const page = await site.open(
    `<iframe srcdoc="${inner.replaceAll("&", "&amp;").replaceAll('"', "&quot;")}"></iframe>`,
  );
  const frame = page.frameLocator("iframe");
  await frame.locator("button").click();
  await frame.locator('form[data-sealpost-state="sent"]').waitFor();
  assert.equal(await page.title(), "Site");
});

test("a page that replaced what sealing needs gets a refusal", async () => {
  const replacements = [
    `Array.prototype.toJSON = function () { return "[" + this.join() + "]" }`,
    `window.TextEncoder = function () { this.encode = (text) => new Uint8Array([...text].map((letter) => letter.charCodeAt(0) & 127)) }`,
  ];
  for (const replacement of replacements) {
    const page = await site.openNext(`<script>${replacement}</script><form>${fields}</form>${embedCode(service)}`);
    await page.evaluate(() => document.querySelector("button")?.click());
    await page.waitForFunction(() => document.querySelector("[data-sealpost-state=error]"));
  }
  assert.deepEqual(service.posts, []);
  // The page may replace whatever sealing does not need.
  for (const replacement of ["Array.from = (item) => [item]", "Date.now = () => performance.timeOrigin + 0.5"]) {
    service.reset();
    const page = await site.openNext(`<script>${replacement}</script><form>${fields}</form>${embedCode(service)}`);
    await page.click("button");
    await service.posted(1);
    assert.deepEqual(await service.opened(), [{ a: "secret" }], replacement);
    assert.ok(Number.isInteger(JSON.parse(service.posts[0] ?? "").timestamp), replacement);
  }
});

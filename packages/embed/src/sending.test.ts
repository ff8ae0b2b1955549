import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, test } from "node:test";
import { embedCode, untilState } from "../testing/browser.ts";
import { startSiteAndService } from "../testing/site.ts";

const { service, site } = await startSiteAndService();
beforeEach(async () => {
  await site.reset();
  service.reset();
});

const form = `<form><label>Email <input name="email" value="a@b.example"></label><button>Send</button></form>`;

test("what was typed arrives sealed, and opens to the same", async () => {
  const page = await site.open(form + embedCode(service));
  await page.fill("input", "canary Zoë 🦉 \u0000 \uFFFD ‮ <script>");
  const typed = await page.inputValue("input");
  await page.click("button");
  assert.equal(await untilState(page, "sent"), "Thank you, your answers were sent.");
  assert.deepEqual(await service.opened(), [{ email: typed }]);
  assert.ok(service.requests.every(({ body, path }) => !(body + path).includes("canary")));
  assert.deepEqual(site.strays, []);
});

test("100 KB of text arrive whole", async () => {
  const text = "Ünïcödé 🦉 ".repeat(8_000);
  const page = await site.open(
    `<form><textarea name="text"></textarea><button>Send</button></form>${embedCode(service)}`,
  );
  await page.locator("textarea").evaluate((area: HTMLTextAreaElement, value) => {
    area.value = value;
  }, text);
  await page.click("button");
  await untilState(page, "sent");
  const [fields] = await service.opened();
  assert.equal(fields?.text, text);
});

test("fields keep the form's order, repeated names and name[] become arrays, and outside inputs belong to it", async () => {
  const page = await site.open(`
    <form id="f"><input name="z" value="1"><input name="topic" value="x"><input name="topic" value="y">
    <input type="checkbox" name="one[]" value="only" checked><input type="checkbox" name="none" value="n">
    <select name="many" multiple><option selected>a<option>b<option selected>c</select>
    <input name="off" value="o" disabled><input value="nameless"><input type="file" name="empty"></form>
    <input form="f" name="outside" value="here"><button form="f">Send</button>${embedCode(service)}`);
  await page.click("button");
  await untilState(page, "sent");
  const [fields] = await service.opened();
  assert.equal(
    JSON.stringify(fields),
    JSON.stringify({ z: "1", topic: ["x", "y"], one: ["only"], many: ["a", "c"], outside: "here" }),
  );
});

test("a field with a name of ours is sealed under one that is the visitor's, every other name unchanged", async () => {
  for (const hybrid of [false, true]) {
    service.reset({ hybrid });
    const page = await site.openNext(`<form><input name="$sealpost" value="a"><input name="$sealpost" value="b">
      <input name="$$sealpost[x]" value="c"><input name="$price" value="d"><button>Send</button></form>${embedCode(service)}`);
    await page.click("button");
    await untilState(page, "sent");
    assert.deepEqual(await service.opened(), [{ $$sealpost: ["a", "b"], "$$$sealpost[x]": "c", $price: "d" }]);
  }
});

test("the button that was pressed is part of the answers, another is not", async () => {
  const page = await site.open(
    `<form><input name="a" value="1"><button name="vote" value="yes">Yes</button><button name="vote" value="no">No</button></form>${embedCode(service)}`,
  );
  await page.click("text=No");
  await untilState(page, "sent");
  assert.deepEqual(await service.opened(), [{ a: "1", vote: "no" }]);
});

test("control fields and captcha tokens are no answers", async () => {
  const controls = [
    "_gotcha",
    "_next",
    "_subject",
    "cf-turnstile-response",
    "h-captcha-response",
    "g-recaptcha-response",
    "altcha",
  ];
  const inputs = controls.map(
    (name) => `<input type="hidden" name="${name}" value="${name === "_gotcha" ? "" : "t"}">`,
  );
  const page = await site.open(
    `<form>${inputs.join("")}<input name="a" value="1"><button>Send</button></form>${embedCode(service)}`,
  );
  await page.route("**/t", (route) => route.fulfill({ status: 204 }));
  await page.click("button");
  await service.posted(1);
  assert.deepEqual(await service.opened(), [{ a: "1" }]);
});

test("dropTracking leaves out what campaigns add; without it, it is an answer", async () => {
  const inputs = `<form><input name="utm_source" value="s"><input name="gclid" value="g"><input name="a" value="1"><button>Send</button></form>`;
  for (const options of [{ dropTracking: true }, {}]) {
    const page = await site.openNext(inputs + embedCode(service, options));
    await page.click("button");
    await untilState(page, "sent");
  }
  assert.deepEqual(await service.opened(), [{ a: "1" }, { utm_source: "s", gclid: "g", a: "1" }]);
});

/** How pages show a honeypot, or mean not to. */
const honeypots = {
  "shown by a page": `<input name="_gotcha">`,
  hidden: `<input name="_gotcha" hidden>`,
  "moved out of sight": `<div style="position:absolute;left:-9999px"><input name="_gotcha" tabindex="-1"></div>`,
  "in a list": `<input name="_gotcha[]">`,
};
const notSent = "Not sent: this form has a field that must be empty. Please send again without it.";

for (const [name, honeypot] of Object.entries(honeypots))
  test(`a filled honeypot, ${name}, is named and nothing is sent, not by a double click either; sent again, the answers arrive without it`, async () => {
    const page = await site.open(
      `<form>${honeypot}<input name="a"><button>Send</button></form>${embedCode(service)}`,
      {},
      ({ clock }) => clock.install(),
    );
    /** As a browser fills in: whether it is seen or not. */
    const fill = (text: string) =>
      page
        .locator("input")
        .first()
        .evaluate((input: HTMLInputElement, value) => {
          input.value = value;
        }, text);
    for (let visitor = 1; visitor <= 2; visitor++) {
      await page.locator("[name=a]").fill(`visitor ${visitor}`);
      await fill("Jane");
      await page.locator("button").dblclick();
      assert.equal(await untilState(page, "error"), notSent);
      await page.clock.runFor(1000);
      assert.equal(service.posts.length, visitor - 1);
      await page.click("button");
      assert.equal(await untilState(page, "sent"), "Thank you, your answers were sent.");
      await page.clock.runFor(1000);
    }
    // Emptied, it is like any other form.
    await page.locator("[name=a]").fill("visitor 3");
    await fill("Jane");
    await page.click("button");
    assert.equal(await untilState(page, "error"), notSent);
    await page.clock.runFor(1000);
    await fill("");
    await page.locator("[name=a]").fill("visitor 4");
    await page.click("button");
    await untilState(page, "sent");
    assert.deepEqual(await service.opened(), [{ a: "visitor 1" }, { a: "visitor 2" }, { a: "visitor 4" }]);
  });

test("whatever a form has, the visitor is thanked for what the service has, and for nothing else", async () => {
  const source = readFileSync(join(import.meta.dirname, "collect.ts"), "utf8");
  const controls = [...source.matchAll(/name === "(_\w+)"/g)].map(([, name = ""]) => name);
  assert.deepEqual(controls, ["_gotcha", "_next"], "a control: the source was read");
  const names = [...controls, "_subject", "altcha", "cf-turnstile-response", "__proto__", "utm_source", "a[]"];
  const outcomes = new Set<boolean>();
  for (const name of names)
    for (const value of ["", "#x"])
      for (const others of ["", `<input name="message" value="please help me">`])
        for (const options of [{}, { dropTracking: true }]) {
          const before = service.posts.length;
          const page = await site.openNext(
            `<form><input name="${name}" value="${value}">${others}<button>Send</button></form>${embedCode(service, options)}`,
          );
          const { sent } = await page.evaluate<{ sent: boolean }>("handle.submit()");
          outcomes.add(sent);
          assert.equal(service.posts.length - before, sent ? 1 : 0, `${name}=${value} ${others}`);
        }
  assert.equal(outcomes.size, 2);
});

test("a chosen file stops the submission, and the message names the field", async () => {
  const page = await site.open(
    `<form><label>Your CV <input type="file" name="cv"></label><button>Send</button></form>${embedCode(service)}`,
  );
  await page.setInputFiles("input", { name: "cv.txt", mimeType: "text/plain", buffer: Buffer.from("me") });
  await page.click("button");
  assert.match(await untilState(page, "error"), /files cannot be sent. Please remove “Your CV”/);
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("name")), "cv");
  assert.equal(await page.getAttribute("input", "aria-invalid"), "true");
  assert.deepEqual(service.posts, []);
});

test("answers over 1 MiB are refused before anything is sent", async () => {
  const page = await site.open(`<form><textarea name="t"></textarea><button>Send</button></form>${embedCode(service)}`);
  await page.evaluate(() => {
    const area = document.querySelector("textarea");
    if (area) area.value = "x".repeat(1_000_000);
  });
  await page.click("button");
  assert.match(await untilState(page, "error"), /too long/);
  assert.deepEqual(service.posts, []);
});

test("a double click sends once, also when the service is faster than the second click", async () => {
  const page = await site.open(form + embedCode(service), {}, ({ clock }) => clock.install());
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.dblclick("button");
  await untilState(page, "sent");
  const submitAgain = () =>
    page.evaluate(async () => {
      const { handle } = window as unknown as { handle: { submit(): Promise<unknown> } }; // put there by embedCode
      await handle.submit();
    });
  await submitAgain();
  assert.equal(service.posts.length, 1);
  // Control: later it is a wish of its own.
  await page.clock.fastForward(1001);
  await submitAgain();
  assert.equal(service.posts.length, 2);
});

test("the second tap of a double tap finds nothing wrong in the fields that were emptied after sending", async () => {
  const page = await site.open(
    `<form><label>Email <input name="email" required></label><button>Send</button></form>${embedCode(service)}`,
    {},
    ({ clock }) => clock.install(),
  );
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.fill("input", "a@b.example");
  await page.click("button");
  const thanks = await untilState(page, "sent");
  await page.click("button");
  assert.equal(await page.getAttribute("input", "aria-invalid"), null);
  assert.equal(await untilState(page, "sent"), thanks);
  // Control: later it is an answer that is missing.
  await page.clock.fastForward(1001);
  await page.click("button");
  assert.equal(await page.getAttribute("input", "aria-invalid"), "true");
});

test("while sending, the button is disabled and nothing else can be sent; then the focus is back on it", async () => {
  const page = await site.open(form + embedCode(service));
  const gate = Promise.withResolvers<void>();
  service.nextPosts.push({ kind: "hold", until: gate.promise });
  await page.focus("button");
  await page.keyboard.press("Enter");
  await service.posted(1);
  await untilState(page, "sending");
  await page.locator("[role=status]", { hasText: "Sending…" }).waitFor();
  assert.ok(await page.isDisabled("button"));
  await page.evaluate(() => document.querySelector("form")?.requestSubmit());
  gate.resolve();
  await untilState(page, "sent");
  assert.equal(service.posts.length, 1);
  assert.ok(await page.isEnabled("button"));
  assert.equal(await page.evaluate(() => document.activeElement?.tagName), "BUTTON");
});

test("with messages above the fields, the second tap of a double tap meets the button that the first one met", async () => {
  const fields =
    '<p style="height: 300px">Much to read</p><label><input type="checkbox" name="agree" value="yes"> I agree</label>';
  const page = await site.open(
    `<form><div data-sealpost-success></div><div data-sealpost-error></div>${fields}<br><button style="overflow-anchor: none">Send</button></form>${embedCode(service)}`,
    {},
    ({ clock }) => clock.install(),
  );
  await page.clock.pauseAt(Date.now() + 60_000);
  const gate = Promise.withResolvers<void>();
  service.nextPosts.push({ kind: "hold", until: gate.promise });
  await page.check("input");
  const button = page.locator("button");
  const before = await button.boundingBox();
  await button.click();
  await service.posted(1);
  await page.clock.fastForward(400);
  assert.deepEqual(await button.boundingBox(), before);
  await page.clock.fastForward(200);
  assert.equal(await untilState(page, "sending"), "Sending…");
  gate.resolve();
  assert.equal(await untilState(page, "sent"), "Thank you, your answers were sent.");
  assert.deepEqual(await service.opened(), [{ agree: "yes" }]);
});

test("requests carry no cookie, no referrer and no credentials", async () => {
  await site.context.addCookies([{ name: "c", value: "1", url: service.url }]);
  const page = await site.open(form + embedCode(service));
  await page.click("button");
  await untilState(page, "sent");
  const api = service.requests.filter(({ path }) => path.startsWith("/api/"));
  assert.ok(api.length >= 2);
  for (const { headers } of api) {
    assert.equal(headers.cookie, undefined);
    assert.equal(headers.referer, undefined);
    assert.equal(headers.authorization, undefined);
  }
});

test("success empties the form; resetOnSuccess: false keeps it", async () => {
  for (const [options, value] of [
    [{}, "a@b.example"],
    [{ resetOnSuccess: false }, "typed"],
  ] as const) {
    const page = await site.openNext(form + embedCode(service, options));
    await page.fill("input", "typed");
    await page.click("button");
    await untilState(page, "sent");
    assert.equal(await page.inputValue("input"), value);
  }
});

test("only the snippet itself can make the embed send plain content", async () => {
  const page = await site.open(form + embedCode(service, { encryption: false }));
  await page.click("button");
  await untilState(page, "sent");
  const { payload } = JSON.parse(service.posts[0] ?? "");
  assert.deepEqual(payload, { encrypted: false, version: "plain1", fields: { email: "a@b.example" } });
});

test("the form's key is asked for at the first focus, at the first input only if that failed, and afresh when sending", async () => {
  for (const [isRefused, expected] of [
    [false, 2],
    [true, 3],
  ] as const) {
    service.reset();
    if (isRefused) service.publicAnswer = () => ({ status: 500, body: {} });
    const page = await site.open(`<form><input name="a"><button>Send</button></form>${embedCode(service)}`);
    const answer = () => page.waitForResponse(/\/public$/).then((response) => response.finished());
    const first = answer();
    await page.focus("input");
    await first;
    service.publicAnswer = (body) => ({ body });
    const second = isRefused ? answer() : undefined;
    await page.keyboard.type("ab");
    await second;
    await page.click("button");
    await untilState(page, "sent");
    assert.equal(service.requests.filter(({ path }) => path.endsWith("/public")).length, expected);
    await page.close();
  }
});

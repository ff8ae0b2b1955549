import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import type { Page } from "playwright-core";
import { findViolations } from "../../../tests/support/axe.ts";
import { embedCode, scriptTag, untilState } from "../testing/browser.ts";
import { startSiteAndService } from "../testing/site.ts";

// Everything that visitors and the page's author notice: messages, marks, focus, events, where it goes afterwards.

const { service, site } = await startSiteAndService();
beforeEach(async () => {
  await site.reset();
  service.reset();
});

const form = `<form><label>A <input name="a" value="1"></label><button>Send</button></form>`;
const nextForm = (next: string) =>
  `<form><input type="hidden" name="_next" value="${next}"><button>Send</button></form>`;

test("the browser's own validation comes first, and the message goes to the field's slot and the focus to the field", async () => {
  const page = await site.open(
    `<form><input name="fine" value="x"><input name="mail" type="email" value="no" id="mail"><span data-sealpost-error="mail"></span>
     <input name="must" required><span data-sealpost-error="must"></span><button>Send</button></form>${embedCode(service)}`,
  );
  await page.click("button");
  assert.equal(await page.getAttribute("[name=mail]", "aria-invalid"), "true");
  assert.equal(await page.getAttribute("[name=must]", "aria-invalid"), "true");
  assert.equal(await page.getAttribute("[name=fine]", "aria-invalid"), null);
  assert.notEqual(await page.textContent("[data-sealpost-error=mail]"), "");
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute("name")), "mail");
  const described = await page.getAttribute("[name=mail]", "aria-describedby");
  assert.equal(described, await page.getAttribute("[data-sealpost-error=mail]", "id"));
  await page.fill("[name=mail]", "a@b.example");
  assert.equal(await page.getAttribute("[name=mail]", "aria-invalid"), null);
  assert.equal(await page.textContent("[data-sealpost-error=mail]"), "");
  assert.deepEqual(service.posts, []);
  await page.fill("[name=must]", "x");
  await page.click("button");
  await untilState(page, "sent");
});

test("a field keeps what its author describes it by, and has its error there as well", async () => {
  const page = await site.open(
    `<form><p id="hint">As in your contract</p><input name="a" required aria-describedby="hint"><p data-sealpost-error="a"></p><button>Send</button></form>${embedCode(service)}`,
  );
  for (const press of ["first", "second"]) {
    await page.click("button");
    const slot = await page.getAttribute("[data-sealpost-error=a]", "id");
    assert.equal(await page.getAttribute("[name=a]", "aria-describedby"), `hint ${slot}`, press);
  }
});

test("the places of errors are looked for once, however many fields are wrong together", async () => {
  const countSearches = async (fields: number) => {
    const content = Array.from(
      { length: fields },
      (_, index) => `<input name="f${index}" required><i data-sealpost-error="f${index}"></i>`,
    ).join("");
    const page = await site.open(`<form>${content}<button>Send</button></form>${embedCode(service)}`);
    const searches = await page.evaluate(() => {
      let count = 0;
      for (const { prototype } of [Document, Element])
        for (const method of ["querySelector", "querySelectorAll"] as const) {
          const native = prototype[method];
          Reflect.set(prototype, method, function (this: ParentNode, selector: string) {
            count++;
            return Reflect.apply(native, this, [selector]);
          });
        }
      document.querySelector("button")?.click();
      return count;
    });
    assert.equal(await page.locator("[aria-invalid=true]").count(), fields);
    return searches;
  };
  assert.equal(await countSearches(100), await countSearches(10));
});

test("novalidate is respected, and so is a check of the page that says no", async () => {
  const page = await site.open(
    `<form novalidate><input name="a" required><button>Send</button></form>${embedCode(service)}`,
  );
  await page.click("button");
  await untilState(page, "sent");
  service.reset();
  const checked = await site.open(
    `${form}<script>document.forms[0].addEventListener("submit", (event) => event.preventDefault())</script>${embedCode(service)}`,
  );
  await checked.click("button");
  assert.equal(await checked.getAttribute("form", "data-sealpost-state"), "idle");
  assert.deepEqual(service.posts, []);
});

test("text goes into the page's empty slots; text by the author is shown unchanged", async () => {
  const page = await site.open(
    `<form><input name="a"><button>Send</button><p data-sealpost-success></p><p data-sealpost-error></p></form>${embedCode(service)}`,
  );
  service.publicAnswer = () => ({ status: 404, body: {} });
  await page.click("button");
  await untilState(page, "error");
  assert.match((await page.textContent("[data-sealpost-error]")) ?? "", /no longer exists/);
  assert.equal(await page.getAttribute("[data-sealpost-error]", "role"), "alert");
  service.publicAnswer = (body) => ({ body });
  await page.click("button");
  await untilState(page, "sent");
  assert.equal(await page.textContent("[data-sealpost-error]"), "");
  assert.match((await page.textContent("[data-sealpost-success]")) ?? "", /Thank you/);

  const own = await site.openNext(
    `<form><input name="a"><button>Send</button></form><div data-sealpost-success="${service.formId}" hidden><h2>Merci</h2></div>${embedCode(service)}`,
  );
  const gate = Promise.withResolvers<void>();
  service.nextPosts.push({ kind: "hold", until: gate.promise });
  await own.click("button");
  await untilState(own, "sending");
  assert.ok(await own.isHidden("h2"));
  gate.resolve();
  await untilState(own, "sent");
  assert.ok(await own.isVisible("h2"));
});

test("events and callbacks say what happened; cancelling sealpost:submit or onSubmit sends nothing", async () => {
  const page = await site.open(
    `${form}${scriptTag(service)}<script>
      window.log = [];
      for (const type of ["submit", "success", "error"])
        document.addEventListener("sealpost:" + type, (event) => log.push([type, event.detail]));
      const say = (name) => (detail) => { log.push([name, detail.code ?? "ok"]); if (name === "onSuccess") throw new Error("the page's own"); };
      window.stop = true;
      Sealpost.init("${service.formId}", { onSubmit: () => { if (stop) return false }, onSuccess: say("onSuccess"), onError: say("onError") });
    </script>`,
  );
  await page.click("button");
  assert.deepEqual(service.posts, []);
  await page.evaluate(() => Reflect.set(window, "stop", false));
  service.publicAnswer = () => ({ status: 404, body: {} });
  await page.click("button");
  await untilState(page, "error");
  service.publicAnswer = (body) => ({ body });
  await page.click("button");
  await untilState(page, "sent");
  const log = JSON.parse(await page.evaluate(() => JSON.stringify(Reflect.get(window, "log"))));
  const { id } = JSON.parse(service.posts[0] ?? "");
  const { formId } = service;
  assert.deepEqual(log, [
    ["submit", { formId, fields: { a: "1" } }],
    ["submit", { formId, fields: { a: "1" } }],
    ["onError", "not_found"],
    ["error", { formId, code: "not_found", message: "Not sent: this form no longer exists." }],
    ["submit", { formId, fields: { a: "1" } }],
    ["onSuccess", "ok"],
    ["success", { formId, submissionId: id, stripped: [], changed: false }],
  ]);
});

test("the handle submits, says how it ended, and gives the form back", async () => {
  const page = await site.open(`<form><input name="a" required><button>Send</button></form>${embedCode(service)}`);
  const submit = () => page.evaluate(() => Reflect.get(window, "handle").submit());
  const invalid = await submit();
  assert.deepEqual({ sent: invalid.sent, code: invalid.code }, { sent: false, code: "invalid" });
  await page.fill("input", "x");
  const sent = await submit();
  assert.equal(sent.sent, true);
  assert.equal(sent.submissionId, JSON.parse(service.posts[0] ?? "").id);
  await page.evaluate(() => Reflect.get(window, "handle").destroy());
  assert.equal(await page.getAttribute("form", "data-sealpost-state"), null);
  assert.equal(await page.locator("[role=status], [role=alert]").count(), 0);
  assert.deepEqual(await submit(), { sent: false, code: "cancelled" });
});

test("redirect goes to this origin or to https, _next to this origin only", async () => {
  const cases: [string | undefined, string, string][] = [
    ["/thanks?x=1", "", "/thanks?x=1"],
    [undefined, "/next", "/next"],
    ["https://thanks.example/", "", "https://thanks.example/"],
  ];
  for (const [redirect, next, expected] of cases) {
    const page = await site.open(nextForm(next) + embedCode(service, redirect === undefined ? {} : { redirect }));
    await page.route(/thanks|next/, (route) => route.fulfill({ body: "there" }));
    await page.click("button");
    await page.waitForURL(new URL(expected, page.url()).href);
  }
});

test("redirect and _next go nowhere else", async () => {
  const cases: [string | undefined, string][] = [
    [undefined, "https://evil.example/"],
    [undefined, "//evil.example/"],
    ["javascript:alert(1)", ""],
    ["data:text/html,x", ""],
    ["http://evil.example/", ""],
    ["http://[", ""],
  ];
  const page = await site.open(nextForm("") + embedCode(service));
  await page.evaluate(() => Reflect.get(window, "handle").destroy());
  const navigations: string[] = [];
  page.on("request", (request) => {
    if (request.isNavigationRequest()) navigations.push(request.url());
  });
  page.on("dialog", (dialog) => navigations.push(dialog.message()));
  for (const [redirect, next] of cases) {
    const outcome = await page.evaluate(
      async ([formId, wanted, value]) => {
        document.querySelector("input")?.setAttribute("value", value);
        const handle = Reflect.get(window, "Sealpost").init(formId, wanted === undefined ? {} : { redirect: wanted });
        const result = await handle.submit();
        handle.destroy();
        // A navigation would have begun before the promise of this evaluation is kept.
        await new Promise((resolve) => requestAnimationFrame(resolve));
        return result;
      },
      [service.formId, redirect, next] as const,
    );
    assert.equal(outcome.sent, true);
    assert.deepEqual(navigations, [], redirect ?? next);
  }
});

test("after the back button the form can be used again", async () => {
  const page = await site.open(form + embedCode(service, { redirect: "/0" }));
  await page.click("button");
  await page.waitForURL(`${site.url}/0`);
  await page.goBack();
  await untilState(page, "idle");
  assert.ok(await page.isEnabled("button"));
  await page.fill("input", "again");
  await page.click("button");
  await page.waitForURL(`${site.url}/0`);
  assert.deepEqual(await service.opened(), [{ a: "1" }, { a: "again" }]);
});

test("restored from the back-forward cache, the button can be pressed at once", async () => {
  const page = await site.open(form + embedCode(service));
  await page.click("button");
  await untilState(page, "sent");
  await page.evaluate(() => dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true })));
  assert.equal(await untilState(page, "idle"), "");
  await page.click("button");
  await service.posted(2);
});

test("axe finds nothing to object to, in any state", async () => {
  const page = await site.open(
    `<main><h1>Contact</h1><form><label>Mail <input name="mail" type="email" required></label><span data-sealpost-error="mail"></span><button>Send</button></form></main>${embedCode(service)}`,
  );
  await page.click("button");
  await assertAccessible(page);
  await page.fill("input", "a@b.example");
  service.publicAnswer = () => ({ status: 404, body: {} });
  await page.click("button");
  await untilState(page, "error");
  await assertAccessible(page);
  service.publicAnswer = (body) => ({ body });
  await page.click("button");
  await untilState(page, "sent");
  await assertAccessible(page);
});

async function assertAccessible(page: Page): Promise<void> {
  const violations = await findViolations(page);
  assert.deepEqual(
    violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
    [],
  );
}

import assert from "node:assert/strict";
import { after, before, beforeEach, test } from "node:test";
import AxeBuilder from "@axe-core/playwright";
import type { Browser, Page } from "playwright-core";
import { embedCode, launchTestBrowser, scriptTag, startSite, type TestSite, untilState } from "../testing/browser.ts";
import { startService, type TestService } from "../testing/service.ts";

// Other people's pages: names that hide the browser's own, strict policies, forms that come and go, keyboards, readers.

let browser: Browser;
let service: TestService;
let site: TestSite;

before(async () => {
  [browser, service] = await Promise.all([launchTestBrowser(), startService()]);
  site = await startSite(browser);
});
beforeEach(async () => {
  await site.reset();
  service.reset();
});
after(async () => {
  await site.close();
  await service.close();
  await browser.close();
});

const form = `<form><label>A <input name="a" value="1"></label><button>Send</button></form>`;
const autoTag = (options: object = {}) =>
  scriptTag(
    service,
    `data-sealpost="${service.formId}" data-sealpost-options="${JSON.stringify(options).replaceAll('"', "&quot;")}"`,
  );

const clobbering = [
  ...["submit", "action", "method", "elements", "id", "name", "length", "children", "attributes", "__proto__"],
  ...["constructor", "toString", "hasOwnProperty", "addEventListener", "dispatchEvent", "setAttribute", "getAttribute"],
  ...[
    "querySelectorAll",
    "reset",
    "reportValidity",
    "noValidate",
    "after",
    "isConnected",
    "matches",
    "parentNode",
    "toJSON",
  ],
];

test("fields may have any name: those that hide the form's own members arrive like others", async () => {
  const inputs = clobbering.map((name) => `<input name="${name}" value="v-${name}">`).join("");
  const elements = [
    "Sealpost",
    "currentScript",
    "forms",
    "createElement",
    "head",
    "body",
    "readyState",
    "querySelectorAll",
  ]
    .map((name) => `<img name="${name}"><a id="${name}"></a><a id="${name}"></a>`)
    .join("");
  const page = await site.open(`${elements}<form>${inputs}<button>Send</button></form>${embedCode(service)}`);
  // Playwright's own functions are among those that such a page breaks.
  await page.evaluate(() =>
    HTMLElement.prototype.click.call(Document.prototype.querySelector.call(document, "button")),
  );
  await service.posted(1);
  const [fields = {}] = await service.opened();
  assert.deepEqual(
    Object.entries(fields),
    clobbering.map((name) => [name, `v-${name}`]),
  );
  assert.deepEqual(site.strays, []);
});

test("a frozen Object.prototype disturbs nothing", async () => {
  const page = await site.open(`<script>Object.freeze(Object.prototype)</script>${form}${embedCode(service)}`);
  await page.click("button");
  await untilState(page, "sent");
  assert.deepEqual(await service.opened(), [{ a: "1" }]);
});

test("on a page that allows the service's scripts and connections only, it runs without a single report", async () => {
  const policy = `default-src 'none'; script-src ${service.url}; connect-src ${service.url}; require-trusted-types-for 'script'; report-uri /violations`;
  const page = await site.open(form + autoTag({ messages: { sent: "<b>Done</b>" } }), {
    "content-security-policy": policy,
  });
  await page.click("button");
  assert.equal(await untilState(page, "sent"), "<b>Done</b>");
  // Control: the page does report what it forbids.
  const reported = page.waitForRequest(`${site.url}/violations`);
  await page
    .evaluate(() => {
      document.body.innerHTML += `<img src="data:image/png;base64,AA==">`;
    })
    .catch(() => undefined);
  await (await reported).response();
  assert.equal(site.violations.filter((report) => !/innerHTML|trusted-types|img-src|data/.test(report)).length, 0);
  assert.deepEqual(await service.opened(), [{ a: "1" }]);
});

test("the options of the script element are the options of init, and broken ones send nothing", async () => {
  const page = await site.open(form + autoTag({ resetOnSuccess: false, messages: { sent: "Merci" } }));
  await page.fill("input", "x");
  await page.click("button");
  assert.equal(await untilState(page, "sent"), "Merci");
  assert.equal(await page.inputValue("input"), "x");
  service.reset();
  const broken = await site.open(
    form + scriptTag(service, `data-sealpost="${service.formId}" data-sealpost-options="{keyFingerprint: 'x'}"`),
  );
  await broken.click("button");
  assert.match(await untilState(broken, "error"), /not set up correctly/);
  assert.deepEqual(service.posts, []);
});

test("init before the form, and a form that is added or replaced later, are bound all the same", async () => {
  const page = await site.open(`${embedCode(service)}${form}`);
  await page.click("button");
  await untilState(page, "sent");
  const later = await site.open(embedCode(service));
  for (const value of ["2", "3"]) {
    await later.evaluate((text) => {
      document.querySelector("form")?.remove();
      const added = document.createElement("form");
      added.innerHTML = `<input name="a" value="${text}"><button>Send</button>`;
      document.body.append(added);
    }, value);
    await untilState(later, "idle");
    await later.click("button");
    await untilState(later, "sent");
  }
  assert.deepEqual(await service.opened(), [{ a: "1" }, { a: "2" }, { a: "3" }]);
});

test("of several forms the marked or selected one is bound, never a guessed one", async () => {
  const two = (mark: string) =>
    `<form id="one" method="dialog"><button>One</button></form><form id="two" ${mark} method="dialog"><input name="b" value="2"><button>Two</button></form>`;
  for (const [html, options] of [
    [two(`data-sealpost="${service.formId}"`), {}],
    [two(""), { form: "#two" }],
  ] as const) {
    const page = await site.open(html + embedCode(service, options));
    assert.equal(await page.getAttribute("#one", "data-sealpost-state"), null);
    await page.click("text=Two");
    await untilState(page, "sent");
  }
  assert.deepEqual(await service.opened(), [{ b: "2" }, { b: "2" }]);
  service.reset();
  const messages: string[] = [];
  const page = await site.open(two("") + embedCode(service), {}, async (opened) => {
    opened.on("console", (message) => messages.push(message.text()));
  });
  await page.click("text=Two");
  assert.match(messages.join(), /several/);
  assert.deepEqual(service.posts, []);
});

test("a form is bound once, however often the snippet is pasted", async () => {
  const marked = form.replace("<form", `<form data-sealpost="${service.formId}"`);
  const page = await site.open(marked + embedCode(service) + embedCode(service) + autoTag());
  await page.click("button");
  await untilState(page, "sent");
  assert.equal(service.posts.length, 1);
});

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

test("text goes into the page's empty slots; what the author wrote there is shown as it is", async () => {
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

  const own = await site.open(
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
  assert.deepEqual(
    service.requests.filter(({ path }) => path.startsWith("/api")),
    [],
  );
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
    ["submit", { formId }],
    ["submit", { formId }],
    ["onError", "not_found"],
    ["error", { formId, code: "not_found", message: "Not sent: this form no longer exists." }],
    ["submit", { formId }],
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

test("redirect goes to this origin or to https, _next to this origin only, and neither anywhere else", async () => {
  const cases: [string | undefined, string, string | undefined][] = [
    ["/thanks?x=1", "", "/thanks?x=1"],
    [undefined, "/next", "/next"],
    [undefined, "https://evil.example/", undefined],
    [undefined, "//evil.example/", undefined],
    ["javascript:alert(1)", "", undefined],
    ["data:text/html,x", "", undefined],
    ["http://evil.example/", "", undefined],
    ["http://[", "", undefined],
    ["https://thanks.example/", "", "https://thanks.example/"],
  ];
  for (const [redirect, next, expected] of cases) {
    const page = await site.open(
      `<form><input type="hidden" name="_next" value="${next}"><button>Send</button></form>${embedCode(service, redirect === undefined ? {} : { redirect })}`,
    );
    const navigations: string[] = [];
    page.on("request", (request) => {
      if (request.isNavigationRequest()) navigations.push(request.url());
    });
    await page.route(/thanks|next|evil/, (route) => route.fulfill({ body: "there" }));
    await page.click("button");
    if (expected === undefined) {
      await untilState(page, "sent");
      // A navigation would have begun before the promise of this evaluation is kept.
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => resolve(null))));
      assert.deepEqual(navigations, [], redirect ?? next);
    } else await page.waitForURL(new URL(expected, page.url()).href);
    await page.close();
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
  const { violations } = await new AxeBuilder({ page }).analyze();
  assert.deepEqual(
    violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]),
    [],
  );
}

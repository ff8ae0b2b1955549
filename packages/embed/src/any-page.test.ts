import assert from "node:assert/strict";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { beforeEach, test } from "node:test";
import { buildModule } from "../build.ts";
import { embedCode, scriptTag, untilState } from "../testing/browser.ts";
import { startSiteAndService } from "../testing/site.ts";

// Other people's pages: names that hide the browser's own, strict policies, forms that come and go.

const { service, site } = await startSiteAndService();
beforeEach(async () => {
  await site.reset();
  service.reset();
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

test("a form whose fields have no names says no thank you for what is lost, and one that is a button alone is sent", async () => {
  const fields = `<label>Message <textarea>what would be lost</textarea></label><select><option>a</option></select>`;
  const page = await site.open(`<form>${fields}<button>Send</button></form>${embedCode(service)}`);
  await page.click("button");
  assert.equal(await untilState(page, "error"), "Not sent: this form is not set up correctly.");
  assert.equal(await page.inputValue("textarea"), "what would be lost");
  assert.equal(service.posts.length, 0);
  const button = await site.openNext(`<form><button>I agree</button></form>${embedCode(service)}`);
  await button.click("button");
  await untilState(button, "sent");
  assert.equal(service.posts.length, 1);
});

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
  assert.deepEqual(await service.opened(), [{ a: "1" }]);
  // Control, and the last of all reports: the page does report what it forbids.
  const reported = page.waitForRequest(`${site.url}/violations`);
  await page.evaluate(() => {
    new Image().src = "https://forbidden.example/";
  });
  await (await reported).response();
  assert.equal(site.violations.length, 1);
  assert.match(site.violations[0] ?? "", /forbidden\.example/);
});

test("the options of the script element are the options of init, and broken ones send nothing", async () => {
  const page = await site.open(form + autoTag({ resetOnSuccess: false, messages: { sent: "Merci" } }));
  await page.fill("input", "x");
  await page.click("button");
  assert.equal(await untilState(page, "sent"), "Merci");
  assert.equal(await page.inputValue("input"), "x");
  service.reset();
  const broken = await site.openNext(
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
  const later = await site.openNext(embedCode(service));
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
    const page = await site.openNext(html + embedCode(service, options));
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

const plain = (id: string, attributes = "") =>
  `<form id="${id}" ${attributes}><input name="${id}" value="secret"><button>Send ${id}</button></form>`;

test("a form with an action of its own is somebody else's: the one without is bound, and the other goes where it says", async () => {
  const page = await site.open(plain("search", 'action="/search"') + plain("contact") + embedCode(service));
  await page.click("text=Send contact");
  await untilState(page, "sent");
  assert.deepEqual(await service.opened(), [{ contact: "secret" }]);
  assert.deepEqual(site.strays, []);
  assert.equal(await page.getAttribute("#search", "data-sealpost-state"), null);
  await Promise.all([page.waitForURL("**/search?search=secret"), page.click("text=Send search")]);
});

test("an unmarked form that is posted to an address is left alone, and the page says where the snippet is that it is not protected", async () => {
  const unmarked = plain("contact", 'action="/old-backend" method="post"');
  const page = await site.open(unmarked + embedCode(service));
  const sentence = page.getByText("Not protected: mark this form with data-sealpost.");
  await sentence.waitFor();
  assert.equal(await sentence.evaluate((element) => element.previousElementSibling?.localName), "script");
  assert.equal(await page.getAttribute("form", "data-sealpost-state"), null);
  // Once it is marked, it is a form like any other.
  await page.evaluate((id) => document.querySelector("form")?.setAttribute("data-sealpost", id), service.formId);
  await untilState(page, "idle");
  assert.equal(await sentence.count(), 0);
  await page.click("text=Send contact");
  await untilState(page, "sent");
  assert.deepEqual(await service.opened(), [{ contact: "secret" }]);
  assert.deepEqual(site.strays, []);
  const left = await site.open(unmarked + embedCode(service));
  await Promise.all([left.waitForURL("**/old-backend"), left.click("text=Send contact")]);
  const got = await site.open(plain("contact", 'action="/find"') + embedCode(service));
  await untilState(got, "idle");
});

test("while two forms could be meant, both refuse visibly and neither leaves the page, until it is clear which one is", async () => {
  const resolutions = [
    (id: string) => document.querySelector("form")?.setAttribute("data-sealpost", id),
    () => document.querySelector("#newsletter")?.remove(),
  ];
  for (const resolve of resolutions) {
    const page = await site.openNext(plain("contact") + plain("newsletter", 'action="#"') + embedCode(service));
    const address = page.url();
    for (const id of ["contact", "newsletter"]) {
      await page.click(`text=Send ${id}`);
      await page.locator(`#${id}[data-sealpost-state="error"] + div [role="alert"]`, { hasText: "Not sent" }).waitFor();
    }
    assert.equal(page.url(), address);
    assert.deepEqual([service.posts, site.strays], [[], []]);
    await page.evaluate(resolve, service.formId);
    await page.locator('#contact[data-sealpost-state="idle"]').waitFor();
    assert.equal(await page.locator("#newsletter[data-sealpost-state]").count(), 0);
    await page.click("text=Send contact");
    await untilState(page, "sent");
    assert.deepEqual(await service.opened(), [{ contact: "secret" }]);
    service.reset();
  }
  // Control: without the embed, the browser puts the answers into an address.
  const bare = await site.openNext(plain("contact"));
  await Promise.all([bare.waitForURL("**/*?contact=secret"), bare.click("text=Send contact")]);
});

test("a form that the page's own script sends is left to it, even where several could be meant", async () => {
  const own = `<script>newsletter.addEventListener("submit", (event) => { event.preventDefault(); newsletter.dataset.own = "yes"; });</script>`;
  const page = await site.open(plain("contact") + plain("newsletter") + own + embedCode(service));
  await page.click("text=Send newsletter");
  await page.locator('#newsletter[data-own="yes"][data-sealpost-state="idle"]').waitFor();
  assert.deepEqual([service.posts, site.strays], [[], []]);
});

test("pasted twice, the snippet takes no second form", async () => {
  for (const contact of [plain("contact", `data-sealpost="${service.formId}"`), plain("contact")]) {
    const page = await site.openNext(contact + embedCode(service) + embedCode(service));
    await untilState(page, "idle");
    await page.evaluate((html) => document.body.insertAdjacentHTML("beforeend", html), plain("newsletter"));
    await page.click("text=Send contact");
    await untilState(page, "sent");
    assert.equal(await page.getAttribute("#newsletter", "data-sealpost-state"), null);
  }
});

test("a form is bound once, however often the snippet is pasted", async () => {
  const marked = form.replace("<form", `<form data-sealpost="${service.formId}"`);
  const page = await site.open(marked + embedCode(service) + embedCode(service) + autoTag());
  await page.click("button");
  await untilState(page, "sent");
  assert.equal(service.posts.length, 1);
});

test("as a module in a bundle, with the endpoint given, the embed does the same", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sealpost-module-"));
  await buildModule(folder);
  const page = await site.open(form);
  await page.route("**/module/*", async (route) => {
    const body = await readFile(join(folder, basename(new URL(route.request().url()).pathname)), "utf8");
    await route.fulfill({ contentType: "text/javascript", body });
  });
  const outcome = await page.evaluate(
    async ({ formId, endpoint }) => {
      const { init } = await import(`${location.origin}/module/index.js`);
      return init(formId, { endpoint, piiStrip: true }).submit();
    },
    { formId: service.formId, endpoint: `${service.url}/` },
  );
  await rm(folder, { recursive: true });
  assert.equal(outcome.sent, true);
  assert.deepEqual(await service.opened(), [{ a: "1" }]);
});

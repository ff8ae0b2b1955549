import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { findViolations } from "../../../../tests/support/axe.ts";
import { shareBrowser } from "../../../../tests/support/shared-browser.ts";
import { createForm } from "../forms/testing/test-form.ts";
import { onEither } from "../testing/test-database.ts";
import { createTestService } from "../testing/test-service.ts";

async function setUp(t: TestContext, settings: object = {}) {
  const service = await createTestService(t);
  const account = await service.signUp();
  const created = await account.request("POST", "/api/forms", {
    name: "Plain",
    settings: { encryption: false, ...settings },
  });
  const formId: string = created.body.form.id;
  const stored = async () => {
    const list = await account.request("GET", `/api/forms/${formId}/submissions`);
    return list.body.submissions.map(({ payload }: { payload: { fields: object } }) => payload.fields);
  };
  const post = (
    body: string | URLSearchParams | FormData | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {},
  ) =>
    fetch(`${service.url}/f/${formId}`, {
      method: "POST",
      redirect: "manual",
      body,
      headers: { origin: "https://example.com", ...headers },
    });
  return { service, account, formId, stored, post };
}

test("a form posted without script is stored, urlencoded and multipart alike", async (t) => {
  const { formId, stored, post } = await setUp(t);
  const fields: [string, string][] = [
    ["email", "a@b.c"],
    ["topics", "x"],
    ["topics", "y"],
    ["message", "Zoë 😀 & = + %"],
    ["_subject", "s"],
  ];
  const multipart = new FormData();
  for (const [name, value] of fields) multipart.append(name, value);
  for (const body of [new URLSearchParams(fields), multipart]) {
    const answer = await post(body);
    assert.equal(answer.status, 303);
    assert.equal(answer.headers.get("location"), `/f/${formId}/thanks`);
  }
  const expected = { email: "a@b.c", topics: ["x", "y"], message: "Zoë 😀 & = + %" };
  assert.deepEqual(await stored(), [expected, expected]);
});

test("a form of a page in another encoding is stored as it was typed, with and without _charset_", async (t) => {
  const { stored, post } = await setUp(t);
  // As Chromium and Firefox send them.
  const urlencoded = "application/x-www-form-urlencoded";
  const part = (name: string, value: string) =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const bodies: readonly (readonly [string, string, object])[] = [
    ["name=J%F6rg+M%FC%DFig%2C+5+%80&gr%F6%DFe=1", urlencoded, { name: "Jörg Müßig, 5 €", größe: "1" }],
    ["_charset_=windows-1252&name=J%F6rg", urlencoded, { name: "Jörg" }],
    ["name=%83%5C%83A&_charset_=Shift_JIS", urlencoded, { name: "ソア" }],
    ["_charset_=UTF-8&name=J%C3%B6rg", urlencoded, { name: "Jörg" }],
    ["_charset_=no+such&name=J%F6rg", urlencoded, { name: "Jörg" }],
    // Bytes that are UTF-8 as well, where they would mean something else.
    ["_charset_=windows-1252&name=%C3%A9%E2%82%AC", urlencoded, { name: "Ã©â‚¬" }],
    ["_charset_=GBK&name=%C4%A7%CA%A6", urlencoded, { name: "魔师" }],
    ["name=%1B%24B%25%3D%25%22%1B%28B&_charset_=ISO-2022-JP", urlencoded, { name: "ソア" }],
    ["_charset_=UTF-16LE&name=J%C3%B6rg", urlencoded, { name: "Jörg" }],
    [
      `${part("_charset_", "windows-1252")}${part("name", "\xc3\xa9")}--b--\r\n`,
      "multipart/form-data; boundary=b",
      { name: "Ã©" },
    ],
    [
      `${part("name", "J\xf6rg, 5 \x80")}${part("gr\xf6\xdfe", "1")}--b--\r\n`,
      "multipart/form-data; boundary=b",
      { name: "Jörg, 5 €", größe: "1" },
    ],
    [
      `${part("_charset_", "windows-1251")}${part("name", "\xcf\xe5\xf2\xf0")}--b--\r\n`,
      "multipart/form-data; boundary=b",
      { name: "Петр" },
    ],
  ];
  for (const [body, type, fields] of bodies) {
    const bytes = new Uint8Array(Buffer.from(body, "latin1"));
    const answer = await post(bytes, { "content-type": type });
    assert.equal(answer.status, 303, body);
    assert.deepEqual((await stored())[0], fields, body);
  }
});

test("_next leads back to the page's site and nowhere else", async (t) => {
  const { formId, post } = await setUp(t);
  const locate = async (next: string) =>
    (await post(new URLSearchParams({ a: "b", _next: next }))).headers.get("location");
  assert.equal(await locate("/thanks"), "https://example.com/thanks");
  assert.equal(await locate("https://evil.example/"), `/f/${formId}/thanks`);
  assert.equal(await locate("/a\r\nSet-Cookie: x=1"), `/f/${formId}/thanks`);
});

test("programs that ask for JSON get it, errors too", async (t) => {
  const { post, stored, service } = await setUp(t);
  const answer = await post(new URLSearchParams({ a: "b", _next: "/t" }), { accept: "application/json" });
  assert.equal(answer.status, 201);
  const body = (await answer.json()) as { success: boolean; next: string; submission: object };
  assert.deepEqual(Object.keys(body), ["success", "submission", "next"]);
  assert.equal(body.next, "https://example.com/t");
  const missing = await fetch(`${service.url}/f/form_nothing`, {
    method: "POST",
    body: new URLSearchParams(),
    headers: { accept: "application/json" },
  });
  assert.deepEqual(
    [missing.status, await missing.json()],
    [404, { error: "not_found", message: "Form not found", code: "form_not_found" }],
  );
  assert.equal((await stored()).length, 1);
});

/** Every name that is no answer, and two that are. */
const names = [
  ...readNames("ownControls"),
  ...["_subject", "cf-turnstile-response", "h-captcha-response", "g-recaptcha-response", "altcha", "__proto__", "a[]"],
];

function readNames(constant: string): readonly string[] {
  const source = readFileSync(join(import.meta.dirname, "html-form.ts"), "utf8");
  const [, list = "[]"] = new RegExp(`${constant} = new Set\\((\\[.*\\])\\)`).exec(source) ?? [];
  return JSON.parse(list);
}

for (const accept of ["text/html", "application/json"])
  test(`every success of a form's addresses has stored one submission, whatever was sent, by who wants ${accept}`, async (t) => {
    assert.ok(names.includes("_gotcha") && names.includes("_next"), "a control: the source was read");
    const service = await createTestService(t, { environment: { SEALPOST_SUBMIT_RATE: "0" } });
    const formId = await createForm(await service.signUp(), { encryption: false });
    const count = async () =>
      Number(
        (
          await service.database
            .selectFrom("submission")
            .select(({ fn }) => fn.countAll().as("all"))
            .executeTakeFirstOrThrow()
        ).all,
      );
    const outcomes = new Set<string>();
    async function send(path: string, init: RequestInit): Promise<void> {
      const before = await count();
      const answer = await fetch(service.url + path, { redirect: "manual", headers: { accept }, ...init });
      const text = await answer.text();
      const isSuccess = answer.status < 400 && answer.headers.get("location") !== `/f/${formId}/not-sent`;
      outcomes.add(`${init.method} ${isSuccess}`);
      const what = init.body instanceof FormData ? [...init.body] : init.body;
      assert.equal((await count()) - before, isSuccess ? 1 : 0, `${path} ${answer.status} ${what} ${text}`);
    }
    for (const name of names)
      for (const value of ["", "x"])
        for (const others of [[], [["message", "please help me"]]] as const) {
          const entries = [...others, [name, value]] as [string, string][];
          const multipart = new FormData();
          for (const [key, text] of entries) multipart.append(key, text);
          for (const body of [new URLSearchParams(entries), multipart])
            await send(`/f/${formId}`, { method: "POST", body });
          const query = new URLSearchParams(entries);
          for (const path of [`/f/${formId}`, `/f/${formId}/thanks`]) {
            await send(`${path}?${query}`, { method: "GET" });
            await send(`${path}/thanks`, { method: "POST", body: query });
          }
          const payload = { encrypted: false, version: "plain1", fields: Object.fromEntries(entries) };
          await send(`/api/forms/${formId}/submissions`, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ payload }),
          });
        }
    assert.deepEqual([...outcomes].sort(), ["GET false", "POST false", "POST true"]);
  });

test("a filled honeypot is refused with what to do, by a page after a redirect and by a code", async (t) => {
  const { post, stored } = await setUp(t);
  const body = () => new URLSearchParams({ a: "b", _gotcha: "canary" });
  const refused = await post(body());
  assert.equal(refused.status, 303);
  const page = await fetch(new URL(refused.headers.get("location") ?? "", refused.url));
  assert.match(await page.text(), /has to stay empty was filled in.*Back button.*Empty that field and send again/s);
  const answer = await post(body(), { accept: "application/json" });
  assert.deepEqual(
    [answer.status, ((await answer.json()) as { code: string }).code], // as the API answers
    [400, "html_form_trapped"],
  );
  assert.deepEqual(await stored(), []);
});

test(
  "in a browser: who fills in a honeypot that the page shows reads so, goes back, empties it and loses nothing; owners see it",
  onEither,
  async (t) => {
    const { service, account, formId, stored } = await setUp(t);
    const pageServer = createServer((_request, response) => {
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
      response.end(
        `<!doctype html><form method="post" action="${service.url}/f/${formId}"><input name="name"><input name="_gotcha"><button>Send</button></form>`,
      );
    });
    await new Promise<void>((resolve) => pageServer.listen(0, "127.0.0.1", resolve));
    t.after(() => pageServer.close());
    const browser = await shareBrowser();
    t.after(() => browser.close());
    const page = await (await browser.newContext()).newPage();
    const { port } = pageServer.address() as AddressInfo; // it listens on TCP
    await page.goto(`http://127.0.0.1:${port}/`);
    await page.locator("[name=name]").fill("Zoë");
    await page.locator("[name=_gotcha]").fill("0176 1234567");
    await page.getByRole("button").click();
    await page.getByRole("heading", { name: /has to stay empty/ }).waitFor();
    assert.deepEqual(await findViolations(page), []);
    assert.deepEqual(await stored(), []);
    await page.goBack();
    assert.equal(await page.locator("[name=name]").inputValue(), "Zoë");
    await page.locator("[name=_gotcha]").fill("");
    await page.getByRole("button").click();
    await page.getByRole("heading", { name: "Thank you" }).waitFor();
    assert.deepEqual(await stored(), [{ name: "Zoë" }]);
    const { form } = (await account.request("GET", `/api/forms/${formId}`)).body;
    assert.deepEqual(
      form.refusedVisitors.map(({ cause }: { readonly cause: string }) => cause),
      ["trapped"],
    );
  },
);

test("what cannot be accepted gets a page that says why, repeats nothing, and nothing is stored", async (t) => {
  const { service, account, post, stored } = await setUp(t, { allowedOrigins: ["https://example.com"] });
  const sealed = await account.request("POST", "/api/forms", { name: "Sealed" });
  const withFile = new FormData();
  withFile.append("cv", new File(["canary"], "cv.pdf"));
  const cases: [string, Promise<Response>, number, RegExp][] = [
    [
      "a sealed form",
      fetch(`${service.url}/f/${sealed.body.form.id}`, { method: "POST", body: new URLSearchParams({ a: "canary" }) }),
      400,
      /JavaScript/,
    ],
    ["a file", post(withFile), 400, /cannot take files/],
    [
      "another site",
      post(new URLSearchParams({ a: "canary" }), { origin: "https://evil.example" }),
      403,
      /not allowed the website/,
    ],
    [
      "no such form",
      fetch(`${service.url}/f/canary`, { method: "POST", body: new URLSearchParams({ a: "canary" }) }),
      404,
      /no such form/,
    ],
    [
      "broken multipart",
      post("canary", { "content-type": "multipart/form-data; boundary=x" }),
      400,
      /could not be read/,
    ],
    ["another type", post('{"a":"canary"}', { "content-type": "application/json" }), 415, /could not be read/],
    ["too much", post(new URLSearchParams({ a: "canary".repeat(200_000) })), 413, /too long/],
    [
      "too many fields",
      post(new URLSearchParams(Array.from({ length: 1001 }, (_, index) => [`f${index}`, "canary"]))),
      400,
      /too many fields/,
    ],
    ["one field too often", post(new URLSearchParams(Array(40_000).fill(["a", "canary"]))), 400, /too many fields/],
    [
      "underscores alone",
      post(new URLSearchParams({ _name: "canary", _next: "/canary" })),
      400,
      /names of all its fields begin with an underscore/,
    ],
    ["a look with the browser", fetch(`${service.url}/f/${sealed.body.form.id}`), 405, /filled in on its own page/],
    ["a form sent by GET", fetch(`${service.url}/f/${sealed.body.form.id}?a=canary`), 405, /needs JavaScript/],
  ];
  for (const [name, sending, status, text] of cases) {
    const answer = await sending;
    const page = await answer.text();
    assert.equal(answer.status, status, name);
    assert.match(page, text, name);
    assert.doesNotMatch(page, /canary/, name);
    assert.match(answer.headers.get("content-type") ?? "", /^text\/html/, name);
    assert.match(answer.headers.get("content-security-policy") ?? "", /^default-src 'none'; style-src 'sha256-/, name);
  }
  assert.deepEqual(await stored(), []);
});

test("personal data is stripped before a plain submission is written, from HTML forms and from JSON", async (t) => {
  const { service, formId, stored, post } = await setUp(t, { piiStrip: true });
  await post(new URLSearchParams({ message: "write to canary@example.com please" }));
  await service.request("POST", `/api/forms/${formId}/submissions`, {
    body: {
      payload: { encrypted: false, version: "plain1", fields: { message: "write to canary@example.com please" } },
    },
  });
  assert.deepEqual(await stored(), [{ message: "write to [EMAIL] please" }, { message: "write to [EMAIL] please" }]);
});

test(
  "in a browser: a form without script ends on a thank-you page that axe finds nothing wrong with",
  onEither,
  async (t) => {
    const { service, formId, stored } = await setUp(t);
    const pageServer = createServer((_request, response) => {
      response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
      response.end(
        `<!doctype html><form method="post" action="${service.url}/f/${formId}"><input name="name"><button>Send</button></form>`,
      );
    });
    await new Promise<void>((resolve) => pageServer.listen(0, "127.0.0.1", resolve));
    t.after(() => pageServer.close());
    const browser = await shareBrowser();
    t.after(() => browser.close());
    for (const colorScheme of ["light", "dark"] as const) {
      const context = await browser.newContext({ javaScriptEnabled: true, colorScheme });
      const page = await context.newPage();
      const errors: string[] = [];
      page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
      const { port } = pageServer.address() as AddressInfo; // it listens on TCP
      await page.goto(`http://127.0.0.1:${port}/`);
      await page.locator("input").fill("Zoë");
      await page.getByRole("button").click();
      await page.getByRole("heading", { name: "Thank you" }).waitFor();
      assert.deepEqual(await findViolations(page), []);
      if (process.env.SEALPOST_TEST_SCREENSHOT)
        await page.screenshot({ path: `${process.env.SEALPOST_TEST_SCREENSHOT}-${colorScheme}.png` });
      await page.goto(`${service.url}/f/${formId}`);
      assert.deepEqual(await findViolations(page), []);
      assert.deepEqual(
        errors.filter((text) => !text.includes("405")),
        [],
        "no policy is broken",
      );
      await context.close();
    }
    assert.deepEqual(await stored(), [{ name: "Zoë" }, { name: "Zoë" }]);
  },
);

test("in a browser: axe finds nothing wrong with any page that refuses a form", onEither, async (t) => {
  const { service, account, formId } = await setUp(t);
  const sealed = await account.request("POST", "/api/forms", { name: "Sealed" });
  const elsewhere = await account.request("POST", "/api/forms", {
    name: "Elsewhere",
    settings: { encryption: false, allowedOrigins: ["https://example.com"] },
  });
  const forms: [heading: RegExp, id: string, inside: string][] = [
    [/needs JavaScript/, sealed.body.form.id, ""],
    [/cannot be used on that website/, elsewhere.body.form.id, ""],
    [/no such form/, "form_nothing", ""],
    [/too long/, formId, `<textarea name="a">${"x".repeat(1_100_000)}</textarea>`],
  ];
  const pageServer = createServer((request, response) => {
    const [, id, inside] = forms[Number(request.url?.slice(1))] ?? [];
    response.writeHead(200, { "content-type": "text/html; charset=utf-8" });
    response.end(
      `<!doctype html><form method="post" action="${service.url}/f/${id}">${inside}<button>Send</button></form>`,
    );
  });
  await new Promise<void>((resolve) => pageServer.listen(0, "127.0.0.1", resolve));
  t.after(() => pageServer.close());
  const { port } = pageServer.address() as AddressInfo; // it listens on TCP
  const browser = await shareBrowser();
  t.after(() => browser.close());
  const page = await (await browser.newContext()).newPage();
  for (const [index, [heading]] of forms.entries()) {
    await page.goto(`http://127.0.0.1:${port}/${index}`);
    await page.getByRole("button").click();
    await page.getByRole("heading", { name: heading }).waitFor();
    assert.deepEqual(await findViolations(page), [], String(heading));
  }
});

for (const type of ["application/json", "text/plain", "application/xml", ""])
  test(`a post of the type ${JSON.stringify(type)} is refused with what a form's address takes`, async (t) => {
    const service = await createTestService(t);
    const formId = await createForm(await service.signUp(), { encryption: false });
    const response = await fetch(`${service.url}/f/${formId}`, {
      method: "POST",
      body: new TextEncoder().encode("a=1"),
      headers: { accept: "application/json", ...(type && { "content-type": type }) },
    });
    const { code, message } = (await response.json()) as { code: string; message: string };
    assert.deepEqual([response.status, code], [415, "form_encoding_expected"]);
    assert.match(message, /urlencoded or multipart/);
  });

for (const encryption of [false, true])
  for (const method of ["GET", "HEAD", "PUT", "DELETE", "PATCH"])
    for (const accept of ["application/json", "text/html"])
      for (const query of ["", "?a=1"])
        test(`${method} of a form's address${query}, ${encryption ? "sealed" : "plain"}, by who wants ${accept}, names what it knows, in the answer as in Allow`, async (t) => {
          const service = await createTestService(t);
          const formId = await createForm(await service.signUp(), { encryption });
          const response = await fetch(`${service.url}/f/${formId}${query}`, { method, headers: { accept } });
          assert.deepEqual([response.status, response.headers.get("allow")], [405, "OPTIONS, POST"]);
          const text = await response.text();
          if (method === "HEAD") return;
          assert.match(response.headers.get("content-type") ?? "", new RegExp(accept));
          if (accept !== "text/html") assert.equal(JSON.parse(text).message, "This address knows OPTIONS, POST");
        });

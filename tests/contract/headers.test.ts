import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createForm, postPlain } from "../../packages/server/src/forms/testing/test-form.ts";
import { createTestService } from "../../packages/server/src/testing/test-service.ts";
import { listRoutes } from "./operations.ts";

type Headers = Readonly<Record<string, string | string[] | number | undefined>>;

const environment = { SEALPOST_METRICS_TOKEN: "a-token-that-opens-the-metrics" };
const service = await createTestService({ after }, { environment });
const account = await service.signUp();
const formId = await createForm(account, { encryption: false });
const ids: Readonly<Record<string, string>> = {
  form_id: formId,
  submission_id: await postPlain(service, formId),
  file: /src="[^"]*\/embed\/([^"]+)"/.exec(await embedCode())?.[1] ?? assert.fail("the embed code names no script"),
};

async function embedCode(): Promise<string> {
  return (await account.request("GET", `/api/forms/${formId}`)).body.form.embedCode;
}

/** Routes that pages of any origin may read. Everything else is for our own pages and for programs. */
const isOpen = (route: string) =>
  /^(GET \/api\/forms\/\{form_id\}\/(public|keys\/log)|POST \/api\/forms\/\{form_id\}\/(submissions|keys\/refused)|\w+ \/f\/\S+|GET \/embed\/\S+)$/.test(
    route,
  ) || /^(?:GET|HEAD|OPTIONS) \/api\/openapi\.json$/.test(route);

const fixed: Readonly<Record<string, string | undefined>> = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=()",
  "access-control-allow-credentials": undefined,
  server: undefined,
  "x-powered-by": undefined,
};

/** Holds what every answer must have; `open` says whether pages of any origin may read it. */
function checkHeaders(headers: Headers, name: string, open: boolean, strict = headers["strict-transport-security"]) {
  // The dashboard alone may ask for the camera: it reads recovery sheets.
  const isDashboard = String(headers["content-security-policy"]).includes("trusted-types sealpost");
  for (const [header, value] of Object.entries(fixed))
    assert.equal(
      headers[header],
      isDashboard ? value?.replace("camera=()", "camera=(self)") : value,
      `${name}: ${header}`,
    );
  assert.match(String(headers["x-request-id"]), /^[0-9a-f-]{36}$/, name);
  assert.equal(headers["cross-origin-resource-policy"], open ? "cross-origin" : "same-origin", name);
  assert.equal(headers["access-control-allow-origin"], open ? "*" : undefined, `${name}: CORS`);
  assert.ok(headers["cache-control"] !== undefined, `${name}: says nothing about caches`);
  assert.equal(headers["strict-transport-security"], strict, `${name}: HSTS`);
  checkPolicy(String(headers["content-security-policy"]), headers, name);
}

/** Data may do nothing at all; a page may do what it says, but load nothing from elsewhere and run nothing that is inline. */
function checkPolicy(policy: string, headers: Headers, name: string): void {
  const directives = new Map(policy.split("; ").map((part) => [part.split(" ")[0], part.split(" ").slice(1)]));
  assert.deepEqual(directives.get("default-src"), ["'none'"], `${name}: ${policy}`);
  assert.deepEqual(directives.get("frame-ancestors"), ["'none'"], `${name}: ${policy}`);
  for (const [directive, sources = []] of directives)
    for (const source of sources) {
      const isNamed = directive === "trusted-types" || directive === "require-trusted-types-for";
      const isSandboxed = directive === "sandbox" && !["allow-scripts", "allow-same-origin"].includes(source);
      const isOwn =
        /^('none'|'self'|'sha256-[\w+/=]+')$/.test(source) || /^img-src (data|blob):$/.test(`${directive} ${source}`);
      assert.ok(isNamed || isSandboxed || isOwn, `${name}: ${directive} ${source}`);
    }
  if (!String(headers["content-type"]).startsWith("text/html")) return;
  for (const directive of ["base-uri", "form-action"]) assert.ok(directives.has(directive), `${name}: ${directive}`);
}

async function ask(method: string, url: string, headers: Record<string, string>, from = service) {
  const body = ["POST", "PUT", "PATCH"].includes(method) ? "{}" : undefined;
  const answer = await from.app.inject({
    method: method as "GET", // any method may be tried
    url,
    headers: { host: new URL(service.url).host, ...(body && { "content-type": "application/json" }), ...headers },
    ...(body && { payload: body }),
  });
  return { status: answer.statusCode, headers: answer.headers };
}

const routes = listRoutes(service.app);
const pathOf = (route: string) => route.slice(route.indexOf(" ") + 1);

const signOut = "POST /api/auth/sign-out";

test("every route answers with all headers, and to another site with none that changes what a browser keeps, no matter who asks: a stranger, its owner, another site, a browser", async () => {
  assert.ok(routes.length > 60);
  const askers: Readonly<Record<string, Record<string, string>>> = {
    stranger: {},
    owner: { authorization: `Bearer ${account.token}` },
    "another site": { origin: "https://evil.example", accept: "text/html", cookie: account.cookie },
    browser: { accept: "text/html", "accept-encoding": "gzip, br", "sec-fetch-site": "same-origin" },
  };
  const statuses = new Set<number>();
  for (const route of routes) {
    const [method = ""] = route.split(" ");
    const path = pathOf(route).replaceAll(/\{(\w+)\}/g, (_text, name: string) => ids[name] ?? "unknown");
    for (const [asker, headers] of Object.entries(askers)) {
      // Nothing is deleted: that wants a word more, or an id that is known.
      if ((method === "DELETE" || route === signOut) && asker === "owner") continue;
      const methods = method === "GET" ? ["GET", "HEAD"] : [method];
      for (const one of methods) {
        const answer = await ask(one, path, headers);
        statuses.add(answer.status);
        if (answer.status >= 400 || route !== signOut)
          assert.equal(answer.headers["clear-site-data"], undefined, `${one} ${path} by ${asker}: ${answer.status}`);
        if (asker === "another site")
          for (const header of ["set-cookie", "refresh"])
            assert.equal(answer.headers[header], undefined, `${one} ${path}: ${header} to ${asker}`);
        // A refused method says whom the address is for.
        const asked = answer.status === 405 ? routes.filter((other) => pathOf(other) === pathOf(route)) : [route];
        const what = `${one} ${path} by ${asker}: ${answer.status}`;
        checkHeaders(answer.headers, what, asked.some(isOpen), undefined);
      }
    }
  }
  for (const status of [200, 204, 400, 401, 404, 405]) assert.ok(statuses.has(status), `no answer was ${status}`);
});

test("a slash at the end of an API's path changes nothing, for who may ask and for who may not", async () => {
  const known = routes.filter((route) => /^(GET|PUT|PATCH) \/(api|f)\//.test(route));
  assert.ok(known.length > 30);
  for (const route of known) {
    const [method = ""] = route.split(" ");
    const path = pathOf(route).replaceAll(/\{(\w+)\}/g, (_text, name: string) => ids[name] ?? "unknown");
    for (const headers of [{}, { authorization: `Bearer ${account.token}` }]) {
      const [without, withSlash] = [await ask(method, path, headers), await ask(method, `${path}/?`, headers)];
      assert.equal(withSlash.status, without.status, route);
      assert.equal(withSlash.headers["content-type"], without.headers["content-type"], route);
    }
  }
});

test("what reaches no route has the same headers: unknown addresses, wrong methods, paths that are no text, redirects", async () => {
  const asked: readonly (readonly [string, string, number, boolean?])[] = [
    ["GET", "/nothing", 404],
    ["POST", "/api/nothing", 404],
    ["GET", "/api/forms/%ff", 400],
    ["GET", "/%", 400],
    ["PUT", "/api/forms", 405],
    ["PUT", "/api/api-keys", 405],
    ["DELETE", "/health/live", 405],
    ["OPTIONS", "/api/forms", 405],
    ["OPTIONS", "/api/api-keys", 405],
    ["PATCH", "/api/forms/form_1/public", 405, true],
    ["OPTIONS", "/api/forms/form_1/public", 204, true],
    ["OPTIONS", "/api/forms/form_1/submissions", 204, true],
    ["OPTIONS", "/f/form_1", 204, true],
    ["OPTIONS", "/embed/sealpost.js", 204, true],
    ["GET", "/embed/nothing.js", 404, true],
    ["GET", "/assets/nothing.js", 404],
    ["GET", "/docs/", 308],
    ["GET", "/docs/nothing", 404],
    ["GET", "/account/", 308],
  ];
  for (const accept of ["application/json", "text/html"])
    for (const [method, path, status, open = false] of asked) {
      const answer = await ask(method, path, { accept });
      const name = `${method} ${path} as ${accept}`;
      if (accept === "text/html") assert.equal(answer.status, status, name);
      checkHeaders(answer.headers, name, open, undefined);
    }
});

test("signing out tells the browser to forget what it kept, and no other answer does", async () => {
  const { cookie } = await service.signUp();
  const headers = { cookie, origin: new URL(service.url).origin };
  const answer = await ask("POST", "/api/auth/sign-out", headers);
  assert.deepEqual([answer.status, answer.headers["clear-site-data"]], [200, '"cache", "storage"']);
  checkHeaders(answer.headers, "sign-out", false, undefined);
  // A page that has deleted what has to go.
  const own = await service.signUp();
  const forgotten = { cookie: own.cookie, origin: new URL(service.url).origin, "sealpost-forgotten": "1" };
  assert.equal((await ask("POST", "/api/auth/sign-out", forgotten)).headers["clear-site-data"], '"cache"');
});

test("static files have the headers of every answer, and are kept by caches as long as their names say", async () => {
  const files = async (page: string, pattern: RegExp) => {
    const { body } = await service.request("GET", page, { headers: { accept: "text/html" } });
    return [...String(body).matchAll(pattern)].map(([, file]) => file ?? "");
  };
  const assets = [
    ...(await files("/", /"(\/assets\/[^"]+)"/g)),
    ...(await files("/docs", /"(\/docs\/assets\/[^"]+)"/g)),
  ];
  assert.ok(assets.length >= 6, assets.join(" "));
  for (const asset of assets) {
    const answer = await ask("GET", asset, {});
    assert.equal(answer.status, 200, asset);
    checkHeaders(answer.headers, asset, false, undefined);
    assert.match(String(answer.headers["cache-control"]), /^public, max-age=/, asset);
  }
});

test("under a public address with HTTPS every answer tells browsers to stay with it", async (t) => {
  const secure = await createTestService(t, {
    environment: { ...environment, SEALPOST_BASE_URL: "https://forms.example.com" },
  });
  for (const route of routes) {
    const [method = ""] = route.split(" ");
    const path = pathOf(route).replaceAll(/\{(\w+)\}/g, "unknown");
    const answer = await ask(method, path, {}, secure);
    checkHeaders(answer.headers, `${method} ${path}`, isOpen(route), "max-age=63072000");
  }
  for (const path of ["/nothing", "/%", "/docs/"])
    checkHeaders((await ask("GET", path, {}, secure)).headers, path, false, "max-age=63072000");
});

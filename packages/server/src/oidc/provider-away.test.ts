import assert from "node:assert/strict";
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { generate } from "selfsigned";
import { closeAtEnd } from "../testing/temporary-folder.ts";
import { createTestService } from "../testing/test-service.ts";
import { createFindTarget } from "../webhooks/webhook-target.ts";
import { createBoundedFetch } from "./bounded-fetch-client.ts";
import { createSignInBench } from "./testing/sign-in-bench.ts";
import { createTestBrowser } from "./testing/test-browser.ts";
import { startTestProvider } from "./testing/test-provider.ts";

const person = { sub: "ada", email: "ada@example.com", email_verified: true };

test("the service starts and serves without its provider, says so to who signs in, and needs no restart afterwards", async (t) => {
  const provider = await startTestProvider(t);
  const service = await createTestService(t, { environment: provider.environment });
  assert.deepEqual(provider.requests, []);
  await service.signUp();
  const browser = createTestBrowser(service);
  const begin = async () => {
    const { status, body } = await browser.post("/api/auth/oidc/sign-in");
    return `${status} ${body.code ?? ""}`;
  };
  assert.equal(await begin(), "503 identity_provider_away");
  // Passwords continue to work.
  const signIn = { email: "person-1@example.com", password: "correct horse battery" };
  assert.equal((await browser.post("/api/auth/sign-in/email", signIn)).status, 200);
  await provider.admit(service.url);
  provider.person = person;
  assert.equal((await createTestBrowser(service).signIn()).pathname, "/");
  // Its document is good for an hour: going away costs nobody more than their own sign-in.
  const answer = await browser.fetchAnswer();
  provider.intercept = (_request, response) => {
    response.writeHead(502).end();
    return true;
  };
  assert.equal((await browser.go(answer.href)).searchParams.get("oidc"), "away");
  provider.intercept = undefined;
  assert.equal((await createTestBrowser(service).signIn()).pathname, "/");
});

test("a provider that is another than the configured one, or answers what it should not, is not used", async (t) => {
  const { provider, service } = await createSignInBench(t);
  let document: (own: Readonly<Record<string, unknown>>) => object | string = (own) => own;
  const own = { ...Object(await (await fetch(`${provider.issuer}/.well-known/openid-configuration`)).json()) };
  provider.intercept = (request, response) => {
    if (!request.url?.startsWith("/.well-known")) return false;
    const answer = document(own);
    response.writeHead(200, { "content-type": "application/json" });
    response.end(typeof answer === "string" ? answer : JSON.stringify(answer));
    return true;
  };
  const browser = createTestBrowser(service);
  const begin = async () => {
    const { status, body } = await browser.post("/api/auth/oidc/sign-in");
    return `${status} ${body.code ?? ""}`;
  };
  const wrong = "503 identity_provider_misconfigured";
  document = () => ({ ...own, issuer: "https://other.example" });
  assert.equal(await begin(), wrong);
  document = () => ({ ...own, issuer: `${provider.issuer}/` });
  assert.equal(await begin(), wrong);
  document = () => "<html>";
  assert.equal(await begin(), wrong);
  document = () => ({ ...own, padding: "a".repeat(2_000_000) });
  assert.equal(await begin(), wrong);
  provider.intercept = (_request, response) => {
    response.writeHead(302, { location: `${service.url}/health` }).end();
    return true;
  };
  assert.equal(await begin(), wrong);
});

test("the address that was checked is the one that is asked, whatever the name leads to a moment later", async (t) => {
  const certificate = await generate([{ name: "commonName", value: "token.example" }], {
    extensions: [{ name: "subjectAltName", altNames: [{ type: 2, value: "token.example" }] }],
  });
  const asked: string[] = [];
  const server = createSecureServer({ key: certificate.private, cert: certificate.cert }, async (request, response) => {
    asked.push(`${request.method} ${request.headers.host} ${await text(request)}`);
    if (request.url === "/long") response.end("a".repeat(2_000_000));
    else response.writeHead(200, { "content-type": "application/json" }).end('{"keys":[]}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closeAtEnd(t, async () => void server.close());
  const address = server.address();
  const origin = `https://token.example:${typeof address === "object" ? address?.port : 0}`;
  // Nobody else knows the name: were it asked of the system as well, there would be no connection.
  const questions: string[] = [];
  const resolve = async (name: string) => {
    questions.push(name);
    return ["127.0.0.1"];
  };
  const loopback = createFindTarget([{ address: "127.0.0.0", bits: 8 }], resolve);
  const ask = createBoundedFetch("https://id.example", loopback, { ca: certificate.cert });
  const body = new URLSearchParams({ code: "1" });
  const answer = await ask(`${origin}/token`, { method: "POST", headers: { accept: "application/json" }, body });
  assert.deepEqual([answer.status, await answer.json()], [200, { keys: [] }]);
  assert.deepEqual(asked, [`POST ${new URL(origin).host} code=1`]);
  assert.deepEqual(questions, ["token.example"]);
  await assert.rejects(ask(`${origin}/long`, { method: "GET", headers: {} }), { code: "misconfigured" });
});

test("what the provider's document names elsewhere is asked at public addresses and over HTTPS alone", async (t) => {
  let asked = 0;
  const inside = createServer((_request, response) => {
    asked += 1;
    response.end("secret");
  });
  await new Promise<void>((resolve) => inside.listen(0, "127.0.0.1", resolve));
  closeAtEnd(t, async () => void inside.close());
  const address = inside.address();
  const port = typeof address === "object" ? address?.port : 0;
  const resolve = async () => ["10.0.0.7"];
  const ask = createBoundedFetch("https://id.example", createFindTarget([], resolve));
  const options = { method: "POST", headers: {}, body: "code" };
  for (const url of [
    `http://127.0.0.1:${port}/token`,
    `https://127.0.0.1:${port}/token`,
    "http://169.254.169.254/latest/meta-data",
    "https://inside.example/token",
    "file:///etc/passwd",
  ])
    await assert.rejects(ask(url, options), { code: "misconfigured" }, url);
  assert.equal(asked, 0);
  // The issuer's own origin may be anywhere: the operator named it. One that never answers is given up.
  const silent = createServer(() => {});
  await new Promise<void>((done) => silent.listen(0, "127.0.0.1", done));
  closeAtEnd(t, async () => {
    silent.closeAllConnections();
    silent.close();
  });
  const own = silent.address();
  const issuer = `http://127.0.0.1:${typeof own === "object" ? own?.port : 0}`;
  const patient = createBoundedFetch(issuer, createFindTarget([]), { milliseconds: 50 });
  await assert.rejects(patient(`${issuer}/x`, { method: "GET", headers: {}, body: undefined }), {
    name: "TimeoutError",
  });
});

import assert from "node:assert/strict";
import { once } from "node:events";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { formatPersonalKey } from "@sealpost/envelope";
import { samplePairs } from "../../../tests/support/sample.ts";
import { createFounder } from "../../server/src/organizations/testing/test-member-list.ts";
import { createTestService } from "../../server/src/testing/test-service.ts";
import { createCommandLine } from "./testing/run-command-line.ts";

/** Ways to treat the answer to a changing request, when the service has done what was asked. */
const proxies = {
  /** As Istio by default, HAProxy with `retry-on all-retryable-errors`, nginx with `non_idempotent`. */
  "asks twice and gives the second answer": { asks: 2 },
  "loses the answer": { asks: 1, answer: "nothing" },
  "answers 403 in its own words": { asks: 1, answer: "its own" },
} as const;

interface Proxy {
  readonly asks: number;
  readonly answer?: "nothing" | "its own";
  /** Whether nothing gets through any more after that. */
  readonly closes?: boolean;
}

/** In front of a service; `isMeant` says which changing requests it treats so. */
async function startProxy(t: TestContext, target: string, proxy: Proxy, isMeant: (path: string) => boolean) {
  let isClosed = false;
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const refuse = () => response.writeHead(403, { "content-type": "text/html" }).end("<h1>Forbidden</h1>");
    if (isClosed) return void refuse();
    const ask = () => forward(target, request, body);
    const isChange = request.method !== "GET" && isMeant(request.url ?? "");
    if (isChange && proxy.asks === 2) await ask();
    const answer = await ask();
    isClosed ||= isChange && proxy.closes === true;
    if (isChange && proxy.answer === "nothing") return void response.destroy();
    if (isChange && proxy.answer === "its own") return void refuse();
    response.writeHead(answer.status, answer.headers).end(answer.body);
  }).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // a TCP server that listens
}

const ofTheConnection = ["host", "connection", "keep-alive", "content-length", "content-encoding", "transfer-encoding"];

async function forward(target: string, { method = "GET", url, headers }: IncomingMessage, body: Buffer) {
  const sent = Object.entries(headers).filter(([name]) => !ofTheConnection.includes(name)) as [string, string][]; // none comes twice here
  const content = body.length > 0 ? { body: new Uint8Array(body) } : {};
  const answer = await fetch(target + url, { method, headers: sent, ...content });
  const received = [...answer.headers].filter(([name]) => !ofTheConnection.includes(name));
  return {
    status: answer.status,
    headers: Object.fromEntries(received),
    body: new Uint8Array(await answer.arrayBuffer()),
  };
}

/** Each command that writes a key file, on the form that it may need. */
const commands = {
  "forms create": { needsForm: false, isMeant: (path: string) => path === "/api/forms" },
  "forms rotate": { needsForm: true, isMeant: (path: string) => path.endsWith("/rotate-keys") },
};

// In `npm test` each proxy stands before one of the commands.
for (const [[name, { needsForm, isMeant }], [what, proxy]] of samplePairs(
  Object.entries(commands),
  Object.entries(proxies),
))
  test(`behind a proxy that ${what}, ${name} with a key file ends well, keeps the private key of what the service has, and makes it once`, async (t) => {
    const service = await createTestService(t);
    const { token, request } = await service.signUp();
    const { run, folder } = createCommandLine(t);
    const direct = { SEALPOST_URL: service.url, SEALPOST_TOKEN: token };
    const form = needsForm ? (await run(["forms", "create", "Contact"], { environment: direct })).output.trim() : "";
    const environment = { ...direct, SEALPOST_URL: await startProxy(t, service.url, proxy, isMeant) };
    const ran = await run([...name.split(" "), needsForm ? form : "Contact", "--json"], { environment });
    assert.equal(ran.code, 0, ran.errors);

    const { forms } = (await request("GET", "/api/forms")).body;
    assert.equal(forms.length, 1);
    const { keys } = (await request("GET", `/api/forms/${forms[0].id}/keys`)).body;
    assert.equal(keys.length, needsForm ? 2 : 1);
    const files = (await readdir(folder)).filter((file) => file.endsWith(".key.json"));
    const kept = await Promise.all(files.map(async (file) => JSON.parse(await readFile(join(folder, file), "utf8"))));
    assert.deepEqual(
      kept.map(({ formId, keyVersion, fingerprint }) => [formId, keyVersion, fingerprint]).toSorted(),
      keys
        .map(({ version, fingerprint }: { version: number; fingerprint: string }) => [
          forms[0].id,
          version,
          fingerprint,
        ])
        .toSorted(),
    );
    const shown = JSON.parse(ran.output);
    assert.deepEqual([shown.id, shown.publicKey], [forms[0].id, keys[0].publicKey]);
  });

const proxiesOfPrograms = Object.entries({
  ...proxies,
  "answers 403 in its own words, then and to all that follows": { asks: 1, answer: "its own", closes: true } as const,
});
for (const [[name, { needsForm, isMeant }], [what, proxy]] of samplePairs(Object.entries(commands), proxiesOfPrograms))
  test(`behind a proxy that ${what}, ${name} with an envelope makes it once, and what was not answered is finished by the next run`, async (t) => {
    const service = await createTestService(t);
    const { account, client, key } = await createFounder(service, await service.signUp());
    const { run, folder } = createCommandLine(t);
    await writeFile(join(folder, "key.txt"), formatPersonalKey(key), { mode: 0o600 });
    const permissions = ["forms:read", "forms:write", "submissions:read"];
    const made = await account.request("POST", "/api/api-keys", { name: "Writing", permissions });
    const direct = { SEALPOST_URL: service.url, SEALPOST_TOKEN: made.body.key.key as string };
    const create = ["forms", "create", "Press", "--identity", "key.txt"];
    const form = needsForm ? (await run(create, { environment: direct })).output.trim() : "";
    const command = needsForm ? ["forms", "rotate", form, "--identity", "key.txt"] : create;
    const environment = { ...direct, SEALPOST_URL: await startProxy(t, service.url, proxy, isMeant) };
    const ran = await run(command, { environment });
    assert.equal(ran.code === 0, !("closes" in proxy), ran.errors);
    if (ran.code !== 0) {
      const next = await run(command, { environment: direct });
      assert.equal(next.code, 0, next.errors);
      assert.match(next.errors, /An earlier run that was cut off/);
    }

    const proofs: unknown[] = [];
    let formId = "";
    for await (const form of client.forms.all()) {
      proofs.push(form.keyProof);
      formId = form.id;
    }
    assert.deepEqual(proofs, ["proved"]);
    assert.equal((await client.forms.keys(formId)).length, needsForm ? 2 : 1);
  });

test("a proxy's own refusal, where the service can't be asked either, takes no key file", async (t) => {
  const server = createServer(async (request, response) => {
    await buffer(request);
    if (request.url?.endsWith("/reservations"))
      return void response
        .writeHead(201, { "content-type": "application/json" })
        .end(JSON.stringify({ formId: "form_01", expiresAt: 0 }));
    response.writeHead(403, { "content-type": "text/html" }).end("<h1>Forbidden</h1>");
  }).listen(0, "127.0.0.1");
  t.after(() => server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo; // a TCP server that listens
  const { run, folder } = createCommandLine(t);
  const environment = { SEALPOST_URL: `http://127.0.0.1:${port}`, SEALPOST_TOKEN: "sp_token" };
  const { code, errors } = await run(["forms", "create", "Contact"], { environment });
  assert.equal(code, 3);
  assert.match(errors, /not known whether the server accepted the key: the private key stays in/);
  assert.deepEqual(await readdir(folder), ["sealpost-contact-v1.key.json"]);
});

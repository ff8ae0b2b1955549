import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { createReceiver } from "@sealpost/sdk";
import { createId, type FormId, generateHybridKeyPair, sealHybrid } from "@sealpost/wire";
import { insertSubmissions } from "../../server/src/testing/insert-submissions.ts";
import { createTemporaryFolder } from "../../server/src/testing/temporary-folder.ts";
import type { TestAccount } from "../../server/src/testing/test-service.ts";
import { createAuthority, startReceiver } from "../../server/src/webhooks/testing/receiver.ts";
import { createForm, listen, pair, startHttpReceiver } from "./testing/listening.ts";

test("what is posted is what the service sends: the same bytes, the same headers, and a signature that verifies", async (t) => {
  const authority = await createAuthority();
  const arrived = Promise.withResolvers<void>();
  const real = await startReceiver(t, {
    certificate: authority.good,
    answer: (_request, response) => {
      response.writeHead(204).end();
      arrived.resolve();
    },
  });
  const { service, account, formId, submit } = await createForm(
    t,
    { webhookUrl: real.url },
    { deliveries: { ca: authority.ca }, environment: { SEALPOST_WEBHOOK_ALLOW_NETWORKS: "127.0.0.0/8" } },
  );
  const { secret } = (await account.request("GET", `/api/forms/${formId}/webhook-secret`)).body;
  const local = await startHttpReceiver(t);
  const secretFile = join(createTemporaryFolder(t), "secret");
  writeFileSync(secretFile, `${secret}\n`);
  const listening = await listen(t, service.url, account.token, [
    ...["--form", formId, "--forward", local.url, "--secret-file", secretFile, "--key", "key.json"],
  ]);
  await submit({ name: "Zoë 😀\u001b[2J\u202e" });
  await listening.errors.until((text) => text.includes("answered with 204"));
  await arrived.promise;
  const [theirs, ours] = [real.requests[0], local.requests[0]];
  assert.ok(theirs && ours);
  assert.equal(ours.body.toString(), theirs.body.toString());
  const own = ["host", "x-service-delivery-id", "webhook-id", "webhook-timestamp", "webhook-signature"];
  const comparable = (headers: object) =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => !own.includes(name)));
  assert.deepEqual(Object.keys(ours.headers), Object.keys(theirs.headers));
  assert.deepEqual(comparable(ours.headers), comparable(theirs.headers));
  const receiver = await createReceiver({ secrets: secret, privateKeys: [pair.privateKey] });
  const received = await receiver.receive({ headers: ours.headers, body: ours.body });
  assert.ok(received.verified && received.event.event === "submission.created" && received.event.opened.opened);
  const [line] = listening.output.lines();
  assert.deepEqual([line.status, line.fields], ["opened", { name: "Zoë 😀\u001b[2J\u202e" }]);
  assert.deepEqual(line.body, JSON.parse(ours.body.toString()));
  assert.equal(line.rawBody, ours.body.toString());
  assert.equal((await receiver.receive({ headers: line.headers, body: line.rawBody })).verified, true);
  assert.equal(line.headers["X-Service-Delivery-Id"], ours.headers["x-service-delivery-id"]);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  assert.doesNotMatch(listening.output.text(), /[\u0000-\u0009\u000b-\u001f\u202e]/, "nothing acts on the terminal");
});

test("a hybrid key next to the form's own that the key file does not have is named at the start, and when something was sealed to it", async (t) => {
  const { service, account } = await createForm(t);
  const foreign = await generateHybridKeyPair();
  const keys = { publicKey: pair.publicKey, hybridPublicKey: foreign.publicKey };
  const { form } = (await account.request("POST", "/api/forms", { name: "Contact", ...keys })).body;
  const formId: FormId = form.id;
  const listening = await listen(t, service.url, account.token, ["--form", formId, "--key", "key.json"]);
  assert.match(listening.errors.text(), /names a hybrid key for version 1 that is not in this key file/);
  for (let count = 1; count <= 2; count++) {
    const id = createId("submission");
    const payload = await sealHybrid({ count }, { formId, keyVersion: 1, submissionId: id }, foreign.publicKey);
    const body = { id, payload, keyVersion: 1 };
    assert.equal((await service.request("POST", `/api/forms/${formId}/submissions`, { body })).status, 201);
    await listening.count(count);
  }
  await listening.stop();
  assert.deepEqual(
    listening.output.lines().map(({ status }) => status),
    ["no_key", "no_key"],
  );
  assert.equal(listening.errors.text().split("Sealed to a hybrid key of version 1").length, 2, "once");
});

test("Ctrl-C ends it with 0; without a secret, one is made and shown, and it signs", async (t) => {
  const { service, account, formId, submit } = await createForm(t);
  await submit({ n: 0 });
  const local = await startHttpReceiver(t);
  const listening = await listen(t, service.url, account.token, ["--form", formId, "--forward", local.url]);
  await submit({ n: 1 });
  await listening.errors.until((text) => text.includes("answered with 204"));
  assert.equal(await listening.stop(), 0);
  const secret = /made for this run: (whsec_\S+)$/m.exec(listening.errors.text())?.[1] ?? "";
  const receiver = await createReceiver({ secrets: secret, privateKeys: [pair.privateKey] });
  const [request] = local.requests;
  assert.ok(request);
  assert.equal((await receiver.receive(request)).verified, true);
  assert.match(listening.errors.text(), /\n1 submission\n$/, "what was there before is not new");
});

test("each submission comes once, also one that becomes visible after newer ones", async (t) => {
  const { service, account, formId, submit } = await createForm(t);
  const listening = await listen(t, service.url, account.token, ["--form", formId]);
  const ids: string[] = [];
  /** As a slower transaction of another process would: received before what is visible already. */
  const insertLate = async (): Promise<string> => {
    const id = createId("submission");
    const payload = { version: "plain1", fields: {} } as const;
    const row = { formId, id, keyVersion: 1, payload, timestamp: 0, receivedAt: Date.now() - 5000 };
    await insertSubmissions(service.database, [row]);
    return id;
  };
  for (let round = 1; round <= 5; round++) {
    ids.push(await submit({ round }), await submit({ round }));
    await listening.count(3 * round - 1);
    ids.push(await insertLate());
    await listening.count(3 * round);
  }
  // More at once than one look takes.
  ids.push(...(await Promise.all(Array.from({ length: 120 }, (_, n) => submit({ n })))));
  await listening.count(ids.length);
  await listening.stop();
  const seen = listening.output.lines().map(({ body }) => body.submission.id);
  assert.deepEqual(seen.toSorted(), ids.toSorted());
});

test("a receiver that fails is posted the same again, six times at most; one that refuses is not", async (t) => {
  const { service, account, formId, submit } = await createForm(t);
  const statuses = [500, 429, 204, 400, ...Array(6).fill(503), 302, 204];
  const local = await startHttpReceiver(
    t,
    (response, count) => void response.writeHead(statuses[count - 1] ?? 599).end(),
  );
  const listening = await listen(t, service.url, account.token, ["--form", formId, "--forward", local.url]);
  for (let n = 0; n < 5; n++) await submit({ n });
  await listening.errors.until(
    (text) => text.includes("answered with 302") && text.split("answered with 204").length > 2,
  );
  assert.equal(local.requests.length, statuses.length);
  const ids = local.requests.map(({ headers }) => headers["x-service-delivery-id"]);
  assert.deepEqual(
    [...Map.groupBy(ids, (id) => id).values()].map((same) => same.length),
    [3, 1, 6, 1, 1],
  );
  assert.deepEqual(local.requests[2]?.body, local.requests[0]?.body);
  const { errors } = listening;
  assert.match(errors.text(), /answered with 400 after \d+ ms, which ends it: no further attempt\n/);
  assert.match(errors.text(), /answered with 503 after \d+ ms, given up after six attempts\n/);
});

test("while nobody listens everything waits, and arrives once somebody does", async (t) => {
  const { service, account, formId, submit } = await createForm(t);
  const first = await startHttpReceiver(t);
  first.server.close();
  await once(first.server, "close");
  const listening = await listen(t, service.url, account.token, ["--form", formId, "--forward", first.url]);
  const ids = [await submit({ n: 1 }), await submit({ n: 2 })];
  await listening.errors.until((text) => text.includes("Nothing is listening"));
  const arrived: string[] = [];
  const server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    arrived.push(JSON.parse(Buffer.concat(chunks).toString()).submission.id);
    response.writeHead(204).end();
  }).listen(first.port, "127.0.0.1");
  t.after(() => server.close());
  await listening.errors.until((text) => text.split("answered with 204").length > 2);
  assert.deepEqual(arrived, ids);
  await listening.stop();
});

test("a server that is away for a while, or breaks off in an answer, costs nothing", async (t) => {
  const { service, account, formId, submit } = await createForm(t);
  let mode: "well" | "away" | "cut" = "well";
  const proxy = createServer(async (request, response) => {
    if (mode === "away") return void response.writeHead(503).end("{}");
    const { authorization = "" } = request.headers;
    const answer = await fetch(service.url + request.url, { headers: { authorization } });
    const text = await answer.text();
    if (mode === "well" || !request.url?.includes("/export")) return void response.writeHead(answer.status).end(text);
    response.write(text.slice(0, text.length * 0.6), () => response.destroy());
  }).listen(0, "127.0.0.1");
  t.after(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  await once(proxy, "listening");
  const { port } = proxy.address() as AddressInfo; // listening on TCP
  const listening = await listen(t, `http://127.0.0.1:${port}`, account.token, ["--form", formId]);
  const ids: string[] = [];
  for (const next of ["away", "cut"] as const) {
    const before = listening.errors.text().length;
    mode = next;
    for (let n = 0; n < 5; n++) ids.push(await submit({ n }));
    await listening.errors.until((text) => text.slice(before).includes("Asking again until it answers"));
    mode = "well";
    await listening.count(ids.length);
  }
  await listening.stop();
  assert.deepEqual(
    listening.output.lines().map(({ body }) => body.submission.id),
    ids,
  );
});

test("a key with submissions:read alone is enough; the form's name is then its id", async (t) => {
  const { service, account, formId, submit } = await createForm(t);
  const made = await account.request("POST", "/api/api-keys", { name: "reader", permissions: ["submissions:read"] });
  const listening = await listen(t, service.url, made.body.key.key, ["--form", formId]);
  await submit({ n: 1 });
  await listening.count(1);
  assert.deepEqual(listening.output.lines()[0].body.form, { id: formId, name: formId });
});

test("a wrong secret, address, key, form or credential ends it before anything is listened to", async (t) => {
  const { service, account, formId } = await createForm(t);
  const codeOf = async (form: string, parameters: string[], who: Pick<TestAccount, "token"> = account) => {
    const { ended, errors } = await listen(t, service.url, who.token, ["--form", form, ...parameters]);
    return { code: await ended, errors: errors.text() };
  };
  const wrong = await codeOf(formId, ["--secret", "whsec_!!"]);
  assert.equal(wrong.code, 2);
  assert.doesNotMatch(wrong.errors, /whsec_!!/);
  const secretFile = join(createTemporaryFolder(t), "secret");
  writeFileSync(secretFile, "whsec_!!");
  for (const given of [[secretFile], ["none"], [secretFile, "--secret", "whsec_!!"]]) {
    const { code, errors } = await codeOf(formId, ["--secret-file", ...given]);
    assert.equal(code, 2, errors);
    assert.match(errors, /--secret-file|cannot be read/);
    assert.doesNotMatch(errors, /whsec_!!/);
  }
  for (const url of [
    "https://localhost:1/",
    "http://192.168.0.1/",
    "http://localhost.example.org/",
    "http://a@localhost/",
    "x",
  ])
    assert.equal((await codeOf(formId, ["--forward", url])).code, 2, url);
  assert.equal((await codeOf(formId, ["--key", "none.json"])).code, 2);
  for (const interval of ["0", "x", "-1", "3601"])
    assert.equal((await codeOf(formId, ["--interval", interval])).code, 2);
  assert.equal((await codeOf(createId("form"), [])).code, 4);
  assert.equal((await codeOf(formId, [], { token: "sp_none" })).code, 3);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { createId, type FormId, fingerprint, seal } from "@sealpost/wire";
import { takeKeyPair } from "../../../../tests/support/key-pairs.ts";
import { silentWebhooks, webhookUrl } from "../forms/testing/test-form.ts";
import { findBodies } from "../outbox/event-body.ts";
import { insertSubmissions } from "../testing/insert-submissions.ts";
import { createTestService, type TestAccount } from "../testing/test-service.ts";

const pair = takeKeyPair();

async function createForm(account: TestAccount, settings: object = {}): Promise<string> {
  const { body } = await account.request("POST", "/api/forms", {
    name: createId("form"),
    settings,
    publicKey: pair.publicKey,
  });
  return body.form.id;
}

async function sealed(formId: string, fields = { message: "hello" }, keyVersion = 1) {
  const id = createId("submission");
  const binding = { formId: formId as `form_${string}`, keyVersion, submissionId: id };
  return { id, keyVersion, payload: await seal(fields, binding, pair.publicKey), timestamp: 1_700_000_000_000 };
}

test("a sealed submission is stored as it came and listed newest first", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const formId = await createForm(account);
  const posted = [await sealed(formId), await sealed(formId), await sealed(formId)];
  for (const body of posted) {
    const answer = await service.request("POST", `/api/forms/${formId}/submissions`, { body });
    assert.equal(answer.status, 201);
    assert.deepEqual(Object.keys(answer.body.submission), ["id", "timestamp", "receivedAt"]);
    assert.equal(answer.headers.get("access-control-allow-origin"), "*");
  }
  const list = await account.request("GET", `/api/forms/${formId}/submissions`);
  assert.equal(list.body.total, 3);
  assert.deepEqual(
    list.body.submissions.map(
      ({ receivedAt, formId: _formId, ...rest }: { receivedAt: number; formId: string }) => rest,
    ),
    posted.toReversed().map(({ id, payload, keyVersion, timestamp }) => ({ id, payload, keyVersion, timestamp })),
  );
  const one = await account.request("GET", `/api/forms/${formId}/submissions/${posted[0]?.id}`);
  assert.deepEqual(one.body.submission.payload, posted[0]?.payload);
  const forms = await account.request("GET", "/api/forms");
  assert.equal(forms.body.forms[0].submissionCount, 3);
});

test("halves of surrogate pairs in a plain submission are stored, listed and delivered as U+FFFD, and a retry is the same", async (t) => {
  const service = await createTestService(t, { deliveries: silentWebhooks });
  const account = await service.signUp();
  const formId = await createForm(account, { encryption: false, webhookUrl });
  const fields = String.raw`{"cut\ud83d":"Zoë \ud83d","whole":["\ud83d\ude00",{"a":"\udc00\ud800"}],"same\ud800":1,"same\udbff":2,"__proto__":"\udfff"}`;
  const body = `{"id":"${createId("submission")}","payload":{"encrypted":false,"version":"plain1","fields":${fields}}}`;
  const headers = { "content-type": "application/json" };
  const post = () => service.request("POST", `/api/forms/${formId}/submissions`, { body, headers });
  assert.deepEqual([(await post()).status, (await post()).status], [201, 200]);
  const mended = '{"cut\ufffd":"Zoë \ufffd","whole":["😀",{"a":"\ufffd\ufffd"}],"same\ufffd":2,"__proto__":"\ufffd"}';
  const list = await account.request("GET", `/api/forms/${formId}/submissions`);
  assert.equal(JSON.stringify(list.body.submissions[0].payload.fields), mended);
  const { fields: stored } = await service.database.selectFrom("submission").select("fields").executeTakeFirstOrThrow();
  assert.equal(stored, mended);
  const { id: eventId } = await service.database.selectFrom("event").select("id").executeTakeFirstOrThrow();
  const sent = (await findBodies(service.database, formId, [eventId])).get(eventId);
  const delivered = new TextDecoder("utf-8", { fatal: true }).decode(sent);
  assert.ok(delivered.includes(`"fields":${mended}`), delivered);
});

test("the same submission posted fifty times at once is one row, and each post gets the same answer", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const formId = await createForm(account);
  const body = await sealed(formId);
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => service.request("POST", `/api/forms/${formId}/submissions`, { body })),
  );
  assert.equal(answers.filter(({ status }) => status === 201).length, 1);
  assert.equal(answers.filter(({ status }) => status === 200).length, 49);
  assert.equal(new Set(answers.map((answer) => JSON.stringify(answer.body))).size, 1);
  const list = await account.request("GET", `/api/forms/${formId}/submissions`);
  assert.equal(list.body.total, 1);
});

test("another content under a known id is refused and changes nothing", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const formId = await createForm(account);
  const body = await sealed(formId);
  await service.request("POST", `/api/forms/${formId}/submissions`, { body });
  const other = { ...(await sealed(formId)), id: body.id };
  const answer = await service.request("POST", `/api/forms/${formId}/submissions`, { body: other });
  assert.equal(answer.status, 409);
  const list = await account.request("GET", `/api/forms/${formId}/submissions`);
  assert.deepEqual(list.body.submissions[0].payload, body.payload);
});

test("a page of submissions follows the other without a gap or a repeat while new ones arrive", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const formId = await createForm(account, { encryption: false });
  const post = () =>
    service.request("POST", `/api/forms/${formId}/submissions`, {
      body: { payload: { encrypted: false, version: "plain1", fields: {} } },
    });
  const first: string[] = [];
  for (let index = 0; index < 25; index++) first.push((await post()).body.submission.id);
  const seen: string[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const page: { body: { submissions: { id: string }[]; nextCursor: string | null } } = await account.request(
      "GET",
      `/api/forms/${formId}/submissions?limit=7${cursor && `&cursor=${cursor}`}`,
    );
    seen.push(...page.body.submissions.map(({ id }) => id));
    cursor = page.body.nextCursor;
    await post();
  }
  assert.deepEqual(seen, first.toReversed());
});

test("a page of long submissions ends at about 1 MiB, has at least one, and loses none to the next", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const formId = await createForm(account, { encryption: false });
  const rows = [900_000, 1_048_000, 10, 500_000, 500_000, 100_000, 10].map((length, index) => ({
    formId: formId as FormId, // the answer of the creation
    id: createId("submission"),
    keyVersion: 1,
    payload: { version: "plain1" as const, fields: { text: "x".repeat(length) } },
    timestamp: 0,
    receivedAt: index,
  }));
  await insertSubmissions(service.database, rows);
  const pages: number[] = [];
  const seen: string[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const path: string = `/api/forms/${formId}/submissions?limit=4${cursor && `&cursor=${cursor}`}`;
    const { body } = await account.request("GET", path);
    pages.push(body.submissions.length);
    seen.push(...body.submissions.map(({ id }: { id: string }) => id));
    assert.equal(body.total, 7);
    cursor = body.nextCursor;
  }
  assert.deepEqual(pages, [3, 2, 1, 1]);
  assert.deepEqual(seen, rows.map(({ id }) => id).toReversed());
});

test("a form for sealed submissions takes nothing plain", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const formId = await createForm(account);
  const answer = await service.request("POST", `/api/forms/${formId}/submissions`, {
    body: { payload: { encrypted: false, version: "plain1", fields: { message: "hello" } } },
  });
  assert.equal(answer.status, 400);
  assert.deepEqual(answer.body.details, { payload: "This form accepts only encrypted submissions" });
  assert.equal((await account.request("GET", `/api/forms/${formId}/submissions`)).body.total, 0);
});

test("a field named like a part of every object survives a plain submission", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const formId = await createForm(account, { encryption: false });
  const fields = '{"__proto__":{"polluted":true},"constructor":"c","toString":"t","length":"9"}';
  const answer = await service.request("POST", `/api/forms/${formId}/submissions`, {
    body: `{"payload":{"encrypted":false,"version":"plain1","fields":${fields}}}`,
  });
  assert.equal(answer.status, 201);
  const list = await account.request("GET", `/api/forms/${formId}/submissions`);
  assert.equal(JSON.stringify(list.body.submissions[0].payload.fields), fields);
  assert.equal(({} as { polluted?: boolean }).polluted, undefined);
});

test("bad input gets a 4xx that names the error, and nothing is stored", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const formId = await createForm(account);
  const good = await sealed(formId);
  const { payload } = good;
  const cases: readonly [string, unknown, number, string?][] = [
    ["no body", undefined, 400, "body"],
    ["broken JSON", '{"id":', 400, "body"],
    ["a byte order mark", `\uFEFF${JSON.stringify(good)}`, 400, "body"],
    ["invalid UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]), 400, "body"],
    ["a list", [], 400, "body"],
    ["an unknown member", { ...good, admin: true }, 400, "admin"],
    ["an unknown member of the payload", { ...good, payload: { ...payload, plain: "x" } }, 400, "payload.plain"],
    ["no id", { ...good, id: undefined }, 400, "id"],
    ["an id of another kind", { ...good, id: createId("form") }, 400, "id"],
    ["no key version", { ...good, keyVersion: undefined }, 400, "keyVersion"],
    ["a key version of text", { ...good, keyVersion: "1" }, 400, "keyVersion"],
    ["a key version that the form lacks", { ...good, keyVersion: 2 }, 400, "keyVersion"],
    ["an unknown format", { ...good, payload: { ...payload, version: "sp2" } }, 400, "payload.version"],
    [
      "base64 with white space",
      { ...good, payload: { ...payload, data: `${payload.data.slice(0, 4)}\n${payload.data.slice(4)}` } },
      400,
      "payload.data",
    ],
    ["base64url", { ...good, payload: { ...payload, iv: "-_-_-_-_-_-_-_-_" } }, 400, "payload.iv"],
    ["an iv of 16 bytes", { ...good, payload: { ...payload, iv: "AAAAAAAAAAAAAAAAAAAAAA==" } }, 400, "payload.iv"],
    [
      "data of a tag alone",
      { ...good, payload: { ...payload, data: "AAAAAAAAAAAAAAAAAAAAAA==" } },
      400,
      "payload.data",
    ],
    ["a content key of another length", { ...good, payload: { ...payload, key: "AAAA" } }, 400, "payload.key"],
    ["a timestamp before 1970", { ...good, timestamp: -1 }, 400, "timestamp"],
    ["a timestamp beyond time", { ...good, timestamp: 9e15 }, 400, "timestamp"],
    ["a body over 1 MiB", { ...good, payload: { ...payload, data: "A".repeat(1_048_576) } }, 413],
  ];
  for (const [name, body, status, path] of cases) {
    const answer = await service.request("POST", `/api/forms/${formId}/submissions`, {
      body,
      headers: { "content-type": "application/json" },
    });
    assert.equal(answer.status, status, name);
    if (path !== undefined) assert.ok(path in answer.body.details, `${name}: ${JSON.stringify(answer.body)}`);
  }
  assert.equal((await account.request("GET", `/api/forms/${formId}/submissions`)).body.total, 0);
});

test("a page of an origin that the form does not name can neither read the key nor submit", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const formId = await createForm(account, { allowedOrigins: ["https://example.com", "https://*.example.org"] });
  const body = await sealed(formId);
  const refused = [
    "https://evilexample.com",
    "https://example.com.evil",
    "http://example.com",
    "https://example.com:8443",
    "HTTPS://EXAMPLE.COM",
    "https://example.com.",
    "null",
    "https://example.org",
    "https://evilexample.org",
  ];
  for (const origin of refused) {
    const answer = await service.request("POST", `/api/forms/${formId}/submissions`, { body, headers: { origin } });
    assert.equal(answer.status, 403, origin);
    assert.equal(answer.headers.get("access-control-allow-origin"), "*", "so that the page can read the refusal");
    assert.equal(
      (await service.request("GET", `/api/forms/${formId}/public`, { headers: { origin } })).status,
      403,
      origin,
    );
  }
  assert.equal((await account.request("GET", `/api/forms/${formId}/submissions`)).body.total, 0);
  for (const origin of ["https://example.com", "https://a.example.org", "https://a.b.example.org"]) {
    const answer = await service.request("POST", `/api/forms/${formId}/submissions`, {
      body: await sealed(formId),
      headers: { origin },
    });
    assert.equal(answer.status, 201, origin);
  }
});

test("the public form shows the key with its fingerprint and is not sent again when unchanged", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const formId = await createForm(account);
  const answer = await service.request("GET", `/api/forms/${formId}/public`);
  assert.deepEqual(answer.body, {
    form: {
      id: formId,
      publicKey: pair.publicKey,
      keyVersion: 1,
      keyFingerprint: await fingerprint(pair.publicKey),
      settings: { encryption: true, piiStrip: false, country: null, piiTypes: null },
    },
  });
  assert.equal(answer.headers.get("cache-control"), "private, max-age=60");
  const again = await service.request("GET", `/api/forms/${formId}/public`, {
    headers: { "if-none-match": answer.headers.get("etag") ?? "" },
  });
  assert.equal(again.status, 304);
});

test("another account's submissions answer like a form that does not exist", async (t) => {
  const service = await createTestService(t);
  const owner = await service.signUp();
  const stranger = await service.signUp();
  const formId = await createForm(owner);
  const body = await sealed(formId);
  await service.request("POST", `/api/forms/${formId}/submissions`, { body });
  for (const path of ["", "/submissions", `/submissions/${body.id}`, "/webhook-secret"]) {
    const foreign = await stranger.request("GET", `/api/forms/${formId}${path}`);
    const absent = await stranger.request("GET", `/api/forms/${createId("form")}${path}`);
    assert.deepEqual(
      [foreign.status, foreign.body],
      [404, { error: "not_found", message: "Form not found", code: "form_not_found" }],
      path,
    );
    assert.deepEqual(foreign.body, absent.body);
  }
});

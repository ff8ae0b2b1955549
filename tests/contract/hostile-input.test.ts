import assert from "node:assert/strict";
import { test } from "node:test";
import { createId } from "@sealpost/wire";
import fc from "fast-check";
import { settingNames, settings as settingTable } from "../../packages/server/src/forms/form-settings.ts";
import { watchWrites } from "../../packages/server/src/testing/count-writes.ts";
import { exceptOnCluster } from "../../packages/server/src/testing/test-database.ts";
import { createTestService } from "../../packages/server/src/testing/test-service.ts";
import { takeKeyPair } from "../support/key-pairs.ts";

const pair = takeKeyPair();

/** JSON texts that parsers, validators and databases have stumbled over. */
const hostileJson: readonly string[] = [
  "",
  "null",
  "0",
  '"text"',
  "[]",
  "{}",
  "[".repeat(20_000),
  "[".repeat(20_000) + "]".repeat(20_000),
  `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`,
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"name":"a","name":"b","name":5}',
  '{"name":1e999}',
  '{"name":-0,"settings":1E+400}',
  '{"name":"\\ud800"}',
  '{"name":"\\udc00\\ud800"}',
  '{"name":"\\u0000"}',
  '{"name":"\u2028\u202e"}',
  '{"name":"a"}}',
  '{"name":"a",}',
  "{'name':'a'}",
  '{"name":NaN}',
  "\uFEFF{}",
  '{"name":"\x01"}',
  `{"name":"${"a".repeat(60_000)}"}`,
  `{${Array.from({ length: 4000 }, (_, index) => `"m${index}":1`).join(",")}}`,
  `{"ids":[${Array(1500).fill('"x"').join(",")}]}`,
];

const hostileText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom(
    "",
    "\0",
    "\ud800",
    "' OR 1=1 --",
    '";drop table form;--',
    "%00",
    "../..",
    "𝕏".repeat(120),
    "a".repeat(5000),
  ),
);
const hostileValue = fc.oneof(
  hostileText,
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.jsonValue({ maxDepth: 4 }),
  fc.constantFrom(2 ** 53, -(2 ** 63), 1e308, 1e21),
);

/** A body that is right but for what was drawn. */
function nearly(members: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<string> {
  const drawn = Object.fromEntries(
    Object.entries(members).map(([name, right]) => [name, fc.oneof({ weight: 3, arbitrary: right }, hostileValue)]),
  );
  return fc
    .tuple(
      fc.record(drawn, { requiredKeys: [] }),
      fc.option(fc.tuple(hostileText, hostileValue), { freq: 4, nil: undefined }),
    )
    .map(([body, extra]) => JSON.stringify(extra === undefined ? body : { ...body, [extra[0]]: extra[1] }));
}

const settings = fc.record(
  {
    encryption: fc.oneof(fc.boolean(), hostileValue),
    piiStrip: fc.oneof(fc.boolean(), hostileValue),
    // None that is accepted: the deliveries of its events would write in the background, and be taken for a request's writes.
    webhookUrl: fc.oneof(fc.constant(null), hostileText, fc.webUrl({ validSchemes: ["http", "ftp"] })),
    allowedOrigins: fc.oneof(fc.constant(["*"]), fc.array(hostileText, { maxLength: 60 })),
    ...Object.fromEntries(
      settingNames
        .filter((name) => settingTable[name].kept === "together")
        .map((name) => [
          name,
          fc.oneof(fc.constantFrom<unknown>(...settingTable[name].examples), fc.integer(), hostileValue),
        ]),
    ),
  },
  { requiredKeys: [] },
);
const base64 = fc.oneof(fc.base64String({ maxLength: 60 }), hostileText);
const payload = fc.oneof(
  fc.record({ encrypted: fc.constant(true), version: fc.constant("sp1"), data: base64, key: base64, iv: base64 }),
  fc.record({
    encrypted: fc.constant(false),
    version: fc.constant("plain1"),
    fields: fc.oneof(fc.dictionary(hostileText, hostileValue, { maxKeys: 5 }), hostileValue),
  }),
);

const bodies: Readonly<Record<string, fc.Arbitrary<string>>> = {
  create: nearly({ name: fc.string(), settings, publicKey: fc.constant(pair.publicKey) }),
  update: nearly({ name: fc.string(), settings }),
  rotate: nearly({ publicKey: fc.constant(pair.publicKey) }),
  close: nearly({ below: fc.nat(), at: fc.nat() }),
  post: nearly({ id: fc.constant(createId("submission")), payload, keyVersion: fc.constant(1), timestamp: fc.nat() }),
  ids: nearly({ ids: fc.array(fc.oneof(hostileText, fc.constant(createId("submission"))), { maxLength: 5 }) }),
};

const operations: readonly (readonly [method: string, path: string, body?: keyof typeof bodies])[] = [
  ["GET", "/api/forms"],
  ["POST", "/api/forms", "create"],
  ["GET", "/api/forms/{form}"],
  ["PATCH", "/api/forms/{form}", "update"],
  ["DELETE", "/api/forms/{form}"],
  ["POST", "/api/forms/{form}/rotate-keys", "rotate"],
  ["POST", "/api/forms/{form}/keys/close", "close"],
  ["GET", "/api/forms/{form}/keys"],
  ["GET", "/api/forms/{form}/stats"],
  ["GET", "/api/forms/{form}/public"],
  ["GET", "/api/forms/{form}/submissions"],
  ["POST", "/api/forms/{form}/submissions", "post"],
  ["DELETE", "/api/forms/{form}/submissions"],
  ["POST", "/api/forms/{form}/submissions/delete", "ids"],
  ["GET", "/api/forms/{form}/submissions/export"],
  ["GET", "/api/forms/{form}/submissions/{submission}"],
  ["DELETE", "/api/forms/{form}/submissions/{submission}"],
];

const cursor = fc
  .oneof(fc.jsonValue({ maxDepth: 2 }), fc.tuple(fc.oneof(fc.nat(), hostileValue), hostileValue))
  .map((value) => Buffer.from(JSON.stringify(value)).toString("base64url"));
const parameter = fc.tuple(
  fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom("limit", "cursor", "from", "to", "after", "before", "period", "confirm") },
    hostileText,
  ),
  fc.oneof(
    hostileText,
    cursor,
    fc.constantFrom("0", "1", "-1", "1e5", "0x10", " 5", "NaN", "Infinity", "9007199254740993", "1e400", "true", "[]"),
  ),
);
const query = fc.oneof(fc.constant<[string, string][]>([]), fc.array(parameter, { maxLength: 4 }));

const encode = (text: string) => encodeURIComponent(text.toWellFormed());
const anId = fc.oneof(hostileText, fc.constantFrom("form_", "FORM_01hk153x00e5rbcwg8rxcnh8w4", createId("form")));

const request = fc.record({
  operation: fc.constantFrom(...operations),
  form: fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, anId),
  submission: anId,
  query,
  body: fc.option(fc.constantFrom(...hostileJson), { freq: 2, nil: undefined }),
  near: fc.gen(),
});

test("no input makes the service fail, and what is refused leaves no trace", exceptOnCluster, async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const created = await account.request("POST", "/api/forms", {
    name: "Target",
    settings: { encryption: false },
    publicKey: pair.publicKey,
  });
  const target: string = created.body.form.id;
  const statuses = new Map<number, number>();
  const countWrites = await watchWrites(service.database);
  await fc.assert(
    fc.asyncProperty(request, async ({ operation: [method, path, kind], form, submission, query, body, near }) => {
      const text = kind === undefined ? undefined : (body ?? near(() => bodies[kind] ?? fc.constant("")));
      const search = query.map(([name, value]) => `${encode(name)}=${encode(value)}`).join("&");
      // Above 16 KiB the HTTP parser answers by itself, for every path alike (`http/client-errors.test.ts`).
      fc.pre(search.length < 14_000);
      // A path of dots is another path by the time that it is sent.
      const inPath = (id: string) => (/^\.*$/.test(id) ? "dots" : encode(id));
      const url = path.replace("{form}", inPath(form ?? target)).replace("{submission}", inPath(submission));
      const before = await countWrites();
      const answer = await service.request(method, `${url}?${search}`, {
        token: account.token,
        body: text,
        headers: { "content-type": "application/json" },
      });
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
      assert.ok(answer.status < 500, `${answer.status}: ${JSON.stringify(answer.body)}`);
      if (answer.status >= 400) {
        assert.equal(await countWrites(), before, "a refused request wrote something");
        assert.ok(JSON.stringify(answer.body).length < 10_000, "an error larger than what caused it");
      }
    }),
    { numRuns: 600, endOnFailure: true },
  );
  assert.equal(({} as { polluted?: boolean }).polluted, undefined);
  // The generators are not so wild that nothing gets through, nor so tame that nothing is refused.
  for (const status of [200, 400, 404])
    assert.ok((statuses.get(status) ?? 0) > 20, `${status}: ${statuses.get(status)}`);
});

test("a path that is no text is refused", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  for (const path of ["/api/forms/%zz", "/api/forms/%ff", "/api/forms/%", "/api/forms/%c0%80/submissions"]) {
    const { status, body } = await account.request("GET", path);
    assert.deepEqual([status, body.error], [400, "bad_request"], path);
  }
});

test("what an answer repeats of a request is Unicode, also where it is cut short", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const long = `${"x".repeat(63)}𝕏`;
  const formId = (await account.request("POST", "/api/forms", { name: "Form", publicKey: pair.publicKey })).body.form
    .id;
  for (const [method, path, body] of [
    ["GET", `/api/forms?${encodeURIComponent(long)}=1`, undefined],
    ["POST", "/api/forms", { name: "a", [long]: 1 }],
    ["POST", "/api/forms", '{"name":"a","\\ud800":1}'],
    ["POST", `/api/forms/${formId}/submissions`, { [long]: 1 }],
    ["POST", "/api/api-keys", { name: "a", [long]: 1 }],
    ["POST", "/api/api-keys", { name: "a", permissions: [long] }],
  ] as const) {
    const answer = await account.request(method, path, body);
    assert.equal(answer.status, 400, path);
    const texts = Object.entries({ ...answer.body, ...answer.body.details }).flat();
    for (const text of texts) assert.ok(String(text).isWellFormed(), `${path}: ${JSON.stringify(answer.body)}`);
  }
});

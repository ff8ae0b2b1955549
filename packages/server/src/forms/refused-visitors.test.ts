import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { createMailBench } from "../mail/testing/mail-bench.ts";
import { codeOf } from "../problems/code-of.ts";
import { listTables } from "../testing/list-tables.ts";
import { onSqlite } from "../testing/test-database.ts";
import { createTestService, type TestAccount, type TestService } from "../testing/test-service.ts";
import { dayMilliseconds, hourMilliseconds } from "../time/clock.ts";
import { createFormStore, type PublicForm } from "./form-store.ts";
import { causeOf, type Hearing, publicRefusals, type RefusalCause, refusalCauses } from "./refusal-causes.ts";
import { createRefusedVisitors } from "./refused-visitors.ts";
import { createForm } from "./testing/test-form.ts";

type PublicCode = keyof typeof publicRefusals;
type HeardCode = {
  [Name in PublicCode]: (typeof publicRefusals)[Name] extends { readonly cause: RefusalCause } ? Name : never;
}[PublicCode];

interface Scene {
  readonly service: TestService;
  readonly formId: string;
}

interface Provocation {
  readonly settings?: object;
  /** Sends what is refused; gives the status. */
  readonly send: (scene: Scene) => Promise<number>;
  readonly status: number;
}

const plain = { encryption: false };
const elsewhere = "https://elsewhere.example";

async function post({ service, formId }: Scene, fields: object, headers: Readonly<Record<string, string>> = {}) {
  const payload = { encrypted: false, version: "plain1", fields };
  const path = `/api/forms/${formId}/submissions`;
  return (await service.request("POST", path, { body: { payload }, headers })).status;
}

async function sendHtml({ service, formId }: Scene, body: BodyInit, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(`${service.url}/f/${formId}`, { method: "POST", body, headers, redirect: "manual" });
  await response.arrayBuffer();
  return response.status;
}

function withFile(): FormData {
  const form = new FormData();
  form.set("file", new File(["text"], "cv.txt"));
  return form;
}

const manyFields = new URLSearchParams(Array.from({ length: 1001 }, (_, index) => [`f${index}`, "x"]));

/** Every browser says it to an address with HTTPS, and a program only if it wants to. */
const ofBrowser = { "sec-fetch-site": "cross-site" };

const sendTrapped = (scene: Scene, headers: Readonly<Record<string, string>>) =>
  sendHtml(scene, new URLSearchParams({ a: "1", _gotcha: "x" }), headers);

/** How to be refused with each code that owners hear of: one that is missing does not compile. */
const heard: Readonly<Record<HeardCode, readonly Provocation[]>> = {
  origin_not_allowed: [
    (scene: Scene) => post(scene, {}, { origin: elsewhere }),
    (scene: Scene) =>
      sendHtml(scene, "a=1", { origin: elsewhere, "content-type": "application/x-www-form-urlencoded" }),
    async ({ service, formId }: Scene) =>
      (await service.request("GET", `/api/forms/${formId}/public`, { headers: { origin: elsewhere } })).status,
  ].map((send) => ({ settings: { ...plain, allowedOrigins: ["https://shop.example"] }, send, status: 403 })),
  payload_plain_refused: [{ send: (scene) => post(scene, {}), status: 400 }],
  html_form_needs_script: [{ send: (scene) => sendHtml(scene, new URLSearchParams({ a: "1" })), status: 400 }],
  body_too_large: [
    { settings: plain, send: (scene) => post(scene, { a: "x".repeat(1_048_577) }), status: 413 },
    {
      settings: plain,
      send: (scene) => sendHtml(scene, new URLSearchParams({ a: "x".repeat(1_048_577) })),
      status: 413,
    },
  ],
  submission_too_large: [
    {
      settings: { ...plain, submissionBytesMax: 1024 },
      send: (scene) => post(scene, { a: "x".repeat(1024) }),
      status: 413,
    },
  ],
  hourly_limit_reached: [
    {
      settings: { ...plain, submissionsPerHour: 1 },
      async send(scene) {
        assert.equal(await post(scene, { a: "1" }), 201);
        return post(scene, { a: "2" });
      },
      status: 429,
    },
  ],
  html_form_without_files: [{ settings: plain, send: (scene) => sendHtml(scene, withFile()), status: 400 }],
  html_form_too_many_fields: [{ settings: plain, send: (scene) => sendHtml(scene, manyFields), status: 400 }],
  html_form_without_answers: [
    { settings: plain, send: (scene) => sendHtml(scene, new URLSearchParams({ _name: "Ada" })), status: 400 },
  ],
  html_form_trapped: [{ settings: plain, send: (scene) => sendTrapped(scene, ofBrowser), status: 303 }],
  form_encoding_expected: [
    { settings: plain, send: (scene) => sendHtml(scene, "a=1", { "content-type": "text/plain" }), status: 415 },
  ],
  method_not_allowed: [
    {
      settings: plain,
      async send({ service, formId }) {
        const response = await fetch(`${service.url}/f/${formId}?name=Ada`);
        await response.arrayBuffer();
        return response.status;
      },
      status: 405,
    },
  ],
};

/** Some that owners do not hear of. */
const unheard: readonly Provocation[] = [
  {
    status: 400,
    send: async ({ service, formId }) =>
      (await service.request("POST", `/api/forms/${formId}/submissions`, { body: { payload: 1 } })).status,
  },
  {
    status: 415,
    send: async ({ service, formId }) => {
      const headers = { "content-type": "text/plain" };
      const url = `${service.url}/api/forms/${formId}/submissions`;
      return (await fetch(url, { method: "POST", body: "a=1", headers })).status;
    },
  },
  { status: 405, send: async ({ service, formId }) => (await fetch(`${service.url}/f/${formId}`)).status },
];

async function findRefused(account: TestAccount, formId: string) {
  const { form } = (await account.request("GET", `/api/forms/${formId}`)).body;
  return (form.refusedVisitors ?? []) as readonly { readonly cause: RefusalCause; since: number; lastAt: number }[];
}

/** It is noted after the answer: waits for that, though not for ever. */
async function untilRefused(account: TestAccount, formId: string) {
  for (let tries = 0; tries < 500; tries++) {
    const found = await findRefused(account, formId);
    if (found.length > 0) return found;
    await setImmediate();
  }
  return [];
}

test("owners hear of every refusal of the public endpoints that is declared to reach them, by its cause, and of no other", async (t) => {
  const service = await createTestService(t, { environment: { SEALPOST_SUBMIT_RATE: "0", SEALPOST_API_RATE: "0" } });
  const account = await service.signUp();
  for (const [code, provocations] of Object.entries(heard))
    for (const { settings = {}, send, status } of provocations) {
      const formId = await createForm(account, settings);
      if (code === "payload_plain_refused")
        for (const other of unheard) assert.equal(await other.send({ service, formId }), other.status);
      assert.equal(await send({ service, formId }), status, code);
      const { cause }: { readonly cause: RefusalCause } = publicRefusals[code as HeardCode]; // its own keys
      assert.deepEqual(
        (await untilRefused(account, formId)).map((one) => one.cause),
        [cause],
        code,
      );
    }
});

test("of a filled honeypot owners hear where a browser sent it, in words about the page, and not of programs", async (t) => {
  const { service, account, smtp, run } = await createMailBench(t, { isServiceMailing: true });
  const [formId, other] = [await createForm(account, plain), await createForm(account, { ...plain })];
  for (let program = 0; program < 5; program++) assert.equal(await sendTrapped({ service, formId }, {}), 303);
  // A refusal of another form that is noted afterwards shows that nothing was noted of these.
  assert.equal(await sendTrapped({ service, formId: other }, ofBrowser), 303);
  const [seen] = await untilRefused(account, other);
  assert.equal(seen?.cause, "trapped");
  assert.deepEqual(await findRefused(account, formId), []);
  await run();
  const { headers, text } = await smtp.next();
  assert.equal(headers.get("subject"), "A field that has to stay empty was filled in");
  assert.match(text, /Look whether your page shows this field to visitors/);
  assert.ok(text.includes(`/forms/${other}/embed`));
  await run();
  assert.equal(smtp.emails.length, 1);
});

/** Where refusals of the public endpoints come from: what they import counts as well, but for types. */
const roots = [
  ...["forms/public-form-routes.ts", "submissions/public-submission-routes.ts", "html-forms/html-form-routes.ts"],
  ...["quotas/admission.ts", "submissions/ingest.ts", "submissions/strip-fields.ts", "submissions/strip-thread.ts"],
  ...["rate-limits/rate-limit-hooks.ts", "http/body-parsers.ts", "http/unfinished-bodies.ts", "http/errors.ts"],
];

/** Codes of the sentences in a file and in what it imports. Sentences about a field are details of another one. */
function collectCodes(file: string, seen = new Set<string>(), codes = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file) || !existsSync(file) || file.endsWith("code-of.ts")) return codes;
  seen.add(file);
  const source = readFileSync(file, "utf8");
  for (const [, text, template = ""] of source.matchAll(/"((?:[^"\\\n]|\\.)+)"|`([^`]+)`/g)) {
    const sentence = text ?? template.replaceAll(/\$\{[^}]*\}/g, "7");
    const code = /^(?:Must|Is|Names must|Numbers must) /.test(sentence) ? undefined : codeOf(sentence);
    if (code !== undefined) codes.add(code);
  }
  for (const [, path = ""] of source.matchAll(/^import (?!type)[^;]*? from "(\.[^"]+)"/gm))
    collectCodes(join(dirname(file), path), seen, codes);
  return codes;
}

test("every refusal of the public endpoints is declared: by a cause that owners hear of, or with the reason why not", () => {
  const seen = new Set<string>();
  const codes = new Set(roots.flatMap((root) => [...collectCodes(join(import.meta.dirname, "..", root), seen)]));
  assert.ok(seen.size > 50 && codes.has("origin_not_allowed"), "a control: the files were read");
  const declared = Object.keys(publicRefusals);
  assert.deepEqual(
    [...codes].filter((code) => !declared.includes(code)),
    [],
    "declare it in refusal-causes.ts",
  );
  assert.deepEqual(
    declared.filter((code) => !codes.has(code)),
    [],
    "no file has its sentence any more",
  );
  for (const row of Object.values<Hearing>(publicRefusals))
    assert.ok("cause" in row || row.unheard.length > 10, JSON.stringify(row));
  assert.equal(causeOf("json_expected", "html"), undefined);
  assert.equal(causeOf("toString", "json"), undefined);
});

test("for each cause and change of the settings concerned owners get one email, whose words are about what was seen", async (t) => {
  const { service, account, clock, smtp, run } = await createMailBench(t, { isServiceMailing: true });
  const formId = await createForm(account, { ...plain, allowedOrigins: ["https://shop.example"] });
  const refuse = () => post({ service, formId }, {}, { origin: elsewhere, "user-agent": "Canary/1.0" });
  const expectNext = async () => {
    await run();
    const { headers, text, raw } = await smtp.next();
    assert.equal(headers.get("subject"), "A page that a form does not allow was refused");
    assert.match(text, /Anybody can send such a request, so it need not be a page of yours/);
    assert.ok(text.includes(`/forms/${formId}/settings`));
    assert.ok(headers.has("list-unsubscribe"));
    assert.doesNotMatch(raw + text, /elsewhere|canary/i);
  };
  for (let visitor = 0; visitor < 5; visitor++) assert.equal(await refuse(), 403);
  const since = clock.now();
  assert.deepEqual(await untilRefused(account, formId), [{ cause: "origin", since, lastAt: since }]);
  await expectNext();
  const settings = { allowedOrigins: ["https://another.example"] };
  assert.equal((await account.request("PATCH", `/api/forms/${formId}`, { settings })).status, 200);
  clock.advance(2_000);
  assert.deepEqual(await findRefused(account, formId), [], "that was with other settings");
  for (let visitor = 0; visitor < 5; visitor++) assert.equal(await refuse(), 403);
  await untilRefused(account, formId);
  await expectNext();
  clock.advance(600_000);
  assert.equal(await refuse(), 403);
  clock.advance(dayMilliseconds);
  await run();
  assert.equal(smtp.emails.length, 2);
});

/** Refusals with nothing around them but the database, whose transactions are counted. */
async function createScene(t: Parameters<typeof createMailBench>[0]) {
  const { service, account, clock } = await createMailBench(t);
  const { database } = service;
  const begin = database.transaction.bind(database);
  const counted = { transactions: 0, emails: 0 };
  database.transaction = () => {
    counted.transactions += 1;
    return begin();
  };
  const lines: string[] = [];
  let hasRoom = true;
  const open = () =>
    createRefusedVisitors({
      ...{ database, clock, wakeEmails: () => undefined, tell: (line) => void lines.push(line) },
      async announce() {
        if (hasRoom) counted.emails += 1;
        return hasRoom;
      },
    });
  const find = async (formId: string): Promise<PublicForm> => {
    const found = await createFormStore(database).findPublic(formId);
    assert.ok(found);
    return found;
  };
  return {
    ...{ service, account, clock, counted, lines, open, find },
    setRoom: (next: boolean) => {
      hasRoom = next;
    },
  };
}

test("after the first refusal for a cause the database is asked nothing, also by a hundred at once; another process hears of it once a minute", async (t) => {
  const { account, clock, counted, lines, open, find } = await createScene(t);
  const found = await find(await createForm(account));
  const [one, other] = [open(), open()];
  const { transactions } = counted;
  await Promise.all(Array.from({ length: 100 }, () => one.note(found, "origin")));
  for (let visitor = 0; visitor < 50; visitor++) await one.note(found, "origin");
  assert.deepEqual([counted.transactions - transactions, counted.emails, lines.length], [1, 1, 1]);
  const since = clock.now();
  other.hear(lines[0] ?? "");
  clock.advance(60_000);
  await other.note(found, "origin");
  assert.deepEqual([counted.transactions - transactions, counted.emails, lines.length], [1, 1, 2]);
  one.hear(lines[1] ?? "");
  const expected = [{ cause: "origin", since, lastAt: clock.now() }];
  assert.deepEqual([one.find(found.form), other.find(found.form)], [expected, expected]);
  for (const line of ["", "form_x origin a 1 2", `${found.form.id} constructor a 1 2`, `${found.form.id} origin`])
    one.hear(line);
  assert.deepEqual(one.find(found.form), expected, "other lines change nothing");
  // Where memory had no room for it.
  const full = open();
  assert.deepEqual(full.find(found.form), []);
  await full.note(found, "origin");
  assert.equal(counted.transactions - transactions, 1, "what is noted is read");
  assert.deepEqual(full.find(found.form), expected);
  assert.equal(counted.emails, 1);
  clock.advance(dayMilliseconds);
  assert.deepEqual(one.find(found.form), [], "nobody was refused for a day");
});

for (const cause of refusalCauses)
  test(`a restart, or a kill, forgets nothing of visitors refused for ${cause}, but what nobody was refused for within a day or its setting has changed`, async (t) => {
    const { account, clock, counted, open, find } = await createScene(t);
    const found = await find(await createForm(account));
    const since = clock.now();
    const first = open();
    await first.note(found, cause);
    const restart = async () => {
      const started = open();
      await started.restore();
      return started.find(found.form);
    };
    assert.deepEqual(await restart(), [{ cause, since, lastAt: since }]);
    // Seen all the time: when it was last is kept to ten minutes.
    clock.advance(20 * hourMilliseconds);
    await first.note(found, cause);
    const lastAt = clock.now();
    clock.advance(599_999);
    await first.note(found, cause);
    assert.deepEqual(await restart(), [{ cause, since, lastAt }]);
    clock.advance(1);
    await first.note(found, cause);
    assert.deepEqual(await restart(), [{ cause, since, lastAt: clock.now() }]);
    clock.advance(dayMilliseconds - 1);
    assert.deepEqual(await restart(), first.find(found.form));
    assert.equal((await restart()).length, 1);
    // The one email was sent, and none follows for what a restart has brought back.
    const started = open();
    await started.restore();
    await started.note(found, cause);
    assert.equal(counted.emails, 1);
    clock.advance(dayMilliseconds);
    assert.deepEqual(await restart(), []);
  });

test(
  "a service that was stopped shows what it showed of refused visitors before, from its first answer on",
  onSqlite,
  async (t) => {
    const service = await createTestService(t);
    const account = await service.signUp();
    const formId = await createForm(account);
    const { status } = await service.request("POST", `/api/forms/${formId}/submissions`, {
      body: { payload: { encrypted: false, version: "plain1", fields: {} } },
    });
    assert.equal(status, 400);
    const read = async () => (await account.request("GET", `/api/forms/${formId}`)).body.form.refusedVisitors;
    const [before] = await read();
    assert.equal(before.cause, "unsealed");
    await service.stop();
    const again = await createTestService(t, { folder: service.folder });
    const form = await again.request("GET", `/api/forms/${formId}`, { token: account.token });
    assert.deepEqual(form.body.form.refusedVisitors, [before]);
  },
);

test("what was refused while the clock was ahead is shown for a day from the next start on", async (t) => {
  const { account, clock, open, find } = await createScene(t);
  const found = await find(await createForm(account));
  clock.advance(30 * dayMilliseconds);
  await open().note(found, "origin");
  clock.advance(-30 * dayMilliseconds);
  const started = open();
  await started.restore();
  assert.equal(started.find(found.form)[0]?.lastAt, clock.now());
  clock.advance(dayMilliseconds);
  assert.deepEqual(started.find(found.form), []);
});

test("an email that the day has no room for is tried again after an hour, and the form says so meanwhile", async (t) => {
  const { account, clock, counted, open, find, setRoom } = await createScene(t);
  const found = await find(await createForm(account));
  const refused = open();
  setRoom(false);
  const since = clock.now();
  await refused.note(found, "too_large");
  const { transactions } = counted;
  clock.advance(hourMilliseconds - 1);
  await refused.note(found, "too_large");
  assert.equal(counted.transactions, transactions);
  setRoom(true);
  clock.advance(1);
  await refused.note(found, "too_large");
  assert.equal(counted.emails, 1);
  assert.deepEqual(refused.find(found.form), [{ cause: "too_large", since, lastAt: clock.now() }]);
});

test("a refusal leaves a cause and a time, and nothing of who sent it", async (t) => {
  const { service, account, clock } = await createMailBench(t);
  const formId = await createForm(account);
  const count = async () => {
    const rows = new Map<string, string>();
    for (const table of await listTables(service.database))
      rows.set(
        table,
        JSON.stringify(
          await service.database
            .selectFrom(table as "form")
            .selectAll()
            .execute(), // a name from the database itself
        ),
      );
    return rows;
  };
  const before = await count();
  assert.equal(await post({ service, formId }, { canary: "1" }, { origin: "https://canary.example" }), 400);
  await untilRefused(account, formId);
  const after = await count();
  assert.deepEqual(
    [...after].filter(([table, rows]) => before.get(table) !== rows).map(([table]) => table),
    ["form_refusal"],
  );
  const [row] = JSON.parse(after.get("form_refusal") ?? "[]");
  assert.match(row.settings, /^[\w-]{16}$/);
  const at = clock.now();
  assert.deepEqual(
    { ...row, settings: "" },
    { form_id: formId, cause: "unsealed", settings: "", since: at, last_at: at, is_announced: 0, announce_from: at },
  );
});

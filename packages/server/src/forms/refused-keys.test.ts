import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { fingerprint, generateHybridKeyPair, hybridFingerprint } from "@sealpost/wire";
import { takeKeyPair } from "../../../../tests/support/key-pairs.ts";
import type { Tables } from "../database/schema.ts";
import { createMailBench } from "../mail/testing/mail-bench.ts";
import { listTables } from "../testing/list-tables.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { onPostgres } from "../testing/test-database.ts";
import { createTestService, type TestAccount, type TestService } from "../testing/test-service.ts";
import { dayMilliseconds } from "../time/clock.ts";
import { createForm, pair } from "./testing/test-form.ts";

const former = await fingerprint(pair.publicKey);
const stranger = "A".repeat(43);

async function rotate(account: TestAccount, formId: string, hybrid = false): Promise<readonly string[]> {
  const { publicKey } = takeKeyPair();
  const hybridPublicKey = hybrid ? (await generateHybridKeyPair()).publicKey : undefined;
  const { status } = await account.request("POST", `/api/forms/${formId}/rotate-keys`, { publicKey, hybridPublicKey });
  assert.equal(status, 200);
  return [await fingerprint(publicKey), ...(hybridPublicKey ? [await hybridFingerprint(hybridPublicKey)] : [])];
}

async function report(service: TestService, formId: string, ...fingerprints: string[]): Promise<void> {
  const { status, body } = await service.request("POST", `/api/forms/${formId}/keys/refused`, {
    body: { fingerprints },
    headers: { origin: "https://shop.example", "user-agent": "Canary/1.0", cookie: "canary=1" },
  });
  assert.deepEqual([status, body], [200, { success: true }]);
}

/** The form's word about it, the same from the form as from the list. */
async function findRefused(account: TestAccount, formId: string) {
  const { form } = (await account.request("GET", `/api/forms/${formId}`)).body;
  const { forms } = (await account.request("GET", "/api/forms")).body;
  assert.deepEqual(forms[0].refusedVisitors, form.refusedVisitors);
  if (form.refusedVisitors === undefined) return undefined;
  assert.deepEqual(form.refusedVisitors.length, 1);
  const [{ cause, ...seen }] = form.refusedVisitors;
  assert.equal(cause, "old_key");
  return seen;
}

/** Everything that the database holds. */
async function readAll({ database }: TestService): Promise<ReadonlyMap<string, string>> {
  const all = new Map<string, string>();
  for (const table of await listTables(database)) {
    const rows = await database
      .selectFrom(table as keyof Tables)
      .selectAll()
      .execute(); // a name from the database itself
    all.set(table, JSON.stringify(rows));
  }
  return all;
}

test("only a former key counts: none that the form never had, and nothing named along with the newest", async (t) => {
  const { service, account, clock } = await createMailBench(t);
  const formId = await createForm(account);
  await report(service, formId, former);
  assert.equal(await findRefused(account, formId), undefined, "it is the newest");
  const [second = "", hybrid = ""] = await rotate(account, formId, true);
  clock.advance(2_000);
  for (const named of [[stranger], [second], [hybrid], [former, second], [former, hybrid]]) {
    await report(service, formId, ...named);
    assert.equal(await findRefused(account, formId), undefined, String(named));
  }
  const since = clock.now();
  await report(service, formId, stranger, former);
  clock.advance(600_000);
  await report(service, formId, former);
  assert.deepEqual(await findRefused(account, formId), { since, lastAt: clock.now() });
  await rotate(account, formId);
  clock.advance(2_000);
  assert.equal(await findRefused(account, formId), undefined, "another rotation begins again");
  await report(service, formId, hybrid);
  assert.deepEqual(await findRefused(account, formId), { since: clock.now(), lastAt: clock.now() });
  clock.advance(dayMilliseconds);
  assert.equal(await findRefused(account, formId), undefined, "nobody was refused for a day");
});

test("the owner gets one email for each rotation, with the snippet that names the new key", async (t) => {
  const { service, account, clock, smtp, run } = await createMailBench(t, { isServiceMailing: true });
  const formId = await createForm(account);
  for (const hybrid of [false, true]) {
    const named = await rotate(account, formId, hybrid);
    await run();
    assert.equal((await smtp.next()).headers.get("subject"), "A form has a new key pair");
    clock.advance(2_000);
    for (let visitor = 0; visitor < 5; visitor++) await report(service, formId, former);
    await run();
    const { headers, to, text } = await smtp.next();
    assert.deepEqual([headers.get("subject"), to], ["Visitors of a form are refused", ["owner@example.com"]]);
    const code = /<script[\s\S]*<\/script>/.exec(text)?.[0] ?? "";
    assert.ok(code.includes(`Sealpost.init("${formId}", {"keyFingerprint":"${named.at(-1)}"})`), text);
    assert.match(code, /^<script src="[^"]+" integrity="sha384-[^"]+" crossorigin="anonymous" data-sealpost="form_/);
    assert.ok(text.includes(`/forms/${formId}/embed`));
  }
  const sent = await service.database.selectFrom("mail").select("id").where("kind", "=", "security").execute();
  assert.equal(sent.length, 2);
});

test("nothing is kept of who says it, and in the database nothing but when it was said first and last", async (t) => {
  const { service, account, clock } = await createMailBench(t);
  const formId = await createForm(account);
  await rotate(account, formId);
  clock.advance(2_000);
  const before = await readAll(service);
  for (let visitor = 0; visitor < 5; visitor++) await report(service, formId, former, stranger);
  const after = await readAll(service);
  const changed = [...after].filter(([table, rows]) => before.get(table) !== rows).map(([table]) => table);
  assert.deepEqual(changed, ["form_refusal"]);
  const [{ settings, ...row }] = JSON.parse(after.get("form_refusal") ?? "[]");
  assert.match(settings, /^[\w-]{16}$/);
  const at = clock.now();
  const times = { since: at, last_at: at, is_announced: 0, announce_from: at };
  assert.deepEqual(row, { form_id: formId, cause: "old_key", ...times });
});

test("a flood from one address counts ten times a minute, and the form for others all the same", async (t) => {
  const service = await createTestService(t, {
    environment: { SEALPOST_SUBMIT_RATE: "60", SEALPOST_TRUSTED_PROXIES: "127.0.0.0/8,::1/128" },
  });
  const account = await service.signUp();
  const formId = await createForm(account);
  const ask = async (address: string, body: object = { fingerprints: [former] }) =>
    (
      await service.request("POST", `/api/forms/${formId}/keys/refused`, {
        body,
        headers: { "x-forwarded-for": address },
      })
    ).status;
  const answers = [];
  for (let index = 0; index < 12; index++) answers.push(await ask("203.0.113.1"));
  assert.deepEqual(answers, [...Array(10).fill(200), 429, 429]);
  assert.equal(await ask("203.0.113.2"), 200);
  for (const body of [{}, { fingerprints: [] }, { fingerprints: ["short"] }, { fingerprints: Array(33).fill(former) }])
    assert.equal(await ask("203.0.113.3", body), 400, JSON.stringify(body).slice(0, 60));
});

test("every process of an instance says so, whichever of them the visitor's browser asked", onPostgres, async (t) => {
  const folder = createTemporaryFolder(t);
  const [one, other] = [await createTestService(t, { folder }), await createTestService(t, { folder })];
  const account = await one.signUp();
  const formId = await createForm(account);
  await rotate(account, formId);
  const ask = async ({ request }: TestService) =>
    (await request("GET", `/api/forms/${formId}`, { token: account.token })).body.form.refusedVisitors;
  // Until the public form is not remembered any more, and both listen.
  while ((await ask(one)) === undefined) await report(one, formId, former);
  while ((await ask(other)) === undefined) await setImmediate();
  assert.deepEqual(await ask(other), await ask(one));
});

import assert from "node:assert/strict";
import { test } from "node:test";
import { takeKeyPair } from "../../../../tests/support/key-pairs.ts";
import { createMailBench } from "../mail/testing/mail-bench.ts";
import { createTestService } from "../testing/test-service.ts";
import { createForm, sealSubmission } from "./testing/test-form.ts";

const day = 24 * 60 * 60_000;

test("a key counts as proved from the first time that somebody says so, and a new one has to be proved again", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const stranger = await service.signUp();
  const formId = await createForm(account);
  const proofOf = async () => {
    const list = await account.request("GET", "/api/forms");
    const { body } = await account.request("GET", `/api/forms/${formId}`);
    assert.equal(list.body.forms[0].keyProof, body.form.keyProof);
    return body.form.keyProof;
  };
  const prove = (version: number | string, who = account) =>
    who.request("POST", `/api/forms/${formId}/keys/${version}/proved`);
  assert.equal(await proofOf(), "unproved");
  assert.equal((await prove(1, stranger)).status, 404);
  for (const version of [2, 0, "1.0", "1%00", 99999999999])
    assert.equal((await prove(version)).status, 404, String(version));
  assert.equal(await proofOf(), "unproved");
  const first = await prove(1);
  assert.deepEqual([first.status, first.body.key.madeBy], [200, "owner"]);
  assert.equal((await prove(1)).body.key.provedAt, first.body.key.provedAt, "the first time is kept");
  assert.equal(await proofOf(), "proved");
  // A pair of the service's making is in nobody's hands until somebody says so.
  await account.request("POST", `/api/forms/${formId}/rotate-keys`);
  assert.equal(await proofOf(), "unproved");
  const { body } = await account.request("GET", `/api/forms/${formId}/keys`);
  assert.deepEqual(
    body.keys.map(({ madeBy, provedAt }: { madeBy: string; provedAt: number | null }) => [madeBy, provedAt]),
    [
      ["service", null],
      ["owner", first.body.key.provedAt],
    ],
  );
});

test("a list of forms tells how many ever came and when the newest did, of what is stored", async (t) => {
  const service = await createTestService(t);
  const account = await service.signUp();
  const formId = await createForm(account);
  const look = async () => (await account.request("GET", "/api/forms")).body.forms[0];
  assert.deepEqual([(await look()).receivedCount, (await look()).lastReceivedAt], [0, null]);
  for (let index = 0; index < 2; index++)
    await service.request("POST", `/api/forms/${formId}/submissions`, { body: await sealSubmission(formId) });
  const { body } = await account.request("GET", `/api/forms/${formId}/submissions`);
  const [newest, older] = body.submissions;
  assert.equal((await look()).lastReceivedAt, newest.receivedAt);
  await account.request("DELETE", `/api/forms/${formId}/submissions/${newest.id}`);
  assert.deepEqual([(await look()).receivedCount, (await look()).lastReceivedAt], [2, older.receivedAt]);
});

test("a day after a key was made that nobody proved and that receives, one mail says so, without content", async (t) => {
  const { service, account, clock, smtp, run } = await createMailBench(t);
  const [silent, proved, doubtful] = [await createForm(account), await createForm(account), await createForm(account)];
  const receive = async (formId: `form_${string}`) => {
    const { status } = await service.request("POST", `/api/forms/${formId}/submissions`, {
      body: await sealSubmission(formId),
    });
    assert.equal(status, 201);
  };
  await receive(proved);
  await receive(doubtful);
  await account.request("POST", `/api/forms/${proved}/keys/1/proved`);
  await run();
  clock.advance(day - 60_000);
  await run();
  const subjects = () => smtp.emails.map(({ headers }) => headers.get("subject"));
  const doubt = "Can you open what your form receives?";
  assert.ok(!subjects().includes(doubt), "a day is not over");
  clock.advance(60_000);
  await run();
  const notified = smtp.emails.filter(({ headers }) => headers.get("subject") === doubt);
  assert.equal(notified.length, 1);
  assert.match(notified[0]?.text ?? "", new RegExp(`/forms/${doubtful}\\b`));
  assert.ok(!notified.some(({ text }) => text.includes(silent) || text.includes(proved)));
  await receive(doubtful);
  clock.advance(3 * day);
  await run();
  assert.equal(subjects().filter((subject) => subject === doubt).length, 1, "notified once");
  const { publicKey } = takeKeyPair();
  const body = { email: "owner@example.com", password: "correct horse battery" };
  const { headers } = await service.request("POST", "/api/auth/sign-in/email", { body });
  const cookie = headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const asOwner = { headers: { cookie, origin: service.url }, body: { publicKey } };
  assert.equal((await service.request("POST", `/api/forms/${doubtful}/rotate-keys`, asOwner)).status, 200);
  clock.advance(day);
  await run();
  assert.equal(subjects().filter((subject) => subject === doubt).length, 2, "once for each key");
});

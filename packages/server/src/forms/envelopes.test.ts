import assert from "node:assert/strict";
import { test } from "node:test";
import { createId, encodeBase64Url } from "@sealpost/wire";
import { takeKeyPair } from "../../../../tests/support/key-pairs.ts";
import { openMigratedDatabase } from "../database/testing/migrated-database.ts";
import { createFounder, fetchList, outcomeOf } from "../organizations/testing/test-member-list.ts";
import { addPerson } from "../organizations/testing/test-organization.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createTestService } from "../testing/test-service.ts";
import { dayMilliseconds as day } from "../time/clock.ts";
import { createEnvelopeStore } from "./envelope-store.ts";
import { openStored, sealPairs } from "./testing/test-envelope.ts";
import { createForm, pair } from "./testing/test-form.ts";

async function setUp(
  t: Parameters<typeof createTestService>[0],
  options: Parameters<typeof createTestService>[1] = {},
) {
  const service = await createTestService(t, options);
  const owner = await createFounder(service, await service.signUp("owner@example.com"));
  const list = await fetchList(owner);
  const formId = await createForm(owner.account);
  return { service, owner, list, formId };
}

test("revision follows revision, each is given as it was sent, and of two writers at once one wins, who may send it again", async (t) => {
  const { service, owner, list, formId } = await setUp(t);
  const { envelopes } = owner.client;
  assert.deepEqual(await envelopes.list(formId), []);
  assert.equal(await outcomeOf(envelopes.get(formId, 1)), "404 envelope_not_found");
  const first = await sealPairs(owner, list, formId, [pair]);
  const written = await envelopes.put(formId, 1, first.file, undefined);
  assert.deepEqual([written.revision, written.hash, written.bytes], [1, first.head.hash, first.file.length]);
  assert.deepEqual(await envelopes.list(formId), [written]);
  assert.deepEqual(await envelopes.get(formId, 1), first.file);
  assert.equal(await envelopes.get(formId, 1, { known: first.head }), undefined);
  const opened = await openStored(owner, list, formId);
  assert.deepEqual(opened.content.keys[0]?.privateKey, pair.privateKey);

  const next = () => sealPairs(owner, list, formId, [], { previous: opened });
  const both = await Promise.all([next(), next()]);
  const outcomes = await Promise.all(both.map(({ file }) => outcomeOf(envelopes.put(formId, 1, file, first.head))));
  assert.deepEqual(outcomes.toSorted(), ["200", "412 precondition_failed"]);
  const second = await openStored(owner, list, formId, { newest: first.head });
  assert.equal(second.head.hash, both[outcomes.indexOf("200")]?.head.hash);
  assert.equal(await outcomeOf(envelopes.put(formId, 1, first.file, undefined)), "412 precondition_failed");
  const won = both[outcomes.indexOf("200")]?.file ?? first.file;
  const again = await envelopes.put(formId, 1, won, first.head);
  assert.deepEqual([again.revision, again.hash], [2, second.head.hash], "sent once more after a lost answer");
  assert.deepEqual(await envelopes.get(formId, 1, { revision: 1 }), first.file);
  assert.equal(await outcomeOf(envelopes.get(formId, 1, { revision: 3 })), "404 envelope_not_found");

  const path = `/api/forms/${formId}/envelopes/1`;
  const { token } = owner.account;
  const envelope = encodeBase64Url(first.file);
  assert.equal((await service.request("PUT", path, { token, body: { envelope } })).status, 428);
  const answer = await service.request("GET", path, { token });
  assert.equal(answer.headers.get("etag"), `"2-${second.head.hash}"`);
  assert.equal(answer.headers.get("content-type"), "application/octet-stream");
  const { entries } = (await owner.account.request("GET", "/api/audit-log?action=envelope.written")).body;
  assert.deepEqual(
    entries.map(({ target, details }: Record<string, { id: string; changes: { to: number }[] }>) => [
      target?.id,
      details?.changes.map(({ to }) => to),
    ]),
    [2, 1].map((revision) => [formId, [1, revision]]),
  );
});

test("what is no envelope by its outer form is refused, also where it is far too large or for a version that there is not", async (t) => {
  const { owner, list, formId } = await setUp(t);
  const { file } = await sealPairs(owner, list, formId, [pair]);
  const put = (bytes: Uint8Array, version = 1) =>
    outcomeOf(owner.client.envelopes.put(formId, version, bytes, undefined));
  const text = (value: string) => new TextEncoder().encode(value);
  const header = new TextDecoder("latin1").decode(file).split("\n--- ")[0] ?? "";
  const [, stanza = "", body = ""] = header.split("\n");
  const ofStanzas = (lines: string) => text(`age-encryption.org/v1\n${lines}\n--- mac\n`);
  const fitting = ofStanzas(Array(64).fill(`${stanza}\n${body}`).join("\n"));
  const wrong: readonly Uint8Array[] = [
    new Uint8Array(),
    text("hello"),
    text("-----BEGIN AGE ENCRYPTED FILE-----\n"),
    ofStanzas(Array(65).fill(`${stanza}\n${body}`).join("\n")),
    ofStanzas(`-> scrypt AAAAAAAAAAAAAAAAAAAAAA 30\n${body}`),
    ofStanzas(`${stanza}\n${body}\n-> X25519 AAAA\n${body}`),
    ofStanzas(`${stanza} more\n${body}`),
    ofStanzas(`${stanza}\n${body}${body}`),
    text("\n".repeat(262_000)),
  ];
  for (const bytes of wrong)
    assert.equal(await put(bytes), "400 envelope_invalid", new TextDecoder().decode(bytes.slice(0, 60)));
  assert.equal(await put(new Uint8Array(393_217)), "400 invalid_request");
  assert.equal(await put(new Uint8Array(600_000)), "413 body_too_large");
  for (const version of [0, 2, 1e9, 1.5])
    assert.match(await put(file, version).catch(String), /404 key_version_not_found|TypeError/);
  assert.equal(await put(fitting), "200");
  assert.equal((await owner.client.envelopes.list(formId)).length, 1);
});

test("a reader gets the envelopes of named forms and writes none; a developer, an auditor, strangers and limited keys get nothing else", async (t) => {
  const { service, owner, list, formId } = await setUp(t);
  const { file } = await sealPairs(owner, list, formId, [pair]);
  const written = await owner.client.envelopes.put(formId, 1, file, undefined);
  const other = await createForm(owner.account);
  const join = (role: "reader" | "developer" | "auditor" | "manager") =>
    addPerson(service, owner.account, `${role}@example.com`, {
      role,
      ...((role === "reader" || role === "developer") && { forms: [formId] }),
    });
  const [reader, developer, auditor, manager] = [
    await join("reader"),
    await join("developer"),
    await join("auditor"),
    await join("manager"),
  ];
  const keyOf = async (permissions: string[], forms?: string[]) =>
    (await owner.account.request("POST", "/api/api-keys", { name: permissions.join(), permissions, forms })).body.key
      .key;
  const limited = await keyOf(["submissions:read"], [formId]);
  const elsewhere = await keyOf(["submissions:read", "forms:write"], [other]);
  const forms = await keyOf(["forms:read"]);
  const stranger = await service.signUp("stranger@example.com");
  const body = { envelope: encodeBase64Url(file) };
  const headers = { "if-match": `"1-${written.hash}"` };
  const path = `/api/forms/${formId}/envelopes`;
  const outcomes = async (token: string) => {
    const answers = [
      await service.request("GET", path, { token }),
      await service.request("GET", `${path}/1`, { token }),
      await service.request("PUT", `${path}/1`, { token, body, headers }),
    ];
    return answers.map(({ status }) => status);
  };
  assert.deepEqual(await outcomes(reader.token), [200, 200, 403]);
  for (const { token } of [developer, auditor]) assert.deepEqual(await outcomes(token), [403, 403, 403]);
  assert.deepEqual(await outcomes(stranger.token), [404, 404, 404]);
  assert.deepEqual(await outcomes(limited), [200, 200, 403]);
  assert.deepEqual(await outcomes(elsewhere), [404, 404, 404]);
  assert.deepEqual(await outcomes(forms), [403, 403, 403]);
  assert.equal((await owner.account.request("DELETE", `/api/members/${reader.id}`)).status, 200);
  assert.deepEqual(await outcomes(reader.token), [403, 403, 403]);
  const hour = { authenticated_at: Date.now() - 3_660_000 };
  await service.database.updateTable("session").set(hour).where("person_id", "=", manager.id).execute();
  assert.deepEqual(await outcomes(manager.token), [200, 200, 403]);
  assert.deepEqual(await owner.client.envelopes.list(formId), [written]);
});

test("who writes garbage for months drops no newest revision of another writer, and none of a form under legal hold", async (t) => {
  const { service, owner, list, formId } = await setUp(t);
  const { envelopes } = owner.client;
  const real = await sealPairs(owner, list, formId, [pair]);
  let head: { readonly revision: number; readonly hash: string } = await envelopes.put(formId, 1, real.file, undefined);
  await service.database.updateTable("envelope").set({ writer_id: "another" }).execute();
  const garbage = await sealPairs(owner, list, formId, [takeKeyPair()]);
  const write = async (times: number) => {
    for (let count = 0; count < times; count++) head = await envelopes.put(formId, 1, garbage.file, head);
  };
  const setOld = () =>
    service.database
      .updateTable("envelope")
      .set({ created_at: Date.now() - 91 * day })
      .execute();
  const isThere = async (revision: number) => (await outcomeOf(envelopes.get(formId, 1, { revision }))) === "200";
  await write(24);
  assert.deepEqual(await Promise.all([1, 2, 25].map(isThere)), [true, true, true], "within 90 days");
  await setOld();
  await write(1);
  assert.deepEqual(await Promise.all([1, 2, 6, 7, 26].map(isThere)), [true, false, false, true, true]);
  assert.deepEqual(await envelopes.get(formId, 1, { revision: 1 }), real.file);
  assert.equal((await owner.client.forms.setHold(formId))?.reason, null);
  await setOld();
  await write(2);
  assert.deepEqual(await Promise.all([1, 7, 8, 28].map(isThere)), [true, true, true, true]);
  await owner.client.forms.liftHold(formId);
  await write(1);
  assert.deepEqual(await Promise.all([1, 9, 10].map(isThere)), [true, false, true]);
});

test("a clock that is a year ahead for ten minutes has no revision dropped before its time", async (t) => {
  const clock = createFakeClock(Date.now());
  const database = await openMigratedDatabase(t);
  let isTrusted = true;
  const store = createEnvelopeStore(database, () => isTrusted);
  const [formId, writerId] = [createId("form"), createId("account")];
  let revision = 0;
  const write = async (times: number) => {
    for (let count = 0; count < times; count++) {
      revision += 1;
      const made = { lowestVersion: 1, revision, hash: `${revision}`, bytes: 1, file: Buffer.from("x") };
      await database
        .transaction()
        .execute((transaction) => store.add(transaction, formId, { ...made, writerId, createdAt: clock.now() }));
    }
  };
  const count = async () => (await database.selectFrom("envelope").select("revision").execute()).length;
  await write(25);
  clock.jump(365 * day);
  isTrusted = false;
  await write(30);
  assert.equal(await count(), 55, "while it is ahead");
  clock.jump(-365 * day);
  isTrusted = true;
  clock.advance(80 * day);
  await write(10);
  assert.equal(await count(), 65, "and once it is right");
  clock.advance(100 * day);
  await write(1);
  assert.equal(await count(), 42, "what is dated later counts as recent, and the one before was in use until then");
});

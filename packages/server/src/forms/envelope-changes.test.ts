import assert from "node:assert/strict";
import { test } from "node:test";
import { createId, encodeBase64Url, type FormId, type KeyPair } from "@sealpost/wire";
import { sql } from "kysely";
import { takeKeyPair } from "../../../../tests/support/key-pairs.ts";
import {
  createFounder,
  createSigner,
  fetchList,
  outcomeOf,
  type Signer,
} from "../organizations/testing/test-member-list.ts";
import { addPerson, switchTo } from "../organizations/testing/test-organization.ts";
import { purge } from "../retention/testing/purge.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { testDatabaseKind } from "../testing/test-database.ts";
import { createTestService } from "../testing/test-service.ts";
import { hourMilliseconds } from "../time/clock.ts";
import { createEnvelopeStore } from "./envelope-store.ts";
import { createFormReservationStore } from "./form-reservation-store.ts";
import { openStored, sealPairs } from "./testing/test-envelope.ts";

async function setUp(t: Parameters<typeof createTestService>[0]) {
  const clock = createFakeClock(Date.UTC(2026, 10, 23, 12));
  const service = await createTestService(t, { clock });
  const owner = await createFounder(service, await service.signUp("owner@example.com"));
  const list = await fetchList(owner);
  const person = await addPerson(service, owner.account, "manager@example.com", { role: "manager" });
  const manager = await createSigner(service, person, owner.account.id);
  const reserve = async (by: Signer = owner) => (await by.client.forms.reserve()).formId as FormId; // as the service answered it
  const seal = async (formId: FormId, pair: KeyPair) => (await sealPairs(owner, list, formId, [pair])).file;
  const listForms = async () => (await owner.client.forms.list()).forms.map(({ id }) => id);
  return { clock, service, owner, manager, list, reserve, seal, listForms };
}

test("a form with a reserved id is made once, also without an envelope, so that one whose answer was lost is recognized", async (t) => {
  const { owner, manager, reserve } = await setUp(t);
  const { publicKey } = takeKeyPair();
  const formId = await reserve();
  const create = (by: Signer, body: object = {}) =>
    outcomeOf(by.client.forms.create({ name: "Works council", publicKey, formId, ...body }));
  assert.equal(await create(manager), "409 form_not_reserved");
  await owner.client.forms.create({ name: "Taken", publicKey });
  assert.equal(await create(owner, { name: "Taken" }), "409 form_name_taken");
  assert.equal(await create(owner), "200");
  assert.deepEqual((await owner.client.forms.get(formId)).publicKey, publicKey);
  assert.equal(await create(owner), "409 form_not_reserved");
  assert.equal(await create(owner, { name: "Second" }), "409 form_not_reserved");
});

test("a form and its envelope are made in one step, with an id that was reserved for its maker, once", async (t) => {
  const { clock, service, owner, manager, list, reserve, seal, listForms } = await setUp(t);
  const pair = takeKeyPair();
  const { publicKey } = pair;
  const formId = await reserve();
  const envelope = await seal(formId, pair);
  const create = (by: Signer, body: object) =>
    outcomeOf(by.client.forms.create({ name: "Contact", publicKey, formId, envelope, ...body }));

  // Refused, each leaves the reservation unchanged.
  const text = encodeBase64Url(envelope);
  const answers = [{ formId }, { publicKey, envelope: text }, { formId, envelope: text }].map(
    async (body) => (await owner.account.request("POST", "/api/forms", { name: "Contact", ...body })).body.detailCodes,
  );
  assert.deepEqual(await Promise.all(answers), [
    { formId: "form_id_needless" },
    { formId: "form_id_missing" },
    { publicKey: "public_key_not_sent" },
  ]);
  assert.equal(await create(owner, { envelope: new Uint8Array(100) }), "400 envelope_invalid");
  for (const other of ["form_1", createId("form"), await reserve(manager)])
    assert.equal(await create(owner, { formId: other }), "409 form_not_reserved");
  assert.equal(await create(manager, {}), "409 form_not_reserved");
  const stranger = await createSigner(service, await service.signUp("stranger@example.com"));
  assert.equal(await create(stranger, {}), "409 form_not_reserved");
  await owner.client.forms.create({ name: "Taken", publicKey });
  assert.equal(await create(owner, { name: "taken" }), "409 form_name_taken");
  assert.equal((await listForms()).includes(formId), false);
  const large = { name: "Contact", publicKey, settings: { allowedOrigins: ["x".repeat(70_000)] } };
  assert.equal((await owner.account.request("POST", "/api/forms", large)).status >= 400, true);

  // One of two simultaneous requests succeeds.
  const both = await Promise.all([create(owner, {}), create(owner, { name: "Second" })]);
  assert.deepEqual(both.toSorted(), ["200", "409 form_not_reserved"]);
  assert.equal((await listForms()).includes(formId), true);
  const opened = await openStored(owner, list, formId);
  assert.deepEqual([opened.content.revision, opened.content.keys[0]?.privateKey], [1, pair.privateKey]);
  assert.equal(await create(owner, { name: "Third" }), "409 form_not_reserved");

  const late = await reserve();
  clock.advance(hourMilliseconds);
  assert.equal(await create(owner, { formId: late, name: "Late" }), "409 form_not_reserved");
  assert.equal(await createFormReservationStore(service.database).removeExpired(clock.now()), true);
  assert.deepEqual(await service.database.selectFrom("form_reservation").selectAll().execute(), []);
  clock.advance(1);
  assert.equal(await create(owner, { formId: late, name: "Late" }), "403 session_stale");
});

test("a person has twenty open ids at most, also when many are asked for at once; others have their own", async (t) => {
  const { service, owner, manager, reserve } = await setUp(t);
  const many = await Promise.all(Array.from({ length: 24 }, () => outcomeOf(owner.client.forms.reserve())));
  const count = (outcome: string) => many.filter((one) => one === outcome).length;
  assert.deepEqual([count("200"), count("409 too_many_reservations")], [20, 4]);
  assert.match(await reserve(manager), /^form_/);
  const key = (await owner.account.request("POST", "/api/api-keys", { name: "Key" })).body.key.key;
  assert.equal((await service.request("POST", "/api/forms/reservations", { token: key })).status, 200);
});

test("a rotation and the next revision of the envelope are one step; a form that has one is not rotated without", async (t) => {
  const { service, owner, manager, list, reserve, seal } = await setUp(t);
  const { forms, envelopes } = owner.client;
  const formId = await reserve();
  const first = takeKeyPair();
  await forms.create({ name: "Contact", publicKey: first.publicKey, formId, envelope: await seal(formId, first) });
  const opened = await openStored(owner, list, formId);
  const pair = takeKeyPair();
  const { publicKey } = pair;
  const next = await sealPairs(owner, list, formId, [pair], { version: 2, previous: opened });
  const whole = { publicKey, keyVersion: 2, envelope: next.file, before: opened.head };
  const rotate = (body: object, by: Signer = owner) => outcomeOf(by.client.forms.rotateKeys(formId, body));
  const versions = async () => (await forms.keys(formId)).length;

  assert.equal(await rotate({}), "409 envelope_needed");
  assert.equal(await rotate({ publicKey }, manager), "409 envelope_needed");
  assert.equal(await rotate({ publicKey, withoutEnvelope: true }, manager), "403 role_insufficient");
  for (const [change, outcome] of [
    [{ keyVersion: 3 }, "409 key_version_not_next"],
    [{ before: { ...opened.head, revision: 2 } }, "412 precondition_failed"],
    [{ envelope: new Uint8Array(9) }, "400 envelope_invalid"],
    [{ keyVersion: undefined }, "400 field_invalid"],
    [{ publicKey: undefined }, "400 field_invalid"],
    [{ withoutEnvelope: true }, "400 field_invalid"],
  ] as const)
    assert.match(
      await rotate({ ...whole, ...change }),
      new RegExp(`${outcome.slice(0, 3)} (${outcome.slice(4)}|invalid_request)`),
    );
  assert.deepEqual([await versions(), (await envelopes.list(formId))[0]?.revision], [1, 1]);

  const outcomes = await Promise.all([rotate(whole), rotate(whole)]);
  assert.deepEqual(outcomes.toSorted(), ["200", "409 key_version_not_next"]);
  const rotated = await openStored(owner, list, formId, { newest: opened.head });
  assert.deepEqual(
    rotated.content.keys.map(({ version, privateKey }) => [version, privateKey]),
    [
      [1, first.privateKey],
      [2, pair.privateKey],
    ],
  );
  assert.equal(await versions(), 2);

  const third = takeKeyPair();
  const wrong = await sealPairs(owner, list, formId, [third], { version: 3 });
  const begun = { publicKey: third.publicKey, keyVersion: 3, envelope: wrong.file };
  assert.equal(await rotate(begun), "412 precondition_failed", "version 3 has its place in the first envelope");
  // Another envelope, in which version 33 has its place.
  const { database } = service;
  await database.updateTable("form").set({ key_version: 32 }).where("id", "=", formId).execute();
  await database
    .updateTable("form_key")
    .set({ version: 32 })
    .where("form_id", "=", formId)
    .where("version", "=", 2)
    .execute();
  const another = await sealPairs(owner, list, formId, [third], { version: 33 });
  const beginning = { publicKey: third.publicKey, keyVersion: 33, envelope: another.file };
  // Its writer takes the readers of the last envelope over, and has to have seen its newest revision.
  for (const before of [undefined, opened.head, { ...rotated.head, hash: opened.head.hash }])
    assert.equal(await rotate({ ...beginning, before }), "412 precondition_failed");
  // One above it is not the last one: no service begins it, and a changed database may have it.
  await sql`insert into envelope (form_id, lowest_version, revision, hash, bytes, file, writer_id, created_at)
    select form_id, 65, 1, hash, bytes, file, writer_id, created_at from envelope
    where form_id = ${formId} and revision = 1`.execute(database);
  assert.equal(await rotate({ ...beginning, before: rotated.head }), "200");
  assert.deepEqual(
    (await envelopes.list(formId)).map(({ lowestVersion, revision }) => [lowestVersion, revision]),
    [
      [1, 2],
      [33, 1],
      [65, 1],
    ],
  );
  assert.equal(await rotate({ publicKey: takeKeyPair().publicKey, withoutEnvelope: true, keyVersion: 34 }), "200");
  assert.equal(await versions(), 4);
});

test("where the envelope can't be stored there is no form and no new key version", {
  skip: testDatabaseKind !== "sqlite" && "the trigger is SQLite's",
}, async (t) => {
  const { service, owner, list, reserve, seal, listForms } = await setUp(t);
  const { database } = service;
  const [formId, other] = [await reserve(), await reserve()];
  const pair = takeKeyPair();
  const { publicKey } = pair;
  await owner.client.forms.create({ name: "One", publicKey, formId, envelope: await seal(formId, pair) });
  const opened = await openStored(owner, list, formId);
  await sql`create trigger fail before insert on envelope begin select raise(abort, 'disk'); end`.execute(database);
  const create = async () =>
    outcomeOf(owner.client.forms.create({ name: "Two", publicKey, formId: other, envelope: await seal(other, pair) }));
  assert.equal(await create(), "500 internal_error");
  const next = takeKeyPair();
  const { file } = await sealPairs(owner, list, formId, [next], { version: 2, previous: opened });
  const rotation = { publicKey: next.publicKey, keyVersion: 2, envelope: file, before: opened.head };
  assert.equal(await outcomeOf(owner.client.forms.rotateKeys(formId, rotation)), "500 internal_error");
  assert.deepEqual([await listForms(), (await owner.client.forms.keys(formId)).length], [[formId], 1]);
  await sql`drop trigger fail`.execute(database);
  assert.equal(await create(), "200");
  await owner.client.forms.rotateKeys(formId, rotation);
});

test("an owner takes a form back to key files, restores its envelope within 30 days, and hands it over only without one", async (t) => {
  const { clock, service, owner, manager, list, reserve, seal } = await setUp(t);
  const { forms, envelopes } = owner.client;
  const formId = await reserve();
  const pair = takeKeyPair();
  const envelope = await seal(formId, pair);
  await forms.create({ name: "Contact", publicKey: pair.publicKey, formId, envelope });
  const { body } = await owner.account.request("POST", "/api/organizations", { name: "Another" });
  const handOver = () => outcomeOf(forms.handOver(formId, { organizationId: body.organization.id }));
  const [written] = await envelopes.list(formId);

  assert.equal(await outcomeOf(envelopes.restore(formId)), "404 envelopes_not_removed");
  assert.equal(await outcomeOf(manager.client.envelopes.remove(formId)), "403 role_insufficient");
  assert.equal(await handOver(), "409 form_in_envelope");
  await forms.setHold(formId);
  assert.equal(await outcomeOf(envelopes.remove(formId)), "409 form_held");
  await forms.liftHold(formId);
  const removedAt = clock.now();
  const until = removedAt + 30 * 24 * hourMilliseconds;
  assert.deepEqual(await envelopes.remove(formId), { envelopes: [], removals: [removedAt], restorableUntil: until });
  assert.equal(await outcomeOf(envelopes.remove(formId)), "404 envelope_not_found");
  assert.equal(await outcomeOf(envelopes.get(formId, 1)), "404 envelope_not_found");
  assert.equal(await envelopes.restorableUntil(formId), until);
  assert.equal(await outcomeOf(manager.client.envelopes.restore(formId)), "403 role_insufficient");
  assert.deepEqual((await envelopes.restore(formId)).envelopes, [written]);
  assert.deepEqual((await openStored(owner, list, formId)).content.keys[0]?.privateKey, pair.privateKey);

  // Another one begins at revision 1, and what was removed waits until it is gone.
  await envelopes.remove(formId);
  await envelopes.put(formId, 1, envelope, undefined);
  assert.equal(await outcomeOf(envelopes.restore(formId)), "409 envelopes_in_use");
  // Garbage that is removed after the good one hides that from nobody.
  await envelopes.remove(formId);
  const removals = await envelopes.removals(formId);
  assert.equal(removals.length, 2);
  assert.equal(await outcomeOf(envelopes.restore(formId, 1)), "404 envelopes_not_removed");
  assert.deepEqual((await envelopes.restore(formId, removals[1])).envelopes, [written]);
  assert.deepEqual(await envelopes.removals(formId), removals.slice(0, 1));
  const stores = createEnvelopeStore(service.database, () => true);
  for (let times = 2; times <= 10; times++) {
    await envelopes.remove(formId);
    await envelopes.put(formId, 1, envelope, undefined);
  }
  assert.equal(await outcomeOf(envelopes.remove(formId)), "409 too_many_envelope_removals");
  const age = { removed_at: sql<number>`removed_at - ${30 * 24 * hourMilliseconds}` };
  await service.database.updateTable("envelope").set(age).where("removed_at", ">", 0).execute();
  await forms.setHold(formId);
  assert.equal(await stores.purge(clock.now() + 100), false);
  await forms.liftHold(formId);
  assert.equal(await stores.purge(clock.now() + 100), true);
  assert.equal(await stores.purge(clock.now() + 100), false);
  assert.deepEqual((await envelopes.list(formId)).length, 1);

  // After the hand-over nobody restores it there, nor one that was removed while the clock was ahead.
  await envelopes.remove(formId);
  const ahead = { removed_at: sql<number>`removed_at + ${365 * 24 * hourMilliseconds}` };
  await service.database
    .updateTable("envelope")
    .set(ahead)
    .where("removed_at", ">", clock.now() - hourMilliseconds)
    .execute();
  assert.equal(await handOver(), "200");
  await switchTo(owner.account, body.organization.id);
  assert.equal(await outcomeOf(envelopes.restore(formId)), "404 envelopes_not_removed");
  await forms.delete(formId);
  await purge(service, clock);
  const rows = await service.database.selectFrom("envelope").select("revision").where("form_id", "=", formId).execute();
  assert.deepEqual(rows, []);
});

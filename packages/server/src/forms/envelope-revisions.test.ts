import assert from "node:assert/strict";
import { test } from "node:test";
import { type AccountId, createId, encodeBase64Url, type FormId } from "@sealpost/wire";
import { takeKeyPair } from "../../../../tests/support/key-pairs.ts";
import type { Database } from "../database/database.ts";
import { openMigratedDatabase } from "../database/testing/migrated-database.ts";
import { createFounder, fetchList } from "../organizations/testing/test-member-list.ts";
import { addPerson } from "../organizations/testing/test-organization.ts";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createTestService } from "../testing/test-service.ts";
import { dayMilliseconds as day } from "../time/clock.ts";
import { daysKept, revisionsKept, revisionsPerDay } from "./envelope.ts";
import { createEnvelopeStore } from "./envelope-store.ts";
import { sealPairs } from "./testing/test-envelope.ts";
import { createForm } from "./testing/test-form.ts";

interface Written {
  readonly revision: number;
  readonly writer: AccountId;
  readonly at: number;
}

/** The rule of SPECIFICATION.md section 15, and the newest ones of all. */
function mustStay(
  all: readonly Written[],
  { revision, writer, at }: Written,
  keyTimes: ReadonlySet<number>,
  now: number,
): boolean {
  const later = all.filter((one) => one.revision > revision);
  const replacedAt = later[0]?.at ?? now;
  return (
    keyTimes.has(at) ||
    replacedAt > now - daysKept * day ||
    !later.some((one) => one.writer === writer) ||
    later.length < revisionsKept
  );
}

test("each writer's newest revision stays, each that came with a new key, and those that another one has replaced within 90 days, in whatever order people write: 40 sequences", async (t) => {
  const database = await openMigratedDatabase(t);
  const store = createEnvelopeStore(database, () => true);
  const writers = Array.from({ length: 4 }, () => createId("account"));
  let dropped = 0;
  for (let seed = 1; seed <= 40; seed++) {
    const random = createRandom(seed);
    const formId = createId("form");
    const all: Written[] = [];
    const keyTimes = new Set<number>();
    let now = 1_000 * day;
    for (let revision = 1; revision <= 60; revision++) {
      now += [0, 1000, day / 2, 5 * day, 45 * day, 100 * day][Math.floor(random() * (seed % 2 === 0 ? 6 : 4))] ?? 0;
      const writer = writers[Math.floor(random() ** 3 * writers.length)] ?? createId("account");
      all.push({ revision, writer, at: now });
      // Another revision of the same millisecond stays with the one that came with the key.
      if (random() < 0.1 && !keyTimes.has(now)) await addKey(database, formId, keyTimes.add(now).size, now);
      await database.transaction().execute((transaction) =>
        store.add(transaction, formId, {
          ...{ lowestVersion: 1, revision, hash: `${revision}`, bytes: 1, file: Buffer.from("x") },
          ...{ writerId: writer, createdAt: now },
        }),
      );
    }
    const rows = await database.selectFrom("envelope").select("revision").where("form_id", "=", formId).execute();
    const wanted = all.filter((one) => mustStay(all, one, keyTimes, now)).map(({ revision }) => revision);
    assert.deepEqual(
      rows.map(({ revision }) => revision).toSorted((a, b) => a - b),
      wanted,
      `seed ${seed}`,
    );
    dropped += all.length - wanted.length;
    const listed = await store.list(formId);
    assert.deepEqual(
      listed.map(({ lowestVersion, revision }) => [lowestVersion, revision]),
      [[1, 60]],
    );
  }
  assert.ok(dropped > 100, String(dropped));
});

async function addKey(database: Database, formId: FormId, version: number, createdAt: number): Promise<void> {
  await database
    .insertInto("form_key")
    .values({
      ...{ form_id: formId, version, modulus: "x", fingerprint: `${version}`, made_by: "owner" },
      created_at: createdAt,
    })
    .execute();
}

/** From 0 to 1, by xorshift. */
function createRandom(seed: number): () => number {
  let state = seed * 2_654_435_761;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

test("a manager, also by API keys, stores 64 revisions of an envelope within a day, and keeps no other manager and no owner from it", async (t) => {
  const clock = createFakeClock(Date.now());
  const service = await createTestService(t, { clock });
  const owner = await createFounder(service, await service.signUp("owner@example.com"));
  const formId = await createForm(owner.account);
  const path = `/api/forms/${formId}/envelopes/1`;
  const { file } = await sealPairs(owner, await fetchList(owner), formId, [takeKeyPair()]);
  let tag: string | undefined;
  const write = async (token: string): Promise<string> => {
    const headers: Record<string, string> = tag === undefined ? { "if-none-match": "*" } : { "if-match": tag };
    // Other bytes, by their end: the service sees no more of them than the header.
    const bytes = Buffer.from(file);
    crypto.getRandomValues(bytes.subarray(-16));
    const answer = await service.request("PUT", path, { token, body: { envelope: encodeBase64Url(bytes) }, headers });
    tag = answer.headers.get("etag") ?? tag;
    if (answer.status === 429) assert.equal(Number(answer.headers.get("retry-after")), day / 1000);
    return answer.status === 200 ? "200" : `${answer.status} ${answer.body.code}`;
  };
  const one = await addPerson(service, owner.account, "one@example.com", { role: "manager" });
  const other = await addPerson(service, owner.account, "other@example.com", { role: "manager" });
  const permissions = ["submissions:read", "forms:write"];
  const { key } = (await one.request("POST", "/api/api-keys", { name: "Key", permissions })).body.key;
  for (let count = 1; count <= revisionsPerDay; count++)
    assert.equal(await write(count % 2 === 0 ? one.token : key), "200", String(count));
  const tooMany = "429 too_many_envelope_revisions_today";
  assert.deepEqual(
    [await write(one.token), await write(key), await write(other.token), await write(owner.account.token)],
    [tooMany, tooMany, "200", "200"],
  );
  const { database } = service;
  const setAll = (created_at: number) => database.updateTable("envelope").set({ created_at }).execute();
  await database.updateTable("envelope").set({ writer_id: owner.account.id }).execute();
  assert.equal(await write(owner.account.token), "200", "an owner has no bound");
  await database.updateTable("envelope").set({ writer_id: one.id }).execute();
  assert.equal(await write(one.token), tooMany);
  await setAll(clock.now() + 1);
  assert.equal(await write(one.token), "200", "revisions from while the clock was ahead count for no bound");
  await setAll(clock.now() - day);
  assert.equal(await write(one.token), "200", "a day later");
});

test("all revisions of an envelope are listed page by page, newest first, with who stored them", async (t) => {
  const service = await createTestService(t);
  const owner = await createFounder(service, await service.signUp("owner@example.com"));
  const formId = await createForm(owner.account);
  const { envelopes } = owner.client;
  const manager = await addPerson(service, owner.account, "one@example.com", { role: "manager" });
  const { file } = await sealPairs(owner, await fetchList(owner), formId, [takeKeyPair()]);
  let head = await envelopes.put(formId, 1, file, undefined);
  const before = head;
  const list = (path = `/api/forms/${formId}/envelopes/1/revisions`) => owner.account.request("GET", path);
  assert.equal((await list(`/api/forms/${formId}/envelopes/33/revisions`)).status, 404);
  for (let count = 0; count < 5; count++) {
    file[file.length - 1] = count;
    head = await envelopes.put(formId, 1, file, head);
  }
  await service.database.updateTable("envelope").set({ writer_id: manager.id }).where("revision", "=", 3).execute();
  const pages: number[][] = [];
  const writers = new Map<number, string>();
  for (let cursor: string | undefined; ; ) {
    const page = await envelopes.listRevisions(formId, 1, { limit: 2, ...(cursor !== undefined && { cursor }) });
    pages.push(page.revisions.map(({ revision }) => revision));
    for (const { revision, writerId } of page.revisions) writers.set(revision, writerId);
    const first = page.revisions.find(({ revision }) => revision === 1);
    if (first) assert.deepEqual([first.hash, first.bytes], [before.hash, before.bytes]);
    if (page.nextCursor === null) break;
    cursor = page.nextCursor;
  }
  assert.deepEqual(pages, [
    [6, 5],
    [4, 3],
    [2, 1],
  ]);
  assert.deepEqual([writers.get(3), writers.get(4)], [manager.id, owner.account.id]);
  assert.equal((await list(`/api/forms/${formId}/envelopes/1/revisions?cursor=x`)).status, 400);
});

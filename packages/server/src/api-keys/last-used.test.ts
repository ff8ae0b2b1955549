import assert from "node:assert/strict";
import { test } from "node:test";
import { type ApiKeyId, createId } from "@sealpost/wire";
import { createFakeClock } from "../testing/fake-clock.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { createTestService } from "../testing/test-service.ts";
import { createLastUsed, noteKeyEvery } from "./last-used.ts";

function createRecorder() {
  const writes: [ApiKeyId, number][] = [];
  return { writes, noteUse: async (id: ApiKeyId, usedAt: number) => void writes.push([id, usedAt]) };
}

test("a key's uses are written at most once a minute, each key by itself", async () => {
  const clock = createFakeClock(1_000_000);
  const apiKeys = createRecorder();
  const uses = createLastUsed({ noteUse: apiKeys.noteUse, everyMilliseconds: noteKeyEvery, clock });
  const [one, other] = [createId("apiKey"), createId("apiKey")];
  uses.note(one);
  uses.note(one);
  clock.advance(59_999);
  uses.note(one);
  uses.note(other);
  clock.advance(1);
  uses.note(one);
  await uses.settle();
  assert.deepEqual(apiKeys.writes, [
    [one, 1_000_000],
    [other, 1_059_999],
    [one, 1_060_000],
  ]);
});

test("a use whose write failed is written with the next one", async () => {
  const clock = createFakeClock();
  let attempts = 0;
  const noteUse = async () => {
    attempts += 1;
    throw new Error("the database is busy");
  };
  const uses = createLastUsed({ noteUse, everyMilliseconds: noteKeyEvery, clock });
  const id = createId("apiKey");
  uses.note(id);
  await uses.settle();
  uses.note(id);
  await uses.settle();
  assert.equal(attempts, 2);
});

test("lastUsed tells when a key was used, exact to a minute, and is there after a restart", async (t) => {
  const folder = createTemporaryFolder(t);
  const clock = createFakeClock(Date.UTC(2026, 0, 15, 12));
  const first = await createTestService(t, { folder, clock });
  const account = await first.signUp();
  const created = await account.request("POST", "/api/api-keys", { name: "Key" });
  const { id, key } = created.body.key;
  const refused = await account.request("POST", "/api/api-keys", { name: "Unused", permissions: ["forms:read"] });
  clock.advance(10_000);
  await first.request("GET", "/api/forms", { token: key });
  clock.advance(30_000);
  await first.request("GET", "/api/forms", { token: key });
  await first.stop();

  const second = await createTestService(t, { folder, clock });
  const list = await second.request("GET", "/api/api-keys", { token: account.token });
  const lastUsed = Object.fromEntries(
    list.body.keys.map((item: { id: string; lastUsed: string | null }) => [item.id, item.lastUsed]),
  );
  assert.deepEqual(lastUsed, { [id]: "2026-01-15T12:00:10.000Z", [refused.body.key.id]: null });

  // Another process, which remembers nothing of the first, holds to the minute all the same.
  clock.advance(20_000);
  await second.request("GET", "/api/forms", { token: key });
  await second.stop();
  const third = await createTestService(t, { folder, clock });
  const again = await third.request("GET", "/api/api-keys", { token: account.token });
  assert.equal(again.body.keys.find((item: { id: string }) => item.id === id).lastUsed, "2026-01-15T12:00:10.000Z");
  clock.advance(10_000);
  await third.request("GET", "/api/forms", { token: key });
  await third.stop();
  const fourth = await createTestService(t, { folder, clock });
  const later = await fourth.request("GET", "/api/api-keys", { token: account.token });
  assert.equal(later.body.keys.find((item: { id: string }) => item.id === id).lastUsed, "2026-01-15T12:01:10.000Z");
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { AccountId } from "@sealpost/wire";
import { completeMove, saveMove, undoMilliseconds } from "../accounts/address-move-store.ts";
import { endUndoneMove } from "../accounts/undone-move-store.ts";
import { createTemporaryFolder } from "../testing/temporary-folder.ts";
import { createTestService } from "../testing/test-service.ts";
import { describeMove } from "./backup-commands.ts";
import { backUpTo, keepSecret, restoreTo, settings } from "./testing/back-up.ts";

test("a restore names each account whose move to another address was waiting, could be undone, or was undone", async (t) => {
  const folder = createTemporaryFolder(t);
  const service = await createTestService(t, { folder });
  const now = Date.now();
  /** An account with a move to another address, as far as it came. */
  async function move(name: string, as: "waiting" | "moved" | "undone"): Promise<void> {
    const [oldEmail, newEmail] = [`${name}@example.com`, `${name}@example.net`];
    const personId = (await service.signUp(oldEmail)).id as AccountId; // the service made it
    await service.database.transaction().execute(async (transaction) => {
      await saveMove(transaction, { personId, oldEmail, newEmail, oldToken: `o${name}`, newToken: `n${name}` }, now);
      if (as === "moved") await completeMove(transaction, { personId, newEmail }, now);
      if (as === "undone") await endUndoneMove(transaction, { personId, begunAt: now }, now);
    });
  }
  await move("asked", "waiting");
  await move("thief", "moved");
  await move("taken-back", "undone");
  await service.signUp("nobody@example.com");
  const { file } = await backUpTo(t, folder, createTemporaryFolder(t));
  await service.stop();
  const secretFile = keepSecret(t, await settings(t, folder));
  const target = createTemporaryFolder(t);
  const { moves } = await restoreTo(t, target, file, secretFile);
  const until = new Date(now + undoMilliseconds).toISOString();
  assert.deepEqual(moves.map(describeMove), [
    'waiting  "asked@example.com"  was to become "asked@example.net": ended',
    `moved  "thief@example.net"  was "thief@example.com": in force, also if it was undone since; can be undone until ${until}`,
    `undone  "taken-back@example.com"  at ${new Date(now).toISOString()}`,
  ]);
});

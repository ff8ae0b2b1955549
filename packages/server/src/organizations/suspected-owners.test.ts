import assert from "node:assert/strict";
import { test } from "node:test";
import type { AccountId } from "@sealpost/wire";
import { createCast, createScene, ok } from "../accounts/testing/moved-account.ts";
import { listMoves } from "../accounts/undone-move-store.ts";
import { onEither } from "../testing/test-database.ts";
import { createTestService } from "../testing/test-service.ts";
import { createMemberStore } from "./member-store.ts";
import { createUndoChanges, type UndoChangesDependencies } from "./undo-changes.ts";

test(
  "who asks again and again whether an owner is suspected has the history of members read once, until a member or a move changes",
  onEither,
  async (t) => {
    const service = await createTestService(t);
    const { database } = service;
    const scene = await createScene(service, await createCast(service));
    const { person, partner, manager, organizationId, change } = scene;
    const token = await scene.move();
    await scene.letIn(person, "helper");
    const members = createMemberStore(database);
    let reads = 0;
    const list: typeof members.list = (...asked) => {
      reads++;
      return members.list(...asked);
    };
    const { findSuspectedUntil } = createUndoChanges({
      members: { ...members, list },
      listMoves: (...asked) => listMoves(...asked, Date.now()),
    } as UndoChangesDependencies); // nothing else is asked
    const ask = async (who: { readonly id: string }) => {
      const [organization, one] = [organizationId as AccountId, who.id as AccountId]; // the service answered them
      return database.transaction().execute((transaction) => findSuspectedUntil(transaction, organization, one));
    };
    async function count(): Promise<number> {
      const before = reads;
      for (let times = 0; times < 5; times++) {
        assert.ok((await ask(scene.helper)) !== undefined);
        assert.equal(await ask(partner), undefined);
      }
      return reads - before;
    }
    assert.equal(await count(), 2, "one for each of the two");
    assert.equal(await count(), 0);
    ok(await change(partner, manager, "auditor"));
    assert.equal(await count(), 2, "a member was changed");
    await scene.undo(token);
    assert.equal(await ask(partner), undefined);
    assert.equal(reads, 5, "a move was undone");
  },
);

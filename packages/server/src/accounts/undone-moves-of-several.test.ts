import assert from "node:assert/strict";
import { test } from "node:test";
import type { AccountId } from "@sealpost/wire";
import { createForm } from "../forms/testing/test-form.ts";
import { switchTo } from "../organizations/testing/test-organization.ts";
import { createTestService, type TestAccount, type TestService } from "../testing/test-service.ts";
import { completeMove, saveMove } from "./address-move-store.ts";
import { createCast, createScene, ok, type Scene } from "./testing/moved-account.ts";

// Accounts of several people are moved by one thief, or are the thief's own. The helper and the friend are the thief's.

/** Returns the token of the link that undoes it. */
function moveAway(service: TestService, { id }: TestAccount, name: string): Promise<string> {
  const personId = id as AccountId; // the service made it
  return service.database.transaction().execute(async (transaction) => {
    const [oldEmail, newEmail] = [`${name}@example.com`, `moved-${name}@example.com`];
    const move = { personId, oldEmail, newEmail, oldToken: `old ${name}`, newToken: `new ${name}` };
    await saveMove(transaction, move, Date.now());
    return completeMove(transaction, move, Date.now());
  });
}

/** The answer to a thief who hands a form over to an organization of their own. */
async function handOver({ organizationId }: Scene, thief: TestAccount, form: string): Promise<string> {
  const own = await thief.request("POST", "/api/organizations", { name: "The thief's" });
  await switchTo(thief, organizationId);
  const to = { organizationId: own.body.organization.id };
  const { status, body } = await thief.request("POST", `/api/forms/${form}/hand-over`, to);
  return `${status} ${body.code ?? ""}`;
}

const waits = "409 form_hand_over_waits";

test("an accomplice who undoes a move of their own makes no owner of another one: the founder takes all back, and meanwhile no form goes", async (t) => {
  const service = await createTestService(t);
  const scene = await createScene(service, await createCast(service));
  const { person, partner, helper, friend, remove, letIn } = scene;
  const form = await createForm(person, { encryption: false });
  const token = await scene.move();
  ok(await remove(person, partner));
  await letIn(person, "helper");
  await letIn(person, "friend");
  const tokenOfFriend = await moveAway(service, friend, "friend");
  ok(await remove(friend, person));
  ok(await remove(friend, helper));
  await scene.undo(tokenOfFriend);
  await switchTo(helper, scene.organizationId);
  ok(await remove(helper, friend));
  // Who is brought back into the organization with their id has another one by now.
  const { members } = (await helper.request("GET", "/api/members")).body;
  const found = members.find(({ email }: { email: string }) => email === `moved-${scene.email}`);
  ok(await helper.request("DELETE", `/api/members/${found.id}`));
  assert.equal(await handOver(scene, helper, form), waits);
  await scene.undo(token);
  assert.deepEqual(await scene.listMembers(), { manager: "manager", partner: "owner", person: "owner" });
});

for (const order of [
  ["person", "partner"],
  ["partner", "person"],
] as const)
  test(`two owners whose accounts one thief has moved are owners again once both have undone it: ${order.join(", then ")}`, async (t) => {
    const service = await createTestService(t);
    const scene = await createScene(service, await createCast(service));
    const { person, partner, helper, friend, remove, letIn } = scene;
    const form = await createForm(person, { encryption: false });
    const tokens = { person: await scene.move(), partner: await moveAway(service, partner, "partner") };
    await letIn(person, "helper");
    await letIn(partner, "friend");
    ok(await remove(friend, person));
    ok(await remove(friend, partner));
    const thieves = { helper, friend };
    for (const thief of Object.values(thieves)) assert.equal(await handOver(scene, thief, form), waits);
    await scene.undo(tokens[order[0]]);
    // One of them is still suspected, and so is what the other one gave, also where their move is undone.
    const left = await scene.listMembers();
    for (const [name, thief] of Object.entries(thieves))
      if (left[name] === "owner") assert.equal(await handOver(scene, thief, form), waits);
    await scene.undo(tokens[order[1]]);
    assert.deepEqual(await scene.listMembers(), { manager: "manager", partner: "owner", person: "owner" });
  });

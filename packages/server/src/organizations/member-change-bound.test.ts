import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import type { AccountId } from "@sealpost/wire";
import fc from "fast-check";
import { sql } from "kysely";
import { managesFewer } from "../access/roles.ts";
import { onEither } from "../testing/test-database.ts";
import { createTestService, type TestAccount } from "../testing/test-service.ts";
import { dayMilliseconds as day } from "../time/clock.ts";
import { type FindAt, findFreeAt } from "./member-change-bound.ts";
import { memberChangesPerDay } from "./organization.ts";
import { type Act, anyAct, isPossible, people, type State, start } from "./testing/member-acts.ts";
import { addPerson, invite } from "./testing/test-organization.ts";

const { all, withOwners, ofOwner } = memberChangesPerDay;

async function createScene(t: TestContext) {
  const service = await createTestService(t);
  const { database } = service;
  const owner = await service.signUp("owner@example.com");
  const join = (name: string, role: "owner" | "manager" | "reader") =>
    addPerson(service, owner, `${name}@example.com`, { role, ...(role === "reader" && { forms: [] }) });
  return {
    ...{ service, owner, thief: await join("thief", "owner"), manager: await join("manager", "manager") },
    ...{ successor: await join("successor", "manager"), reader: await join("reader", "reader") },
    give: (by: TestAccount, to: TestAccount, role: string) =>
      by.request("PATCH", `/api/members/${to.id}`, {
        role,
        ...(["reader", "developer"].includes(role) && { forms: [] }),
      }),
    /** Changes of some member by this person, an hour ago. */
    fill: (by: TestAccount, count: number) =>
      sql`insert into member_change (organization_id, number, person_id, made_by, changed_at, role, form_ids, since)
        with recursive numbers (number) as (select 1 union all select number + 1 from numbers where number < ${count})
        select ${owner.id}, number + (select max(number) from member_change where organization_id = ${owner.id}), ${by.id},
          ${by.id}, cast(${Date.now() - 3_600_000} as bigint), 'reader', '[]', 0
        from numbers`.execute(database),
    /** Lets a day pass for all that was changed. */
    age: () => sql`update member_change set changed_at = changed_at - ${day}`.execute(database),
  };
}

test("the changes of members have a bound that is in nobody's way who takes rights", onEither, async (t) => {
  const scene = await createScene(t);
  await t.test(
    "managers who have used up the changes of a day give no other role, and owners still do; a role that somebody has already is given all the same",
    async () => {
      const { owner, manager, successor, reader, give, fill, age } = scene;
      await fill(manager, all);
      for (const one of [manager, successor]) {
        const { status, headers, body } = await give(one, reader, "developer");
        assert.deepEqual([status, body.code], [429, "too_many_member_changes"]);
        const seconds = Number(headers.get("retry-after"));
        assert.ok(seconds > 0 && seconds <= day / 1000, `${seconds}`);
        assert.equal((await give(one, reader, "reader")).status, 200);
      }
      assert.equal((await give(owner, reader, "developer")).status, 200);
      await age();
      assert.equal((await give(manager, reader, "reader")).status, 200);
    },
  );

  await t.test(
    "nobody who has used up the changes of a day keeps an owner from taking rights, removing, leaving and inviting, nor from some changes of their own",
    async () => {
      const { service, owner, thief, manager, successor, reader, give, fill, age } = scene;
      await age();
      await fill(thief, withOwners);
      assert.equal((await give(owner, reader, "auditor")).status, 200, "the owner has some of their own");
      assert.equal((await give(thief, reader, "manager")).body.code, "too_many_member_changes");
      await fill(owner, ofOwner);
      assert.equal((await give(owner, reader, "manager")).body.code, "too_many_member_changes");
      for (const [one, roles] of [
        [thief, ["manager", "reader"]],
        [manager, ["auditor"]],
      ] as const)
        for (const role of roles) assert.equal((await give(owner, one, role)).status, 200, role);
      assert.equal((await owner.request("DELETE", `/api/members/${thief.id}`)).status, 200);
      assert.equal(
        (await successor.request("DELETE", `/api/members/${manager.id}`)).status,
        403,
        "an auditor is above",
      );
      assert.equal((await successor.request("POST", "/api/members/leave")).status, 200);
      const token = await invite(owner, "next@example.com", { role: "owner" });
      const next = await service.signUp("next@example.com");
      assert.equal((await next.request("POST", "/api/invitations/accept", { token })).status, 200);
      const { body } = await owner.request("GET", "/api/members");
      assert.deepEqual(body.members.map(({ role }: { role: string }) => role).toSorted(), [
        "auditor",
        "auditor",
        "owner",
        "owner",
      ]);
    },
  );
});

/** As `memberChangesPerDay`, for five people. */
const bounds = { all: 10, withOwners: 20, ofOwner: 3 };
const joinsPerDay = 5;
interface Timed {
  readonly act: Act;
  /** Since the one before. */
  readonly wait: number;
}

/** Does the acts that the service would do. Joining has a bound of its own, that of invitations. */
async function play(acts: readonly Timed[], isBounded: boolean) {
  let [state, now]: [State, number] = [start, day];
  const done: (Act & { readonly at: number; readonly isJoin: boolean })[] = [];
  const ofDay = () => done.filter(({ at }) => at > now - day);
  let most = 0;
  for (const { act, wait } of acts) {
    now += wait;
    const { by, of, to } = act;
    const [own, from] = [state[by], state[of]];
    if (own === undefined || !isPossible(state, act)) continue;
    const isJoin = from === undefined;
    if (isJoin && ofDay().filter((one) => one.isJoin).length >= joinsPerDay) continue;
    const findAt: FindAt = async (count, madeBy) =>
      done.filter((one) => madeBy === undefined || String(one.by) === madeBy).at(-count)?.at;
    if (isBounded && from !== undefined && to !== undefined) {
      const change = { by: { personId: by as string as AccountId, role: own }, from, to, now }; // stands for one
      const freeAt = await findFreeAt(change, findAt, bounds);
      if (managesFewer(from, to)) assert.equal(freeAt, undefined);
      if (freeAt !== undefined) {
        assert.ok(freeAt > now && freeAt <= now + day);
        const ofOwn = ofDay().filter((one) => one.by === by).length;
        assert.ok(own !== "owner" || ofOwn >= bounds.ofOwner, "an owner with changes left was refused");
        continue;
      }
    }
    done.push({ ...act, at: now, isJoin });
    state = { ...state, [of]: to };
    most = Math.max(most, ofDay().length);
  }
  return most;
}

test("however members are changed, those of a day are few: what is never refused has to be given first", async () => {
  const act = fc.oneof({ weight: 30, arbitrary: anyAct.filter(({ to }) => to !== undefined) }, anyAct);
  const timed = fc.record({ act, wait: fc.integer({ min: 1, max: day / 1000 }) });
  // Beyond the bound: changes of each person's own, and three that take what they have or were given again.
  const most = bounds.withOwners + people.length * (bounds.ofOwner + 3) + joinsPerDay * 4;
  let unbounded = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(timed, { minLength: 700, maxLength: 1000, size: "max" }), async (acts) => {
      assert.ok((await play(acts, true)) <= most);
      unbounded = Math.max(unbounded, await play(acts, false));
    }),
    { numRuns: 30 },
  );
  assert.ok(unbounded > most, `${unbounded} without the bound`);
});

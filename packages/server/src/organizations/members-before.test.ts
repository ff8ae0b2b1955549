import assert from "node:assert/strict";
import { test } from "node:test";
import type { AccountId } from "@sealpost/wire";
import fc from "fast-check";
import { mayManage, type Role } from "../access/roles.ts";
import type { MemberChange } from "./member-change-store.ts";
import { decideUndo, type UndoDecision } from "./members-before.ts";
import {
  type Act,
  actsOfHonest,
  anyAct,
  hasLeft,
  holdAlways,
  listAll,
  type Name,
  type Played,
  people,
  play,
  rank,
  type Sequence,
  type State,
  sequencesOf,
} from "./testing/member-acts.ts";

const idOf = (name: Name) => `acc_${name}` as AccountId; // stands for one
const membership = (role: Role) => ({
  role,
  formIds: [],
  since: 0,
  addedBy: undefined,
  isDisabled: false,
  isLeaving: false,
});
const nobody: ReadonlySet<AccountId> = new Set();
const grant = (role: Role | undefined) => role && membership(role);

interface Replay extends Played {
  readonly kind: UndoDecision["kind"];
  readonly owners: readonly AccountId[];
  readonly undone: State;
}

function replay(sequence: Sequence): Replay {
  const played = play(sequence);
  const { done, gone, current } = played;
  const changes: MemberChange[] = done.map(({ by, of, at, state, isPurge }) => ({
    ...{ personId: idOf(of), madeBy: isPurge ? undefined : idOf(by), at },
    before: grant(state[of]),
  }));
  const members = new Map(
    people.flatMap((name) => {
      const role = current[name];
      return role === undefined ? [] : [[idOf(name), membership(role)]];
    }),
  );
  const mover = { personId: idOf("mover"), begunAt: sequence.begunAt };
  const decision = decideUndo(changes, members, mover, new Set(gone.map(idOf)));
  const restored = decision.kind === "restored" ? decision.members : new Map();
  const undone = listAll((name) => (restored.has(idOf(name)) ? restored.get(idOf(name))?.role : current[name]));
  return { ...played, kind: decision.kind, owners: decision.kind === "left" ? decision.owners : [], undone };
}

const run = (acts: fc.Arbitrary<Act>, hold: (result: Replay) => void) =>
  fc.assert(
    fc.property(sequencesOf(acts), (sequence) => {
      const result = replay(sequence);
      holdAlways(result, result.undone);
      hold(result);
    }),
    { numRuns: 10_000 },
  );

test("with an owner who can decide, undoing a move changes nobody's role, whatever the mover and their accomplices did, and in whatever order", () => {
  const seen = { left: 0, restored: 0, removed: 0 };
  run(actsOfHonest, (result) => {
    const { done, current, kind, undone } = result;
    if (current.founder === "owner") {
      assert.deepEqual([kind, undone], ["left", current]);
      seen.left++;
      if (done.some(({ by, of, to }) => by === "founder" && of === "mover" && to === undefined)) seen.removed++;
    } else if (kind === "restored" && !hasLeft(result, "founder")) {
      assert.equal(undone.founder, "owner");
      seen.restored++;
    }
  });
  // The cases are there that it is about.
  assert.ok(Math.min(...Object.values(seen)) > 100, JSON.stringify(seen));
});

test("without an owner who can decide, the founder is owner again: by rights that came from the mover nobody decides", () => {
  const seen = { left: 0, restored: 0 };
  run(
    anyAct.filter(({ by }) => by !== "founder"),
    ({ current, kind, owners, undone }) => {
      assert.equal(undone.founder, "owner");
      if (current.founder === "owner") assert.deepEqual([owners, undone], [[idOf("founder")], current]);
      else {
        assert.equal(kind, "restored");
        assert.ok(rank(undone.manager) <= rank("manager"));
        // The manager may give this without anybody's help.
        for (const one of ["successor", "puppet"] as const)
          assert.ok(undone[one] === undefined || mayManage("manager", undone[one]));
      }
      if (kind === "left" || kind === "restored") seen[kind]++;
    },
  );
  assert.ok(Math.min(...Object.values(seen)) > 100, JSON.stringify(seen));
});

test("an owner who is disabled, or deletes their account, does not decide: an accomplice would be the only owner once they are gone", () => {
  const changes: MemberChange[] = [
    { personId: idOf("puppet"), madeBy: idOf("mover"), at: 1, before: undefined },
    { personId: idOf("mover"), madeBy: idOf("puppet"), at: 2, before: membership("owner") },
  ];
  for (const state of ["isDisabled", "isLeaving"] as const) {
    const current = new Map([
      [idOf("founder"), { ...membership("owner"), [state]: true }],
      [idOf("puppet"), membership("owner")],
    ]);
    const decision = decideUndo(changes, current, { personId: idOf("mover"), begunAt: 0 }, nobody);
    assert.equal(decision.kind, "restored");
    assert.equal(decision.members.get(idOf("mover"))?.role, "owner");
    assert.equal(decision.members.get(idOf("puppet")), undefined);
  }
});

test("a hundred thousand changes are looked at in one walk", () => {
  const changes = Array.from({ length: 100_000 }, (_, at): MemberChange => {
    const before = membership(at % 2 === 0 ? "owner" : "manager");
    return { personId: idOf("founder"), madeBy: idOf("mover"), at, before };
  });
  const current = new Map([idOf("founder"), idOf("mover")].map((id) => [id, membership("owner")]));
  const begun = performance.now();
  assert.equal(decideUndo(changes, current, { personId: idOf("mover"), begunAt: 0 }, nobody).kind, "left");
  // Some 20 ms; to search each change's next one took more than six seconds.
  assert.ok(performance.now() - begun < 2000);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import type { AccountId } from "@sealpost/wire";
import fc from "fast-check";
import { mayManage, type Role } from "../access/roles.ts";
import type { MemberChange } from "./member-change-store.ts";
import { decideUndo, findMembersBefore, type UndoDecision } from "./members-before.ts";
import {
  type Act,
  actsOfHonest,
  anyAct,
  hasLeft,
  holdAlways,
  isPossible,
  listAll,
  type Name,
  type Played,
  people,
  play,
  rank,
  type Sequence,
  type State,
  sequencesOf,
  start,
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
const movers = ["mover", "founder", "puppet", "successor"] as const satisfies readonly Name[];
const nobody: ReadonlySet<AccountId> = new Set();
const moverAt = (begunAt: number, name: Name = "mover") => ({ personId: idOf(name), begunAt, since: 0 });
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
  const undone = { ...moverAt(sequence.begunAt), undoneAt: played.done.length + 1_000 };
  const decision = decideUndo(changes, members, { undone, all: [undone] }, new Set(gone.map(idOf)));
  const restored = decision.kind === "restored" ? decision.members : new Map();
  const after = listAll((name) => (restored.has(idOf(name)) ? restored.get(idOf(name))?.role : current[name]));
  return { ...played, kind: decision.kind, owners: decision.kind === "left" ? decision.owners : [], undone: after };
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
    const decision = decideUndo(changes, current, { undone: moverAt(0), all: [] }, nobody);
    assert.equal(decision.kind, "restored");
    assert.equal(decision.members.get(idOf("mover"))?.role, "owner");
    assert.equal(decision.members.get(idOf("puppet")), undefined);
  }
});

/** An act, or the undoing of somebody's move: all these were moved before. */
type Event = Act | { readonly undo: (typeof movers)[number] };

/** Plays the acts of thieves, who act for everybody but the manager, and no more for those who have undone their move; then these undo theirs. */
function playUndos(events: readonly Event[], honest: readonly Name[]) {
  let state: State = start;
  const changes: MemberChange[] = [];
  const undoneAt = new Map<Name, number>();
  const set = (by: Name, of: Name, to: Role | undefined) => {
    changes.push({ personId: idOf(of), madeBy: idOf(by), at: changes.length, before: grant(state[of]) });
    state = { ...state, [of]: to };
  };
  const decisions: UndoDecision[] = [];
  const undo = (name: Name) => {
    if (undoneAt.has(name)) return;
    undoneAt.set(name, Number.POSITIVE_INFINITY);
    const all = [...undoneAt].map(([one, at]) => ({ ...moverAt(0, one), undoneAt: at }));
    const undone = moverAt(0, name);
    const current = new Map(
      people.flatMap((one) => (state[one] === undefined ? [] : [[idOf(one), membership(state[one])]])),
    );
    const decision = decideUndo(changes, current, { undone, all }, nobody);
    if (decision.kind === "restored")
      for (const one of people)
        if (decision.members.has(idOf(one))) set(name, one, decision.members.get(idOf(one))?.role);
    undoneAt.set(name, changes.length - 1);
    decisions.push(decision);
  };
  // An owner who has the account back, and can decide, does so at once.
  const isDecided = () => {
    const last = decisions.at(-1);
    return last?.kind === "left" && honest.some((one) => undoneAt.has(one) && last.owners.includes(idOf(one)));
  };
  for (const event of events)
    if (isDecided()) break;
    else if ("undo" in event) undo(event.undo);
    else if (!(honest.includes(event.by) && undoneAt.has(event.by)) && isPossible(state, event))
      set(event.by, event.of, event.to);
  for (const one of honest) undo(one);
  return { state, decisions, changes };
}

test("thieves of two owners, and of accounts of their own, keep nothing by undoing moves: an owner of before is left to decide", () => {
  const honest: readonly Name[] = ["mover", "founder"];
  const seen = { restored: 0, left: 0 };
  const event = fc.oneof(
    { weight: 5, arbitrary: anyAct.filter(({ by }) => by !== "manager") },
    { weight: 1, arbitrary: fc.record({ undo: fc.constantFrom(...movers) }) },
  );
  fc.assert(
    fc.property(
      fc.array(event, { minLength: 1, maxLength: 16, size: "max" }),
      fc.shuffledSubarray<Name>([...honest], { minLength: 2 }),
      (events, order) => {
        const { state, decisions, changes } = playUndos(events, order);
        if (!changes.some(({ madeBy }) => honest.some((one) => idOf(one) === madeBy))) return;
        assert.ok(
          honest.some((one) => state[one] === "owner"),
          JSON.stringify(state),
        );
        // Before the last one the others' moves are not known to be a thief's.
        const last = decisions.at(-1);
        if (last?.kind === "left") assert.ok(last.owners.every((one) => honest.some((name) => idOf(name) === one)));
        for (const { kind } of decisions) if (kind !== "none") seen[kind]++;
      },
    ),
    {
      numRuns: 10_000,
      examples: [
        // Each of two thieves lets a helper in, and one of these removes both owners.
        ...[honest, honest.toReversed()].map((order): [Event[], Name[]] => [
          [
            { by: "founder", of: "puppet", to: "owner" },
            { by: "mover", of: "successor", to: "owner" },
            { by: "successor", of: "founder", to: undefined },
            { by: "successor", of: "mover", to: undefined },
          ],
          [...order],
        ]),
        // An accomplice removes another one, and undoes a move of their own: what this brings back is nobody's decision.
        [
          [
            { by: "founder", of: "mover", to: undefined },
            { by: "founder", of: "puppet", to: "owner" },
            { by: "founder", of: "successor", to: "owner" },
            { by: "puppet", of: "founder", to: undefined },
            { by: "puppet", of: "successor", to: undefined },
            { undo: "puppet" },
            { by: "successor", of: "puppet", to: undefined },
            { by: "successor", of: "founder", to: undefined },
          ],
          ["founder", "mover"],
        ],
      ],
    },
  );
  assert.ok(Math.min(...Object.values(seen)) > 1000, JSON.stringify(seen));
});

test("a role that is changed and changed back counts: an owner has decided that a thief's helper stays, and a manager has not", () => {
  const change = (by: Name, before: Role | undefined, at: number): MemberChange => {
    return { personId: idOf("puppet"), madeBy: idOf(by), at, before: grant(before) };
  };
  const now = [
    ["founder", "owner"],
    ["manager", "manager"],
    ["puppet", "reader"],
  ] as const;
  const current = new Map(now.map(([name, role]) => [idOf(name), membership(role)]));
  const joined = change("mover", undefined, 1);
  for (const [by, role] of [
    ["founder", "reader"],
    ["manager", undefined],
  ] as const) {
    const both = [joined, change(by, "reader", 2), change(by, "developer", 3)];
    const movers = { undone: moverAt(0), all: [] };
    assert.equal(findMembersBefore(both, current, movers).get(idOf("puppet"))?.role, role, by);
    assert.equal(findMembersBefore([joined], current, movers).get(idOf("puppet")), undefined, "a folded history");
  }
});

test("a hundred thousand changes are looked at in one walk", () => {
  const changes = Array.from({ length: 100_000 }, (_, at): MemberChange => {
    const before = membership(at % 2 === 0 ? "owner" : "manager");
    return { personId: idOf("founder"), madeBy: idOf("mover"), at, before };
  });
  const current = new Map([idOf("founder"), idOf("mover")].map((id) => [id, membership("owner")]));
  const begun = performance.now();
  assert.equal(decideUndo(changes, current, { undone: moverAt(0), all: [] }, nobody).kind, "left");
  // Some 20 ms; to search each change's next one took more than six seconds.
  assert.ok(performance.now() - begun < 2000);
});

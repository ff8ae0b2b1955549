import assert from "node:assert/strict";
import { test } from "node:test";
import type { AccountId } from "@sealpost/wire";
import fc from "fast-check";
import { mayManage, type Role, roles } from "../access/roles.ts";
import type { MemberChange, Membership } from "./member-change-store.ts";
import { findMembersBefore } from "./members-before.ts";

/** The suspect and the founder are owners, and the manager one; the successor and the puppet belong to nothing. */
const people = ["suspect", "founder", "manager", "successor", "puppet"] as const;
type Name = (typeof people)[number];
type State = Readonly<Partial<Record<Name, Role>>>;
const start: State = { suspect: "owner", founder: "owner", manager: "manager" };

/** `undefined`: the person is removed, or leaves. */
interface Act {
  readonly by: Name;
  readonly of: Name;
  readonly to: Role | undefined;
}

const idOf = (name: Name) => `acc_${name}` as AccountId; // stands for one
const grant = (role: Role | undefined): Membership | undefined =>
  role && { role, formIds: [], since: 0, addedBy: undefined };
const rank = (role: Role | undefined) => (role === undefined ? 0 : roles.length - roles.indexOf(role));

/** Whether the service does this. */
function isPossible(state: State, { by, of, to }: Act): boolean {
  const [own, before] = [state[by], state[of]];
  if (own === undefined || before === to) return false;
  if (before === "owner" && !people.some((one) => one !== of && state[one] === "owner")) return false;
  if (by === of && to === undefined) return true;
  return [before, to].every((one) => one === undefined || mayManage(own, one));
}

interface Replay {
  readonly done: readonly (Act & { readonly state: State })[];
  readonly current: State;
  readonly wanted: State;
}

/** Does the acts that are possible, and undoes the suspect's. */
function replay(acts: readonly Act[]): Replay {
  let state = start;
  const done: (Act & { readonly state: State })[] = [];
  for (const act of acts)
    if (isPossible(state, act)) {
      done.push({ ...act, state });
      state = { ...state, [act.of]: act.to };
    }
  const changes: MemberChange[] = done.map((act, at) => ({
    ...{ personId: idOf(act.of), madeBy: idOf(act.by), at },
    before: grant(act.state[act.of]),
  }));
  const members = new Map<AccountId, Membership>();
  for (const name of people) {
    const membership = grant(state[name]);
    if (membership !== undefined) members.set(idOf(name), membership);
  }
  const found = findMembersBefore(changes, members, idOf("suspect"));
  const after = (name: Name) => (found.has(idOf(name)) ? found.get(idOf(name))?.role : state[name]);
  const wanted = Object.fromEntries(people.map((name) => [name, after(name)])) as State; // all of them
  return { done, current: state, wanted };
}

const name = fc.constantFrom(...people);
const anyAct: fc.Arbitrary<Act> = fc.record({ by: name, of: name, to: fc.constantFrom(undefined, ...roles) });
const isAgainst = { suspect: true, puppet: true, founder: false, manager: false, successor: false } as const;
/** Honest people leave the founder alone, and only the founder decides about the suspect; the puppet is everybody else's stranger. */
const ofHonest = anyAct.filter(
  ({ by, of }) => isAgainst[by] || (of !== "founder" && of !== "puppet" && (of !== "suspect" || by === "founder")),
);
const run = (acts: fc.Arbitrary<Act>, hold: (result: Replay) => void) =>
  fc.assert(
    fc.property(fc.array(acts, { minLength: 1, maxLength: 14, size: "max" }), (all) => hold(replay(all))),
    { numRuns: 10_000 },
  );

test("who moves their own account on purpose and undoes it takes nothing from whom an owner of before let in, raised or kept, and does not come back", () => {
  const seen = { letIn: 0, removed: 0 };
  run(ofHonest, ({ done, current, wanted }) => {
    const scene = () => JSON.stringify({ done, current, wanted }, undefined, 1);
    assert.equal(wanted.founder, "owner", scene());
    for (const one of ["manager", "successor"] as const) {
      let kept = start[one];
      // The other honest people may lower somebody, and everybody may leave.
      for (const { by, to } of done.filter((act) => act.of === one && !isAgainst[act.by]))
        if (by === "founder" || rank(to) < rank(kept)) kept = to;
      if (rank(kept) > rank(start[one])) seen.letIn++;
      assert.ok(rank(wanted[one]) >= Math.min(rank(kept), rank(current[one])), `${one} ${scene()}`);
    }
    const decision = done.findLast(({ by, of }) => by === "founder" && of === "suspect");
    if (decision === undefined) return;
    if (decision.to === undefined) seen.removed++;
    assert.equal(wanted.suspect, decision.to, scene());
  });
  // The cases are there that it is about.
  assert.ok(Math.min(seen.letIn, seen.removed) > 100, JSON.stringify(seen));
});

test("whatever a thief and those whom they let in or raise do, owners of before are owners, and nobody has more than before", () => {
  run(
    anyAct.filter(({ by }) => by !== "founder"),
    ({ done, current, wanted }) => {
      const scene = JSON.stringify({ done, current, wanted }, undefined, 1);
      assert.deepEqual([wanted.founder, wanted.suspect], ["owner", "owner"], scene);
      assert.ok(rank(wanted.manager) <= rank("manager"), scene);
      // The manager may give this without anybody's help.
      for (const one of ["successor", "puppet"] as const)
        assert.ok(wanted[one] === undefined || mayManage("manager", wanted[one]), scene);
      if (!done.some(({ by }) => by === "manager")) assert.equal(wanted.puppet, undefined, scene);
    },
  );
});

import assert from "node:assert/strict";
import fc from "fast-check";
import { mayManage, type Role, roles } from "../../access/roles.ts";

/** The mover and the founder are owners, and the manager one; the successor and the puppet belong to nothing. */
export const people = ["mover", "founder", "manager", "successor", "puppet"] as const;
export type Name = (typeof people)[number];
export type State = Readonly<Partial<Record<Name, Role>>>;
export const start: State = { mover: "owner", founder: "owner", manager: "manager" };

/** `undefined`: the person is removed, or leaves. */
export interface Act {
  readonly by: Name;
  readonly of: Name;
  readonly to: Role | undefined;
}

/** The move begins before the act of this number. */
export interface Sequence {
  readonly acts: readonly Act[];
  readonly begunAt: number;
  /** People whose accounts the purge deletes after the acts, in this order. */
  readonly leaving?: readonly Name[];
}

/** An act that the service did, as the one of this number, and the roles before it. The purge's are of the person who leaves. */
export type DoneAct = Act & { readonly state: State; readonly at: number; readonly isPurge?: true };

export interface Played {
  readonly done: readonly DoneAct[];
  /** People who have no account any more. */
  readonly gone: readonly Name[];
  readonly atMove: State;
  readonly begunAt: number;
  readonly current: State;
}

export const rank = (role: Role | undefined) => (role === undefined ? 0 : roles.length - roles.indexOf(role));

/** Whether the service does this. */
export function isPossible(state: State, { by, of, to }: Act): boolean {
  const [own, before] = [state[by], state[of]];
  if (own === undefined || before === to) return false;
  if (before === "owner" && !people.some((one) => one !== of && state[one] === "owner")) return false;
  if (by === of && to === undefined) return true;
  return [before, to].every((one) => one === undefined || mayManage(own, one));
}

/** Does the acts that are possible. */
export function play({ acts, begunAt, leaving = [] }: Sequence): Played {
  let [state, atMove] = [start, start];
  const done: DoneAct[] = [];
  for (const [at, act] of acts.entries()) {
    if (at === begunAt) atMove = state;
    if (!isPossible(state, act)) continue;
    done.push({ ...act, state, at });
    state = { ...state, [act.of]: act.to };
  }
  const gone: Name[] = [];
  for (const one of leaving) {
    const act = { by: one, of: one, to: undefined };
    // The last owner's account waits until there is another one.
    if (state[one] !== undefined && !isPossible(state, act)) continue;
    if (state[one] !== undefined) done.push({ ...act, state, at: acts.length, isPurge: true });
    state = { ...state, [one]: undefined };
    gone.push(one);
  }
  return { done, gone, begunAt, atMove: begunAt < acts.length ? atMove : state, current: listAll((one) => state[one]) };
}

export function listAll(roleOf: (name: Name) => Role | undefined): State {
  return Object.fromEntries(people.map((name) => [name, roleOf(name)])) as State; // all of them
}

export function hasLeft({ done }: Played, one: Name): boolean {
  const last = done.findLast(({ of }) => of === one);
  return last?.by === one && last.to === undefined;
}

/** Holds of everybody's acts, whatever is undone. */
export function holdAlways(played: Played, undone: State): void {
  const { done, atMove, current } = played;
  // Since the move began others may have given the mover another role.
  const given = done.filter(({ by, of, at }) => of === "mover" && by !== "mover" && at >= played.begunAt);
  const highest = Math.max(rank(atMove.mover), ...given.map(({ to }) => rank(to)));
  if (rank(undone.mover) > rank(current.mover)) assert.ok(rank(undone.mover) <= highest);
  for (const one of people) if (one !== "mover" && hasLeft(played, one)) assert.equal(undone[one], undefined);
  for (const one of played.gone) assert.equal(undone[one], undefined);
  assert.ok(people.some((one) => undone[one] === "owner"));
  // An owner of before whom nobody has touched decides.
  const isTouched = (one: Name) => done.some(({ of }) => of === one);
  if (people.some((one) => one !== "mover" && start[one] === "owner" && !isTouched(one)))
    assert.deepEqual(undone, current);
}

const name = fc.constantFrom(...people);
export const anyAct: fc.Arbitrary<Act> = fc.record({ by: name, of: name, to: fc.constantFrom(undefined, ...roles) });

const isAgainst = { mover: true, puppet: true, founder: false, manager: false, successor: false } as const;
/** Honest people leave the founder alone, and only the founder decides about the mover; the puppet is everybody else's stranger. */
export const actsOfHonest = anyAct.filter(
  ({ by, of }) => isAgainst[by] || (of !== "founder" && of !== "puppet" && (of !== "mover" || by === "founder")),
);

export const sequencesOf = (acts: fc.Arbitrary<Act>): fc.Arbitrary<Sequence> =>
  fc.record({
    acts: fc.array(acts, { minLength: 1, maxLength: 14, size: "max" }),
    begunAt: fc.integer({ min: 0, max: 14 }),
    leaving: fc.shuffledSubarray(["manager", "successor", "puppet"] as const),
  });

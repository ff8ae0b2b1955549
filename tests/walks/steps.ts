import { findUnintroduced, type NewMember, type Role } from "@sealpost/envelope";
import fc from "fast-check";
import { bringBackOne, changeLog, changeReaders, putAside, rotate, sayIsRight } from "./acts.ts";
import { anyForgery, type Forgery, forge } from "./forge.ts";
import { generations, idOf, type Name } from "./people.ts";
import { isListed, look } from "./properties.ts";
import type { Lie } from "./service.ts";
import { type Device, forget, keysOf, memberOf, newestList, type World, writeEntry } from "./world.ts";

/** A number chooses a device of those that there are. */
type OnDevice<Kind extends string> = Kind extends string ? { readonly kind: Kind; readonly device: number } : never;

export type Step =
  | (OnDevice<"look" | "rotate" | "bring back" | "confirm" | "say it is right"> & { readonly lie?: Lie })
  | OnDevice<"fresh" | "put aside">
  | (OnDevice<"change readers"> & { readonly add?: Name; readonly remove?: Name })
  | (OnDevice<"log"> & { readonly how: "begin" | "renew" | "give up" })
  | { readonly kind: "entry"; readonly by: Name; readonly of: Name; readonly to: Entry }
  | { readonly kind: "forge"; readonly by: Name; readonly forgery: Forgery };

type Entry = Extract<Role, "owner" | "manager" | "reader" | "auditor"> | "removed" | "another key" | "vouched for";
const entries = [
  ...(["owner", "manager", "reader", "auditor", "removed", "removed", "another key", "vouched for"] as const),
];

const device = fc.nat(9);
const who = fc.constantFrom<Name>("ole", "mo", "nia", "rea", "rob", "puppet");
const firstVersion = fc.constantFrom(1, 33);
const lie: fc.Arbitrary<Lie> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: firstVersion.map((hidden) => ({ hidden })) },
  { weight: 2, arbitrary: fc.record({ older: fc.record({ firstVersion, by: fc.constantFrom(1, 2) }) }) },
  { weight: 1, arbitrary: fc.constant({ isKeyDenied: true }) },
  { weight: 1, arbitrary: fc.constant({ isLogHidden: true }) },
  { weight: 1, arbitrary: fc.constant({ isListOld: true }) },
);

export const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("look"), device, lie }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("rotate"), device, lie }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom("bring back", "confirm", "say it is right"), device, lie }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("fresh", "put aside"), device }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("change readers"), device, add: who }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("change readers"), device, remove: who }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("change readers"), device }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("log"), device, how: fc.constantFrom("begin", "renew", "give up") }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("entry"),
      by: fc.constantFrom<Name>("ada", "ada", "ole", "mo", "nia"),
      of: who,
      to: fc.constantFrom(...entries),
    }),
  },
  {
    weight: 7,
    arbitrary: fc.record({
      kind: fc.constant("forge"),
      by: fc.constantFrom<Name>("mo", "mo", "nia", "ole"),
      forgery: anyForgery,
    }),
  },
);

/** Does what is possible of a step. */
export async function take(world: World, step: Step): Promise<void> {
  switch (step.kind) {
    case "entry":
      return addEntry(world, step);
    case "forge":
      return forge(world, step.by, step.forgery);
    default: {
      const device = world.devices[step.device % world.devices.length];
      if (device !== undefined && (await isListed(world, device))) await takeOn(world, device, step);
    }
  }
}

async function takeOn(
  world: World,
  device: Device,
  step: Exclude<Step, { readonly kind: "entry" | "forge" }>,
): Promise<void> {
  const role = memberOf(world, device.name)?.role;
  if (step.kind === "fresh" || step.kind === "put aside") {
    if (step.kind === "put aside") return putAside(world, device);
    device.values.clear();
    return forget(device);
  }
  if (step.kind === "look") {
    await look(world, device, step.lie);
    return;
  }
  if (step.kind === "say it is right") {
    const { toLookAt } = await look(world, device, step.lie);
    if (toLookAt !== undefined) await sayIsRight(world, device, toLookAt);
    return;
  }
  if (role !== "owner" && role !== "manager") return;
  switch (step.kind) {
    case "rotate":
      await rotate(world, device, { lie: step.lie });
      return;
    case "confirm":
      return confirm(world, device, step.lie);
    case "bring back": {
      const { refused } = await look(world, device, step.lie);
      for (const { firstVersion } of refused) await bringBackOne(world, device, firstVersion, step.lie);
      return;
    }
    case "change readers": {
      const ids = (name: Name | undefined) => (name !== undefined && memberOf(world, name) ? [idOf(name)] : []);
      await changeReaders(world, device, { add: ids(step.add), remove: ids(step.remove) });
      return;
    }
    case "log":
      if (role === "owner") await changeLog(world, device, step.how);
      return;
    default:
      step satisfies never;
  }
}

/** Says of everybody who is marked that they read on. */
async function confirm(world: World, device: Device, lie?: Lie): Promise<void> {
  const { envelopes } = await look(world, device, lie);
  const list = world.lists[device.list - 1] ?? newestList(world);
  const marked = new Set(envelopes.flatMap(({ head }) => findUnintroduced(list, head)));
  await changeReaders(world, device, { add: [...marked], lie });
}

async function addEntry(world: World, { by, of, to }: Extract<Step, { readonly kind: "entry" }>): Promise<void> {
  if (memberOf(world, by) === undefined) return;
  const before = memberOf(world, of);
  if (to === "vouched for" || to === "removed") {
    if (before === undefined) return;
    const change = {
      vouch: { change: "vouch", members: [idOf(of)] },
      remove: { change: "remove", member: { id: idOf(of) } },
    } as const;
    await writeEntry(world, by, to === "removed" ? change.remove : change.vouch);
    return;
  }
  const generation = world.generationOf.get(of) ?? 0;
  const isKey = to === "another key";
  if (isKey && (before === undefined || generation + 1 >= generations)) return;
  const signer = isKey && world.honest.has(of) ? of : by;
  if (isKey) world.generationOf.set(of, generation + 1);
  const { recipient, signingKey } = await keysOf(world, of);
  world.generationOf.set(of, generation);
  const role = isKey ? (before?.role ?? "reader") : to;
  const member: NewMember = { id: idOf(of), name: of, role: role as Role, recipient, signingKey };
  const isWritten = await writeEntry(world, signer, { change: before === undefined ? "add" : "replace", member });
  if (isKey && isWritten) world.generationOf.set(of, generation + 1);
}

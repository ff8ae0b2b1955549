import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { bringBack, findBringable } from "@sealpost/sdk/envelopes";
import { createVersionSeed } from "@sealpost/wire";
import { createHeads } from "../../packages/dashboard/src/envelopes/heads.ts";
import { newFormKey, openBrowser } from "../dashboard/played-envelopes.ts";
import { openActor } from "../support/envelope-actors.ts";
import { openRevision, setUp, write } from "../support/played-team.ts";
import { sampleKinds } from "../support/sample.ts";

// A form's second envelope has versions 34, 36 and 38, all of which Ada's device has seen as published. Mo, who reads it, stores a revision with a key of his own,
// and without some of these.

const real = [34, 36, 38];
const places = { "below all": 33, "in a gap": 35, "in the place of one": 36, "above all": 39 } as const;

interface Case {
  readonly place: keyof typeof places;
  /** The service lists it as one of the form's. */
  readonly isListed: boolean;
  readonly hasLog: boolean;
  /** Versions that he has left in. */
  readonly shared: readonly number[];
}

const cases: readonly Case[] = (Object.keys(places) as (keyof typeof places)[]).flatMap((place) =>
  [true, false].flatMap((isListed) =>
    [true, false].flatMap((hasLog) =>
      [[], [34], [38], [34, 36]].map((shared) => ({ place, isListed, hasLog, shared })),
    ),
  ),
);

let rotations: readonly Awaited<ReturnType<typeof newFormKey>>[];
let own: ReadonlyMap<number, Awaited<ReturnType<typeof newFormKey>>>;

before(async () => {
  rotations = await Promise.all([3, ...real].map(newFormKey));
  own = new Map(
    await Promise.all(Object.values(places).map(async (version) => [version, await newFormKey(version)] as const)),
  );
});

const toKind = ({ isListed, hasLog, place, shared }: Case) => `${isListed} ${hasLog} ${place} ${shared.length === 0}`;
for (const one of sampleKinds(cases, toKind))
  test(`keys that a device has seen as published are brought back, though a manager has put one of his own ${one.place}, which the service ${one.isListed ? "lists" : "does not list"}, next to ${one.shared.join(" and ") || "none of them"}, in a form ${one.hasLog ? "with" : "without"} a key log`, () =>
    join(one));

async function join({ place, isListed, hasLog, shared }: Case): Promise<void> {
  const team = await setUp(hasLog ? "with a key log" : "without");
  const { server, formId, people, see } = team;
  const store = await see();
  for (const rotation of rotations) {
    const actor = await openActor("a worker", server, people.ada, rotation, store);
    assert.equal(await actor.rotate(formId, () => {}), "rotated");
  }
  const version = places[place];
  const { key } = own.get(version) ?? assert.fail();
  const left = shared.filter((one) => one !== version);
  const ahead = real.filter((one) => !left.includes(one));
  await write(team, people.mo, { ahead, keys: [{ ...key, seed: createVersionSeed() }] }, 33);
  const listed = { version, fingerprint: key.fingerprint };
  const others = server.keys.filter((one) => one.version !== version);
  const shown = isListed ? [...others, listed] : server.keys;
  server.lies = {
    fetchKeys: async () => shown.map((one) => ({ ...one, createdAt: 1, madeBy: "owner", provedAt: 1 })) as never,
  };

  const context = openBrowser(server, people.ada, createHeads(store));
  const list = await context.loadList();
  const found = (await findBringable(context, list, formId, 33)) ?? assert.fail();
  await bringBack(context, list, found);
  const { opened } = await openRevision(team, server.envelopes.get(33)?.length ?? 0, 33);
  const brought = new Map(opened.content.keys.map((one) => [one.version, one.fingerprint]));
  const lost = real.filter((one) => brought.get(one) !== server.keys.find((of) => of.version === one)?.fingerprint);
  // Where the service lists his, and no log speaks against it, the form may have had it before all above it, which are planted then: they are named.
  const isPossible = isListed && !hasLog && real.every((one) => one > version === !left.includes(one));
  assert.deepEqual(lost, isPossible ? real.filter((one) => one > version && !left.includes(one)) : []);
  assert.deepEqual(
    lost.filter((one) => !found.missing.includes(one)),
    [],
  );
}

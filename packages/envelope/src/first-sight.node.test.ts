import assert from "node:assert/strict";
import { test } from "node:test";
import type { FormKey } from "./envelope-content.ts";
import { EnvelopeMaker, toFormKey } from "./testing/envelope-maker.ts";
import { FormDevice, knownList, type Shown } from "./testing/form-device.ts";
import { createList, steps } from "./testing/list-maker.ts";
import { hashOf } from "./text.ts";

// A manager who reads the form leaves published keys out of the next revision. Devices refuse it, whether or not they have seen the one before.

const maker = new EnvelopeMaker([]);
const small = toFormKey(1, "small");
const large = toFormKey(33, "large");
const whole = toFormKey(1, "small", true);

async function revisionsOf(firstVersion: number, before: readonly FormKey[], after: readonly FormKey[]) {
  const content = { firstVersion, keys: before };
  const first = await maker.make("", { content });
  const next = { ...content, keys: after, revision: 2, previous: await hashOf(first) };
  return [first, await maker.make("", { by: "manager", readersBy: "owner", content: next })] as const;
}

const sights = ["nothing", "the envelope below", "everything before"] as const;

const lacking = {
  "the key of the first envelope": {
    1: await revisionsOf(1, [small], []),
    33: await revisionsOf(33, [large], [large]),
  },
  "the key of an envelope that was begun": {
    1: await revisionsOf(1, [small], [small]),
    33: await revisionsOf(33, [large], []),
  },
  "the hybrid key of the first envelope": {
    1: await revisionsOf(1, [whole], [small]),
    33: await revisionsOf(33, [large], [large]),
  },
} satisfies Record<string, Record<1 | 33, Shown[number]>>;

for (const [what, shown] of Object.entries(lacking))
  for (const sight of sights)
    test(`a manager's revision without ${what} is not followed by an owner's device that has seen ${sight}`, async () => {
      const device = new FormDevice("owner", await knownList(await createList(steps.council)));
      device.published = [what.includes("hybrid") ? whole : small, large];
      const before: Record<(typeof sights)[number], Shown> = {
        nothing: {},
        "the envelope below": { 1: [shown[1][0]] },
        "everything before": { 1: [shown[1][0]], 33: [shown[33][0]] },
      };
      assert.deepEqual((await device.look(before[sight])).refused, []);
      const { refused, forReading } = await device.look(shown);
      const missing = refused.filter(({ reason }) => reason === "key_missing");
      assert.deepEqual([missing.length, forReading.length > 0], [1, true]);
    });

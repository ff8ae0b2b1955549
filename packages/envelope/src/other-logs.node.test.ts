import assert from "node:assert/strict";
import { test } from "node:test";
import { type KeyLogHead, verifyKeyLog } from "@sealpost/wire";
import { EnvelopeMaker, toFormKey } from "./testing/envelope-maker.ts";
import { FormDevice, formId, knownList, type Shown } from "./testing/form-device.ts";
import { createLog } from "./testing/key-logs.ts";
import { createList, steps } from "./testing/list-maker.ts";
import type { Person } from "./testing/people.ts";
import { hashOf } from "./text.ts";

// An owner has named another log than before. A manager takes the form back to one of before by no entry of it, though this device has seen that and so needs no
// log for it, and though its number is the higher one; owners alone do.

const maker = new EnvelopeMaker([]);
const [small, large] = [toFormKey(1, "small"), toFormKey(33, "large")];
const logs = { former: await createLog(small, 3), current: await createLog(small, 2), seen: await createLog(small, 4) };
const current = logs.current.heads[0] ?? assert.fail();

async function make(by: Person, revision: number, keyLog: KeyLogHead | null, before?: Uint8Array<ArrayBuffer>) {
  const previous = before ? await hashOf(before) : null;
  return maker.make("", { by, readersBy: "owner", content: { keys: [small], revision, keyLog, previous } });
}

/** How a device comes to know an entry of another log than the one that the form head names. */
const ways = {
  "an owner's revision gave up": async (device: FormDevice) => {
    device.keyLog = logs.former.text;
    const first = await make("owner", 1, logs.former.last);
    assert.deepEqual((await device.look({ 1: [first] })).refused, []);
    return { first, other: logs.former };
  },
  "a person said was given up": async (device: FormDevice) => {
    device.keyLog = logs.former.text;
    const first = await make("owner", 1, logs.former.last);
    assert.deepEqual((await device.look({ 1: [first] })).refused, []);
    await device.heads.forgetKeyLog(formId);
    return { first, other: logs.former };
  },
  "the service has shown, and no revision named": async (device: FormDevice) => {
    await device.heads.advanceKeyLog(formId, undefined, logs.seen.last);
    return { first: await make("owner", 1, null), other: logs.seen };
  },
} as const;

const places = ["in the next revision", "in an envelope that is begun"] as const;

for (const [way, meet] of Object.entries(ways))
  for (const place of places)
    for (const by of ["manager", "owner"] as const)
      for (const shows of ["no log", "that log", "the current log"] as const)
        test(`${by === "owner" ? "an owner's" : "a manager's"} entry, ${place}, of a key log that ${way} is ${by === "owner" ? "taken" : "unknown"} where the service shows ${shows}`, async () => {
          const device = new FormDevice("owner", await knownList(await createList(steps.council)));
          device.published = [small, large];
          const { first, other } = await meet(device);
          const second = await make("owner", 2, current, first);
          device.keyLog = logs.current.text;
          assert.deepEqual((await device.look({ 1: [first, second] })).refused, []);
          const before = await device.heads.findEnvelopes(formId);
          device.keyLog = { "no log": "", "that log": other.text, "the current log": logs.current.text }[shows];
          const shown: Shown =
            place === "in the next revision"
              ? { 1: [first, second, await make(by, 3, other.last, second)] }
              : { 1: [first, second], 33: [await begin(by, other.last)] };
          const { refused, forReading } = await device.look(shown);
          const isTaken = by === "owner";
          assert.deepEqual(
            refused.map(({ reason }) => reason),
            isTaken ? [] : ["unknown_key_log"],
          );
          assert.equal(forReading.length, isTaken ? 0 : 1, "its keys open submissions");
          if (isTaken) return;
          assert.deepEqual((await device.heads.findEnvelopes(formId)).heads, before.heads);
          // A device that has seen none of it is not stuck: the form's own log continues.
          const next = logs.current.last;
          device.keyLog = logs.current.text;
          const right: Shown =
            place === "in the next revision"
              ? { 1: [first, second, await make(by, 3, next, second)] }
              : { 1: [first, second], 33: [await begin(by, next)] };
          if (way.startsWith("the service")) await device.heads.forgetKeyLog(formId);
          assert.deepEqual((await device.look(right)).refused, []);
        });

function begin(by: Person, keyLog: KeyLogHead) {
  return maker.make("", { by, readersBy: "owner", content: { firstVersion: 33, keys: [large], keyLog } });
}

test("a manager's revision that names the entry that the one before names needs no log", async () => {
  const device = new FormDevice("owner", await knownList(await createList(steps.council)), logs.current.text);
  device.published = [small, large];
  const first = await make("owner", 1, current);
  assert.deepEqual((await device.look({ 1: [first] })).refused, []);
  device.keyLog = "";
  assert.deepEqual((await device.look({ 1: [first, await make("manager", 2, current, first)] })).refused, []);
});

for (const noted of [true, false])
  for (const [index, named] of logs.seen.heads.entries())
    test(`a manager's entry ${index + 1} of the log that the service shows by now is taken where a person has said that the log of before was given up${noted ? ", also if it was noted as not shown" : ""}, and no other log after it`, async () => {
      const device = new FormDevice("owner", await knownList(await createList(steps.council)), logs.former.text);
      device.published = [small, large];
      const first = await make("owner", 1, logs.former.heads[0] ?? assert.fail());
      assert.deepEqual((await device.look({ 1: [first] })).refused, []);
      device.keyLog = logs.seen.text;
      const second = await make("manager", 2, named, first);
      const shown = [first, second];
      if (noted) assert.equal((await device.look({ 1: shown })).refused[0]?.reason, "unknown_key_log");
      const next = await verifyKeyLog(new TextEncoder().encode(device.keyLog), { formId });
      assert.ok(typeof next !== "string");
      await device.heads.forgetKeyLog(formId, next);
      assert.deepEqual(await device.heads.findKeyLog(formId), logs.seen.last);
      assert.deepEqual((await device.look({ 1: shown })).refused, []);
      const [head] = (await device.heads.findEnvelopes(formId)).heads;
      assert.deepEqual([head?.keyLog, await device.heads.isGivenUp(formId, named)], [named, false]);
      device.keyLog = logs.current.text;
      const other = await make("manager", 3, current, second);
      const later = await make("manager", 3, logs.current.last, second);
      for (const one of [other, later]) {
        const [refused] = (await device.look({ 1: [...shown, one] })).refused;
        assert.ok(["unknown_key_log", "old_key_log"].includes(refused?.reason ?? ""));
      }
    });

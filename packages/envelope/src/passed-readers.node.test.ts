import assert from "node:assert/strict";
import { test } from "node:test";
import { toReader } from "./envelope-checks.ts";
import { EnvelopeMaker, toFormKey } from "./testing/envelope-maker.ts";
import { FormDevice, knownList, rotate } from "./testing/form-device.ts";
import { createList, headOf, type Step, steps } from "./testing/list-maker.ts";
import { findPersonalKey, idOf, type Person, toMember } from "./testing/people.ts";
import { hashOf } from "./text.ts";

// A revision that is refused by its signer or its key log alone leaves no gap, and an honest manager's next one keeps its readers. Whom it has let in, who were
// no readers in what was seen, or were changed since, the next key is not for: section 15, *Who put a reader there*.

const writer: Person = "second owner";
const friend: Person = "second reader";

const passedBy = {
  "a former signer": { keys: [toFormKey(1, "small"), toFormKey(2, "large")], keyLog: null },
  "a key log that nobody shows": { keys: [toFormKey(1, "small")], keyLog: { number: 1, hash: "A".repeat(43) } },
} as const;

const since = {
  "was there all along": [],
  "was removed and is back": [
    { change: "remove", of: friend, by: "manager" },
    { of: friend, by: "manager" },
  ],
  "lost the role and has it again": [
    { change: "replace", of: friend, by: "owner", member: { role: "developer" } },
    { change: "replace", of: friend, by: "manager" },
  ],
  "has another key": [{ change: "replace", of: friend, by: "manager", key: "reader, second key" }],
  "was not there": [],
} as const satisfies Record<string, readonly Step[]>;

for (const [manner, { keys, keyLog }] of Object.entries(passedBy))
  for (const [what, changes] of Object.entries(since))
    test(`who ${what} is ${what === "was there all along" ? "no" : "a"} doubtful reader after a revision that is passed for ${manner}`, async () => {
      const before: readonly Step[] = [
        ...steps.council,
        { of: writer, by: "owner", member: { role: "manager" } },
        { of: friend, by: "owner" },
      ];
      const ended: readonly Step[] =
        manner === "a former signer" ? [{ change: "remove", of: writer, by: "owner" }] : [];
      const [then, between, now] = await Promise.all([
        createList(before),
        createList([...before, ...changes]),
        createList([...before, ...changes, ...ended]),
      ]);
      const people: readonly Person[] = ["owner", "manager", "reader", "recovery", writer];
      const sorted = (more: readonly Person[]) =>
        [...people, ...more].sort((one, other) => (idOf(one) < idOf(other) ? -1 : 1));
      const isThere = what !== "was not there";
      const key = what === "has another key" ? "reader, second key" : friend;
      const readersOf = async (persons: readonly Person[], by: (person: Person) => Person) =>
        Promise.all(
          persons.map(async (person) =>
            toReader(await toMember(person, person === friend ? key : person), idOf(by(person))),
          ),
        );
      const maker = new EnvelopeMaker([]);
      const one = await maker.make("", {
        readers: sorted(isThere ? [friend] : []),
        content: { list: await headOf(then) },
      });
      const all = sorted([friend]);
      const recipients = async (persons: readonly Person[]) =>
        Promise.all(persons.map(async (person) => (await findPersonalKey(person === friend ? key : person)).recipient));
      const two = await maker.make("", {
        by: writer,
        readers: all,
        recipients: await recipients(all),
        content: {
          ...{ list: await headOf(between), revision: 2, previous: await hashOf(one), keys, keyLog },
          readers: await readersOf(all, (person) => (person === friend ? writer : "owner")),
        },
      });
      const rest = all.filter((person) => person !== writer || ended.length === 0);
      const three = await maker.make("", {
        by: "manager",
        readers: rest,
        recipients: await recipients(rest),
        content: {
          ...{ list: await headOf(now), revision: 3, previous: await hashOf(two), keys, keyLog: null },
          readers: await readersOf(rest, (person) => (person === friend ? writer : "owner")),
        },
      });

      const known = await knownList(now);
      const device = new FormDevice("owner", known);
      device.published = keys;
      assert.deepEqual((await device.look({ 1: [one] })).refused, []);
      const { envelopes, refused } = await device.look({ 1: [one, two, three] });
      assert.deepEqual(refused, []);
      const [opened = assert.fail()] = envelopes;
      assert.equal(opened.head.revision, 3);
      const isDoubtful = what !== "was there all along";
      assert.equal(opened.unknown.includes(idOf(friend)), isDoubtful);
      const sealed = await rotate(known, opened, [toFormKey(3, "small")]);
      assert.equal(
        sealed.readers.some(({ id }) => id === idOf(friend)),
        !isDoubtful,
      );
    });

import assert from "node:assert/strict";
import { test } from "node:test";
import { toReader } from "./envelope-checks.ts";
import { findUnintroduced } from "./introduced.ts";
import { council, EnvelopeMaker, toFormKey } from "./testing/envelope-maker.ts";
import { FormDevice, knownList, lookAt, rotate } from "./testing/form-device.ts";
import { createList, headOf, type Step, steps } from "./testing/list-maker.ts";
import { idOf, type Person, toMember } from "./testing/people.ts";
import { hashOf } from "./text.ts";

// Anyone who has a key that was replaced continues to write, with the service, by the list from before, and adds a member who may not read this form.

const added: Person = "second reader";

for (const who of ["owner", "manager"] as const)
  for (const by of ["they have", "somebody else has"] as const)
    for (const isSeen of [true, false])
      test(`a reader whom the former key of ${who === "owner" ? "an owner" : "a manager"} puts there, which ${by} replaced, is asked about by a device that has seen ${isSeen ? "the one before" : "nothing"}`, async () => {
        const writer: Person = who === "owner" ? "second owner" : "manager";
        const people: readonly Step[] = [
          ...steps.council,
          ...(who === "owner" ? [{ of: writer, by: "owner", member: { role: "owner" } } as const] : []),
          { of: added, by: "owner" },
        ];
        const replaced: Step = {
          ...{ change: "replace", of: writer, by: by === "they have" ? writer : "owner" },
          key: who === "owner" ? "second owner, second key" : "hybrid owner, second key",
        };
        const list = await headOf(await createList(people));
        const known = await knownList(await createList([...people, replaced]));
        const all = new Set<Person>([...council, writer, added]);
        const sorted = [...all].sort((one, other) => (idOf(one) < idOf(other) ? -1 : 1));
        const before = sorted.filter((one) => one !== added);
        const maker = new EnvelopeMaker([]);
        const one = await maker.make("", { readers: before, content: { list } });
        const named = await Promise.all(
          sorted.map(async (person) => toReader(await toMember(person), idOf(person === added ? writer : "owner"))),
        );
        const next = { list, revision: 2, previous: await hashOf(one), readers: named };
        const two = await maker.make("", { by: writer, readers: sorted, content: next });
        const device = new FormDevice("owner", known);
        device.published = [toFormKey(1, "small")];
        if (isSeen) assert.deepEqual((await device.look({ 1: [one] })).refused, []);
        const shown = { 1: [one, two] };
        const [opened] = (await (isSeen ? device.look(shown) : lookAt(device, shown))).envelopes;
        assert.ok(opened?.isByFormer);
        assert.ok(findUnintroduced(known, opened.head).includes(idOf(added)), "before");
        const rotated = await rotate(known, opened, [toFormKey(2, "large")]);
        const isReader = rotated.readers.some(({ id }) => id === idOf(added));
        assert.equal(isReader, !isSeen, "the next key is for nobody who is doubtful");
        assert.equal(findUnintroduced(known, rotated).includes(idOf(added)), isReader, "and from then on");
      });

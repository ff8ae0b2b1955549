import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import type { EnvelopeContent } from "@sealpost/envelope";
import { bringable, bringBack, type EnvelopeProblem, findBringable } from "@sealpost/sdk/envelopes";
import { createId } from "@sealpost/wire";
import { createHeads } from "../../packages/dashboard/src/envelopes/heads.ts";
import { loadCheckedList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { headOf } from "../../packages/envelope/src/testing/list-maker.ts";
import { newFormKey, openBrowser, toMember, writeEntry } from "../dashboard/played-envelopes.ts";
import { agentsOf, openActor } from "../support/envelope-actors.ts";
import { type Forged, forge } from "../support/forged-revision.ts";
import { openRevision, setUp, type Team } from "../support/played-team.ts";

// The newest revision leaves Rob out and is refused. Where its signature is right, and its readers are those of the list, it says who reads, whatever else it is
// refused for: bringing back lets him in again only if the person says so.

type Bytes = Uint8Array<ArrayBuffer>;

interface Refused {
  readonly why: EnvelopeProblem;
  readonly saysWhoReads: boolean;
  make(team: Team): Promise<Bytes>;
  /** Afterwards, before it is opened. */
  change?(team: Team): Promise<void>;
}

type Part = Partial<EnvelopeContent>;

/** Rob is out, and something else is changed. */
const leaving =
  (change: (content: EnvelopeContent, team: Team) => Part | Promise<Part> = () => ({}), forged: Forged = {}) =>
  (team: Team) =>
    forge(
      team,
      async (content) => ({
        readers: content.readers.filter(({ id }) => id !== team.people.rob.id),
        ...(await change(content, team)),
      }),
      forged,
    );

const addEntry = async ({ server, people }: Team, change: Parameters<typeof writeEntry>[2]) => {
  server.list.push(await writeEntry(server.list.join(""), people.ada, change));
};

const wrong = "A".repeat(43);
const refusals: readonly (Refused & { readonly how: string })[] = [
  {
    ...{ how: "is not for the owner", why: "not_a_reader", saysWhoReads: false },
    make: leaving(undefined, { recipients: ["mo"] }),
  },
  {
    ...{ how: "is no file", why: "malformed", saysWhoReads: false },
    make: async () => crypto.getRandomValues(new Uint8Array(300)),
  },
  {
    ...{ how: "is signed with another key", why: "not_signed", saysWhoReads: false },
    make: leaving(undefined, { by: "rob" }),
  },
  {
    ...{ how: "is signed by a reader", why: "not_allowed", saysWhoReads: false },
    make: leaving((_, { people }) => ({ signedBy: people.rob.id }), { by: "rob" }),
  },
  {
    ...{ how: "is signed by a manager who does not read the form", why: "not_allowed", saysWhoReads: true },
    async make(team) {
      await addEntry(team, { change: "replace", member: toMember(team.people.rea, "manager") });
      const { head } = (await team.load()).list;
      return leaving((_, { people }) => ({ signedBy: people.rea.id, list: head }), { by: "rea" })(team);
    },
  },
  {
    ...{ how: "is for fewer than it names", why: "wrong_readers", saysWhoReads: false },
    make: leaving(undefined, { recipients: ["ada", "mo"] }),
  },
  {
    ...{ how: "has another private key", why: "wrong_key", saysWhoReads: true },
    async make(team) {
      const { privateKey } = (await newFormKey(1)).key;
      return leaving(({ keys }) => ({ keys: keys.map((key) => ({ ...key, privateKey })) }))(team);
    },
  },
  {
    ...{ how: "has another number", why: "wrong_revision", saysWhoReads: false },
    make: leaving(({ revision }) => ({ revision: revision + 1 })),
  },
  {
    ...{ how: "names an entry of no key log", why: "unknown_key_log", saysWhoReads: true },
    make: leaving(() => ({ keyLog: { number: 9, hash: wrong } })),
  },
  {
    ...{ how: "names no key log any longer", why: "old_key_log", saysWhoReads: true },
    make: leaving(() => ({ keyLog: null })),
  },
  {
    ...{ how: "names an older list", why: "old_list", saysWhoReads: true },
    make: leaving(async (_, { server }) => ({ list: await headOf(server.list.slice(0, -1).join("")) })),
  },
  {
    ...{ how: "is of another form", why: "other_form", saysWhoReads: false },
    make: leaving(() => ({ formId: createId("form") })),
  },
  {
    ...{ how: "follows another one", why: "other_previous", saysWhoReads: true },
    make: leaving(() => ({ previous: wrong })),
  },
  {
    ...{ how: "is a newer program's", why: "unknown_extension", saysWhoReads: true },
    make: leaving((_, { people }) => ({ signedBy: people.ada.id, extensions: { new: 1 }, critical: ["new"] }) as Part, {
      by: "ada",
    }),
  },
  {
    ...{ how: "names an unknown list", why: "unknown_list", saysWhoReads: false },
    make: leaving(() => ({ list: { number: 9, hash: wrong } })),
  },
  {
    ...{ how: "lacks the form's key", why: "key_missing", saysWhoReads: true },
    make: leaving(() => ({ keys: [] })),
  },
  {
    ...{ how: "has a key of somebody who has left since", why: "former_writer", saysWhoReads: true },
    async make(team) {
      const { key } = await newFormKey(2);
      return leaving(({ keys }) => ({ keys: [...keys, key] }))(team);
    },
    change: (team) => addEntry(team, { change: "remove", member: { id: team.people.mo.id } }),
  },
];

test("every refusal that allows bringing back is tried", () => {
  assert.deepEqual([...new Set(refusals.map(({ why }) => why))].toSorted(), bringable.toSorted());
});

for (const [index, { how, why, saysWhoReads, make, change }] of refusals.entries())
  for (const isTicked of [false, true])
    for (const agent of agentsOf(index))
      test(`a revision that leaves a reader out, and ${how}, ${saysWhoReads ? "says" : "does not say"} who reads, and they ${isTicked ? "are let back" : "are not named by the person"}, with the key in ${agent}`, async () => {
        const team = await setUp("with a key log");
        const { server, formId, people } = team;
        const heads = await team.see();
        const adas = await openActor(agent, server, people.ada, await newFormKey(3), heads);
        assert.deepEqual((await adas.open(formId)).refused, []);
        const file = await make(team);
        server.envelopes.get(1)?.push(file);
        await change?.(team);
        assert.deepEqual((await adas.open(formId)).refused, [why]);

        const browser = openBrowser(server, people.ada, createHeads(heads));
        const list = await loadCheckedList(browser);
        const found = (await findBringable(browser, list, formId, 1)) ?? assert.fail();
        const isAsked = saysWhoReads && found.kept === undefined;
        assert.deepEqual(found.difference?.returningIds, isAsked ? [people.rob.id] : undefined);
        assert.equal(found.readerIds.includes(people.rob.id), !saysWhoReads);
        if (isTicked) await bringBack(browser, list, found, { returningIds: [people.rob.id] });
        else assert.equal(await adas.bringBack(formId), "brought");
        const { opened } = await openRevision(team, server.envelopes.get(1)?.length ?? 0);
        const reads = opened.content.readers.some(({ id }) => id === people.rob.id);
        assert.equal(reads, !saysWhoReads || (isTicked && isAsked));
        assert.ok(opened.content.readers.some(({ id }) => id === people.nia.id));
      });

import "../../packages/dashboard/testing/with-texts.ts";
import "../../packages/dashboard/testing/as-page.ts";
import assert from "node:assert/strict";
import { before, test } from "node:test";
import { findRotatedEnvelope, openEnvelope, RefusalError } from "@sealpost/envelope";
import { ApiError } from "@sealpost/sdk";
import { LostKeysError, OvertakenError, type ShownRotation } from "@sealpost/sdk/envelopes";
import { createId, createVersionSeed, type FormId } from "@sealpost/wire";
import { findOrFoundList } from "../../packages/dashboard/src/envelopes/found-list.ts";
import { createMemoryStore } from "../../packages/dashboard/src/envelopes/head-store.ts";
import { createHeads } from "../../packages/dashboard/src/envelopes/heads.ts";
import { loadCheckedList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { openForm } from "../../packages/dashboard/src/envelopes/open-form.ts";
import { createFormWithEnvelope, rotateWithEnvelope } from "../../packages/dashboard/src/envelopes/store-envelope.ts";
import { changeReaders } from "../../packages/dashboard/src/envelopes/sweep.ts";
import { requireConfirmed } from "../../packages/dashboard/src/key-versions/require-version.ts";
import {
  makePerson,
  newFormKey,
  openBrowser,
  organizationId,
  type PlayedPerson,
  type PlayedServer,
  playServer,
  toMember,
  writeEntry,
} from "../dashboard/played-envelopes.ts";
import { openWriter } from "../support/envelope-actors.ts";
import { rotateAsShown } from "../support/rotate-as-shown.ts";
import { sampleEvery } from "../support/sample.ts";

// Xu is taken out of a form that Nia, Kim, Lu and Xu read; Lu gets another key, which nobody has accepted. Then Kim rotates, by what the server shows. Nobody is sealed for
// whom Kim was not shown, whatever changes between the names and what is sent, and everybody who reads no more was named.

let [ada, nia, kim, lu, xu, lus]: readonly PlayedPerson[] = [];
const made = new Map<number, Awaited<ReturnType<typeof newFormKey>>>();

before(async () => {
  [ada, nia, kim, lu, xu, lus] = await Promise.all(
    ["Ada", "Nia", "Kim", "Lu", "Xu", "Lu"].map((name) => makePerson(name)),
  );
  for (const version of [1, 2, 3]) made.set(version, await newFormKey(version));
});

// By then its worker has an address.
const { lookAtForm, rotateForm } = await import("../../packages/dashboard/src/readers/rotate-form.ts");

const keyOf = (version: number) => made.get(version) ?? assert.fail();
const nameOf = (id: string) => [ada, nia, kim, lu, xu].find((person) => person?.id === id)?.name ?? id;

const removals = {
  "taken out without a rotation, and nothing is hidden": { isRotated: false, hides: [] },
  "taken out without a rotation, by a revision that is hidden": { isRotated: false, hides: ["envelope"] },
  "taken out by a revision that is hidden, with the rotation after it": {
    isRotated: true,
    hides: ["envelope", "version"],
  },
  "taken out by a revision that is hidden, but for the version of the rotation after it": {
    isRotated: true,
    hides: ["envelope"],
  },
} as const;

const devices = ["a fresh device", "a device that has seen the form before"] as const;

const changes = {
  "nothing changes": undefined,
  "Xu is let in": (world) => change(world, { add: [xu?.id ?? ""], remove: [] }),
  "Nia is taken out": (world) => change(world, { add: [], remove: [nia?.id ?? ""] }),
  "Nia leaves the list": async ({ server: { list } }) =>
    list.push(
      await writeEntry(list.join(""), ada ?? assert.fail(), { change: "remove", member: { id: nia?.id ?? "" } }),
    ),
} as const satisfies Readonly<Record<string, ((world: World) => Promise<unknown>) | undefined>>;

type World = Awaited<ReturnType<typeof setUp>>;

/** Rotates as Kim, and gives what came of it. `onShown` gets what is shown before anything is sent. */
type Agent = (world: World, onShown: (shown: ShownRotation) => Promise<void>) => Promise<string>;

const agents: Readonly<Record<string, Agent>> = {
  async "a form's page"({ openKims, formId, next }, onShown) {
    const kims = openKims();
    const open = async () => {
      const opened = await openForm(kims, formId);
      assert.ok(opened.kind === "opened" && opened.list.kind === "checked", opened.kind);
      return { ...opened, list: opened.list };
    };
    const form = await open();
    const shown = await requireConfirmed(kims, form, formId, {}).catch((error) => {
      if (error instanceof LostKeysError) return requireConfirmed(kims, form, formId, { lost: error.lost });
      throw error;
    });
    await onShown(shown);
    // As the page does, of which a part is loaded again.
    const { list, envelopes, refused } = await open();
    const { key, pair } = keyOf(next);
    const previous = findRotatedEnvelope(envelopes, next) ?? assert.fail();
    const parts = { key: { ...key, seed: createVersionSeed() }, previous, refused, shown };
    const rotation = { publicKey: pair.publicKey, keyVersion: next };
    const stored = await rotateWithEnvelope(kims, list, formId, rotation, parts);
    return stored.kind === "read" ? "rotated" : stored.reason;
  },
  async "the page of many forms"({ openKims, formId }, onShown) {
    const [kims, form] = [openKims(), { id: formId, name: "Vote" }];
    const looked = await lookAtForm(kims, form);
    if (looked.kind !== "shown") return looked.kind;
    await onShown(looked.shown);
    return (await rotateForm(kims, form, looked.shown)).kind;
  },
  async "a program"({ server, heads, formId }, onShown) {
    const writer = await openWriter(server, kim ?? assert.fail(), heads);
    await writer.rotateForm(formId, { confirmReaders: onShown, confirmLoss: onShown });
    return "rotated";
  },
};

const cases = Object.keys(removals).flatMap((removal) =>
  devices.flatMap((device) =>
    Object.keys(changes).flatMap((change) => Object.keys(agents).map((agent) => ({ removal, device, change, agent }))),
  ),
) as readonly {
  readonly removal: keyof typeof removals;
  readonly device: (typeof devices)[number];
  readonly change: keyof typeof changes;
  readonly agent: string;
}[];

// Where the revision is hidden by which Xu was taken out, nobody lets Xu in: Xu is in the one that is shown.
const ofPlayed = cases.filter(
  ({ removal, change }) => change !== "Xu is let in" || removals[removal].hides.length === 0,
);

for (const { removal, device, change, agent } of sampleEvery(ofPlayed, 5))
  test(`nobody gets a new key who was not named: Xu is ${removal}, ${device} rotates by ${agent}, and ${change} after the names`, async () => {
    const { isRotated, hides } = removals[removal];
    const world = await setUp({ isRotated, isSeen: device !== "a fresh device" });
    const { server, formId, next, hide } = world;
    hide(hides);
    const shown: ShownRotation[] = [];
    const before = [...server.keys];
    const rotate = agents[agent] ?? assert.fail();
    const outcome = await rotate(
      { ...world, next: hides.includes("version" as never) ? next - 1 : next },
      async (one) => {
        assert.deepEqual(server.keys, before, "it is shown before anything is sent");
        shown.push(one);
        if (shown.length === 1) await changes[change]?.(world);
      },
    ).catch(toOutcome);
    if (outcome === "lost_keys") {
      assert.deepEqual([agent, shown.length], ["the page of many forms", 0]);
      return assert.deepEqual(server.keys, before, "nothing was sent");
    }
    const [{ readers, leftOut } = assert.fail(), ...others] = shown;
    assert.equal(others.length, 0);
    const isHidden = hides.length > 0;
    assert.deepEqual(
      readers.map(({ id }) => nameOf(id)).toSorted(),
      ["Ada", "Kim", "Nia", ...(isHidden ? ["Xu"] : [])],
      "everybody for whom the shown revision would be rotated",
    );
    assert.deepEqual(
      leftOut.map(({ id, reason }) => [nameOf(id), reason]),
      [["Lu", "other_key"]],
    );
    // A program has loaded the list by then, and goes by that.
    const isSent = change === "nothing changes" || (agent === "a program" && change === "Nia leaves the list");
    assert.equal(outcome === "rotated", isSent, outcome);
    if (!isSent) return assert.deepEqual(server.keys, before, `nothing was sent: ${outcome}`);
    const version = Math.max(...server.keys.map((key) => key.version));
    const named = readers.map(({ id }) => id);
    for (const person of [ada, nia, kim, lu, lus, xu])
      assert.equal(
        await opens(server, formId, version, person),
        named.includes(person?.id ?? "") && person !== lu,
        person?.name ?? "",
      );
  });

test("a program that asks nobody rotates, and its result names the readers and who was left out", async () => {
  const { server, formId, heads } = await setUp({ isRotated: false, isSeen: true });
  const { readers, leftOut } = await (await openWriter(server, kim ?? assert.fail(), heads)).rotateForm(formId);
  assert.deepEqual(readers.map(({ id }) => nameOf(id)).toSorted(), ["Ada", "Kim", "Nia"]);
  assert.deepEqual(
    leftOut.map(({ id, name, reason }) => [nameOf(id), name, reason]),
    [["Lu", "Lu", "other_key"]],
  );
});

test("what `confirmReaders` throws ends the rotation, and nothing was made or sent", async () => {
  const { server, formId, heads } = await setUp({ isRotated: false, isSeen: true });
  const writer = await openWriter(server, kim ?? assert.fail(), heads);
  const stopped = new Error("Kim does not agree");
  const before = [...server.keys];
  await assert.rejects(writer.rotateForm(formId, { confirmReaders: () => Promise.reject(stopped) }), stopped);
  assert.deepEqual(server.keys, before);
});

/** As Ada, on a device that has not seen what the server hides. */
async function change({ server, formId }: World, readers: Parameters<typeof changeReaders>[2]): Promise<void> {
  const { length } = server.envelopes.get(1) ?? [];
  await changeReaders(openBrowser(server, ada ?? assert.fail()), [formId], readers);
  assert.equal(server.envelopes.get(1)?.length, length + 1);
}

function toOutcome(error: unknown): string {
  if (error instanceof OvertakenError) return "overtaken";
  if (error instanceof ApiError && error.status === 412) return "overtaken";
  throw error;
}

/** Ada's form, and what Kim's device has seen of it. Then Xu is taken out, Ada may rotate, and Lu gets another key. */
async function setUp({ isRotated, isSeen }: { readonly isRotated: boolean; readonly isSeen: boolean }) {
  assert.ok(ada && nia && kim && lu && xu && lus);
  const server = playServer();
  const adas = openBrowser(server, ada);
  await findOrFoundList(adas);
  const write = async (entry: Parameters<typeof writeEntry>[2]) =>
    server.list.push(await writeEntry(server.list.join(""), ada ?? assert.fail(), entry));
  for (const one of [nia, kim, lu, xu]) await write({ change: "add", member: toMember(one, "manager") });
  const list = await loadCheckedList(adas);
  const formId = createId("form");
  const { key, pair } = keyOf(1);
  await createFormWithEnvelope(adas, list, { formId, name: "Vote", publicKey: pair.publicKey }, key);
  await changeReaders(adas, [formId], { add: [nia.id, kim.id, lu.id, xu.id], remove: [] });
  const heads = createMemoryStore();
  await createHeads(heads).advanceList(organizationId, undefined, list.list.head);
  const openKims = () => openBrowser(server, kim ?? assert.fail(), createHeads(heads));
  if (isSeen) await openForm(openKims(), formId);
  const { length } = server.envelopes.get(1) ?? [];
  await changeReaders(adas, [formId], { add: [], remove: [xu.id] });
  const log = server.keyLogs.get(formId);
  if (isRotated) {
    const before = await openForm(adas, formId);
    const [previous = assert.fail()] = before.kind === "opened" ? before.envelopes : [];
    const rotation = { publicKey: keyOf(2).pair.publicKey, keyVersion: 2 };
    await rotateAsShown(adas, list, formId, rotation, { key: keyOf(2).key, previous });
  }
  lus = { ...lus, id: lu.id };
  await write({ change: "replace", member: toMember(lus, "manager") });
  const hide = (what: readonly string[]) => {
    if (what.includes("envelope")) server.envelopes.get(1)?.splice(length);
    if (!what.includes("version")) return;
    server.keys.splice(1);
    if (log !== undefined) server.keyLogs.set(formId, log);
  };
  return { server, formId, heads, openKims, hide, next: isRotated ? 3 : 2 };
}

/** Whether this person's key opens the newest revision, with this version in it. */
async function opens(server: PlayedServer, formId: FormId, version: number, person?: PlayedPerson) {
  const files = server.envelopes.get(1) ?? [];
  const { list } = await loadCheckedList(openBrowser(server, ada ?? assert.fail()));
  const expected = { list, formId, firstVersion: 1, revision: files.length };
  const opened = await openEnvelope(files.at(-1) ?? assert.fail(), person?.key.identity ?? "", expected);
  return !(opened instanceof RefusalError) && opened.content.keys.some((key) => key.version === version);
}

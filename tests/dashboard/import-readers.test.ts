import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { before, test } from "node:test";
import {
  type FormKey,
  findRotatedEnvelope,
  firstVersionOf,
  openEnvelope,
  RefusalError,
  sealEnvelope,
} from "@sealpost/envelope";
import { findShown, type StoredEnvelope } from "@sealpost/sdk/envelopes";
import { createHeads } from "../../packages/dashboard/src/envelopes/heads.ts";
import { loadCheckedList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { openForm } from "../../packages/dashboard/src/envelopes/open-form.ts";
import { findImportReaders, importKeys } from "../../packages/dashboard/src/envelopes/store-envelope.ts";
import { setUp, type Team, write } from "../support/played-team.ts";
import { rotateAsShown } from "../support/rotate-as-shown.ts";
import { isEveryWay } from "../support/sample.ts";
import { newFormKey, openBrowser, toSigner } from "./played-envelopes.ts";

// A key that is put in begins an envelope where its version has no place in one yet. The next rotation continues that one: anyone who does not read it has lost the form.

type Made = Awaited<ReturnType<typeof newFormKey>>;
type Person = keyof Team["people"];

const made = new Map<number, Made>();
const keyOf = (version: number): Made => made.get(version) ?? assert.fail();

before(async () => {
  for (const version of [2, 3, 33, 34, 35, 65, 66]) made.set(version, await newFormKey(version));
});

const everybody: readonly Person[] = ["ada", "nia", "mo", "rob"];
const withoutMo: readonly Person[] = ["ada", "nia", "rob"];

interface World {
  /** First versions of the envelopes that open. */
  readonly open: readonly number[];
  readonly refused?: number;
  readonly hidden?: number;
}

/** Envelopes of the form: all four read the one of version 1, and Mo does not read the one of version 33. */
const worlds: Readonly<Record<string, World>> = {
  none: { open: [] },
  one: { open: [1] },
  two: { open: [1, 33] },
  "one above alone": { open: [33] },
  "two, the last refused": { open: [1], refused: 33 },
  "two, the last hidden": { open: [1], hidden: 33 },
  "two, the first refused": { open: [33], refused: 1 },
};

const readersOf = (firstVersion: number) => (firstVersion === 1 ? everybody : withoutMo);

interface Case {
  readonly name: string;
  readonly version: number;
  readonly who: "ada" | "nia";
  /** `undefined`: nothing is put in. */
  readonly readers: readonly Person[] | undefined;
}

/** Keys whose version has its place in the first envelope, in the next, and two above. */
const cases: readonly Case[] = Object.entries(worlds).flatMap(([name, world]) =>
  [2, 34, 65].flatMap((version) =>
    (["ada", "nia"] as const).map((who) => ({ name, version, who, readers: findExpected(world, version, who) })),
  ),
);

function findExpected({ open, refused, hidden }: World, version: number, who: Person): Case["readers"] {
  const all = [...open, ...[refused, hidden].flatMap((one) => one ?? [])].sort((one, other) => one - other);
  if (all.length === 0) return [who];
  const own = firstVersionOf(version);
  const nearest = all.includes(own) ? own : (all.findLast((one) => one < own) ?? all[0] ?? assert.fail());
  return open.includes(nearest) ? readersOf(nearest) : undefined;
}

const sampled = cases.filter((_, index) => isEveryWay || index % 2 === Math.floor(index / 2) % 2);

const isPutIn = ({ readers }: Case) => readers !== undefined;

for (const one of sampled.filter(isPutIn))
  test(`a key of version ${one.version} that ${one.who} puts in, with envelopes: ${one.name}, is read by everybody who reads the nearest envelope, who were named, and by nobody else`, () =>
    tryOne(one));

for (const one of sampled.filter((other) => !isPutIn(other)))
  test(`a key of version ${one.version} is not put in by ${one.who} where nobody can say who reads it, with envelopes: ${one.name}`, () =>
    tryOne(one));

async function tryOne({ name, version, who, readers }: Case): Promise<void> {
  const team = await setUp("without");
  const world = worlds[name] ?? assert.fail();
  const { server, formId, people } = team;
  const browser = await build(team, world, who);
  const { key } = keyOf(version);
  server.keys.push({ version, fingerprint: key.fingerprint });
  const opening = await openForm(browser, formId);
  const envelopes = opening.kind === "opened" ? opening.envelopes : [];
  assert.deepEqual(
    envelopes.map(({ firstVersion }) => firstVersion),
    world.open,
  );
  const list = await loadCheckedList(browser);
  const shown = findImportReaders(list, [key], envelopes);
  const before = countOf(team);
  const importing = importKeys(browser, list, formId, [key], envelopes, "Vote", shown);
  if (readers === undefined) {
    await assert.rejects(importing, /does not open here/);
    assert.equal(countOf(team), before, "nothing was sent");
    return;
  }
  const idsOf = (some: readonly Person[]) => some.map((person) => people[person].id).sort();
  assert.deepEqual(shown, [{ versions: [version], readerIds: idsOf(readers) }], "all of them were named");
  assert.deepEqual(kinds(await importing), ["read"]);
  assert.deepEqual(await findReaders(team, version), readers);
  // The form's newest key is carried on, for the same people.
  if (version < Math.max(...server.keys.map((one) => one.version))) return;
  const after = await openForm(browser, formId);
  assert.ok(after.kind === "opened");
  const previous = after.envelopes.find(({ firstVersion }) => firstVersion === firstVersionOf(version));
  const next = keyOf(version + 1);
  const rotation = { publicKey: next.pair.publicKey, keyVersion: version + 1 };
  const rotated = { key: next.key, previous: previous ?? assert.fail() };
  const stored = await rotateAsShown(browser, list, formId, rotation, rotated);
  assert.equal(stored.kind, "read");
  assert.deepEqual(await findReaders(team, version + 1), readers);
}

test("keys of several envelopes that are put in at once begin each for the readers of the nearest one that was there", async () => {
  const team = await setUp("without");
  const { server, formId, people } = team;
  const browser = await build(team, { open: [1] }, "nia");
  const keys = [65, 34, 2].map((version) => keyOf(version).key);
  server.keys.push(...keys.map(({ version, fingerprint }) => ({ version, fingerprint })));
  const opening = await openForm(browser, formId);
  assert.ok(opening.kind === "opened" && opening.list.kind === "checked");
  const shown = findImportReaders(opening.list, keys, opening.envelopes);
  const ids = everybody.map((person) => people[person].id).sort();
  assert.deepEqual(
    shown,
    [[2], [34], [65]].map((versions) => ({ versions, readerIds: ids })),
  );
  const stored = await importKeys(browser, opening.list, formId, keys, opening.envelopes, "Vote", shown);
  assert.deepEqual(kinds(stored), ["read", "read", "read"]);
  for (const version of [2, 34, 65]) assert.deepEqual(await findReaders(team, version), everybody);
});

test("a rotation that continues an envelope names who reads the one below it, and not this one", async () => {
  const team = await setUp("without");
  const { formId, people } = team;
  const opening = await openForm(await build(team, { open: [1, 33] }, "nia"), formId);
  assert.ok(opening.kind === "opened" && opening.list.kind === "checked");
  const previous = findRotatedEnvelope(opening.envelopes, 34) ?? assert.fail();
  const { readers, leftOut } = findShown(opening.list, previous, opening.envelopes);
  assert.deepEqual(
    readers.map(({ id }) => id),
    withoutMo.map((person) => people[person].id).sort(),
  );
  assert.deepEqual(
    leftOut.map(({ id, reason }) => [id, reason]),
    [[people.mo.id, "below"]],
  );
});

test("no envelope is begun above one that could not be read back", async () => {
  const team = await setUp("without");
  const { server, formId } = team;
  const browser = await build(team, { open: [1] }, "nia");
  const keys = [34, 65].map((version) => keyOf(version).key);
  server.keys.push(...keys.map(({ version, fingerprint }) => ({ version, fingerprint })));
  const opening = await openForm(browser, formId);
  assert.ok(opening.kind === "opened" && opening.list.kind === "checked");
  const shown = findImportReaders(opening.list, keys, opening.envelopes);
  server.lies.storeEnvelope = async () => undefined;
  const stored = await importKeys(browser, opening.list, formId, keys, opening.envelopes, "Vote", shown);
  assert.deepEqual(kinds(stored), ["unread"]);
});

/** The form's envelopes, and a device that has opened what it could before anything was hidden. */
async function build(team: Team, { open, refused, hidden }: World, who: Person) {
  const { server, formId, people } = team;
  const firstVersions = [...open, refused ?? 0, hidden ?? 0];
  if (firstVersions.includes(33)) {
    server.keys.push({ version: 33, fingerprint: keyOf(33).key.fingerprint });
    const { list } = await team.load();
    const readerIds = withoutMo.map((person) => people[person].id);
    const parts = { list, signer: await toSigner(people.ada), formId, formName: "Vote", readerIds };
    server.envelopes.set(33, [(await sealEnvelope({ ...parts, keys: [keyOf(33).key] })).file]);
    await write(team, people.ada, { readerIds }, 33);
  }
  if (!firstVersions.includes(1)) server.envelopes.delete(1);
  if (open.length === 0) server.keys.length = 0;
  // Junk, as any manager can store it.
  if (refused !== undefined) server.envelopes.get(refused)?.push(new Uint8Array(10));
  const browser = openBrowser(server, people[who], createHeads(await team.see()));
  await openForm(browser, formId);
  if (hidden !== undefined) server.envelopes.delete(hidden);
  return browser;
}

/** Everybody whose personal key opens the newest revision of the envelope with this version, and finds its key there. */
async function findReaders({ server, formId, people, load }: Team, version: number): Promise<readonly string[]> {
  const firstVersion = firstVersionOf(version);
  const files = server.envelopes.get(firstVersion) ?? [];
  const { list } = await load();
  const opening: string[] = [];
  for (const [name, { key }] of Object.entries(people)) {
    const expected = { list, formId, firstVersion, revision: files.length, isForgotten: true };
    const opened = await openEnvelope(files.at(-1) ?? assert.fail(), key.identity, expected);
    const hasKey = (one: FormKey) => one.version === version && one.fingerprint === keyOf(version).key.fingerprint;
    if (!(opened instanceof RefusalError) && opened.content.keys.some(hasKey)) opening.push(name);
  }
  return everybody.filter((person) => opening.includes(person)).concat(opening.includes("rea") ? ["rea"] : []);
}

const kinds = (stored: readonly StoredEnvelope[]) => stored.map(({ kind }) => kind);
const countOf = ({ server }: Team) => [...server.envelopes.values()].flat().length;

import assert from "node:assert/strict";
import { test } from "node:test";
import { formatNames, type NameText } from "@sealpost/envelope";
import { createId } from "@sealpost/wire";
import { changeList } from "../../packages/dashboard/src/envelopes/change-list.ts";
import { loadList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { openForm } from "../../packages/dashboard/src/envelopes/open-form.ts";
import { changeReaders } from "../../packages/dashboard/src/envelopes/sweep.ts";
import {
  knownNames,
  makePerson,
  newFormKey,
  openBrowser,
  organizationId,
  type PlayedPerson,
  playServer,
  toMember,
  writeEntry,
  writeEnvelope,
} from "../dashboard/played-envelopes.ts";

// Signed lists have commitments in the place of names, which are next to them in a file that nobody signs (SPECIFICATION.md section 14): what a server makes of that file.

async function setUp() {
  const [ada, bo, cleo] = await Promise.all(["Ada", "Bo", "Cleo"].map(makePerson));
  if (!ada || !bo || !cleo) return assert.fail();
  const server = playServer();
  const write = async (by: PlayedPerson, change: Parameters<typeof writeEntry>[2]) =>
    void server.list.push(await writeEntry(server.list.join(""), by, change));
  await write(ada, { change: "add", member: toMember(ada) });
  await write(ada, { change: "add", member: toMember(bo, "reader") });
  await write(ada, { change: "add", member: toMember(cleo, "reader") });
  const formId = createId("form");
  const { key } = await newFormKey(1);
  server.keys.push({ version: 1, fingerprint: key.fingerprint });
  const parts = { formId, readerIds: [ada.id], keys: [key] };
  server.envelopes.set(1, [await writeEnvelope(server.list.join(""), ada, parts)]);
  /** The server shows these lines in the place of the right ones. */
  const show = (change: (lines: readonly NameText[]) => readonly NameText[]) => {
    const lines = change([...knownNames.values()]);
    server.lies.fetchNames = async () => new TextEncoder().encode(formatNames(organizationId, lines));
  };
  const browser = openBrowser(server, ada);
  return { ada, bo, cleo, server, write, formId, show, browser };
}

type World = Awaited<ReturnType<typeof setUp>>;

async function namesOf({ browser }: Pick<World, "browser">, people: readonly PlayedPerson[]) {
  const loaded = await loadList(browser);
  assert.ok(loaded.kind === "checked", loaded.kind);
  return people.map(({ id }) => loaded.list.members.get(id)?.name);
}

const lineOf = (lines: readonly NameText[], name: string) => lines.find((line) => line.name === name) ?? assert.fail();

/** Lies about the names of Bo and Cleo. */
const lies: Readonly<Record<string, (lines: readonly NameText[]) => readonly NameText[]>> = {
  "hides them": (lines) => lines.filter(({ name }) => name !== "Bo" && name !== "Cleo"),
  "swaps them": (lines) => {
    const [bo, cleo] = [lineOf(lines, "Bo"), lineOf(lines, "Cleo")];
    const swapped = [
      { ...cleo, commitment: bo.commitment },
      { ...bo, commitment: cleo.commitment },
    ];
    return [...lines.filter((line) => line !== bo && line !== cleo), ...swapped];
  },
  "gives them others": (lines) => lines.map((line) => ({ ...line, name: line.name === "Ada" ? "Ada" : "Eve" })),
  "gives them one that looks alike": (lines) =>
    lines.map((line) => ({ ...line, name: line.name.replace("Bo", "Во").replace("Cleo", "Сleo") })),
  "changes their salts": (lines) =>
    lines.map((line) => (line.name === "Ada" ? line : { ...line, salt: "A".repeat(43) })),
  "shows a file in no format": (lines) => [...lines, { ...lineOf(lines, "Bo"), name: "a\nb" }],
};

for (const [what, lie] of Object.entries(lies))
  test(`a server that ${what}: no name is shown but the signed one, nothing is sealed for a member without one, and the list verifies`, async () => {
    const world = await setUp();
    const { ada, bo, cleo, browser, formId, show, server } = world;
    assert.deepEqual(await namesOf(world, [ada, bo, cleo]), ["Ada", "Bo", "Cleo"]);
    const others = (lines: readonly NameText[]) => lie(lines.filter(({ commitment }) => isOf(server.list, commitment)));
    show(others);
    const shown = await namesOf(world, [bo, cleo]);
    assert.deepEqual(shown, [undefined, undefined]);
    assert.equal((await openForm(browser, formId)).kind, "opened", "who reads, reads on");
    const [refused] = await changeReaders(browser, [formId], { add: [bo.id], remove: [] });
    assert.deepEqual(refused, { formId, kind: "failed", failure: { kind: "envelope", reason: "name_missing" } });
    assert.equal(server.envelopes.get(1)?.length, 1, "nothing was sealed");
    delete server.lies.fetchNames;
    const [changed] = await changeReaders(browser, [formId], { add: [bo.id], remove: [] });
    assert.equal(changed?.kind, "changed");
    show(others);
    const [kept] = await changeReaders(browser, [formId], { add: [], remove: [ada.id].slice(1) });
    assert.equal(kept?.kind, "unchanged", "a reader of the revision before stays");
  });

/** Other tests of this file have written names as well. */
const isOf = (list: readonly string[], commitment: string) => list.some((entry) => entry.includes(commitment));

test("after a change of name no server shows the former one, and an entry that changes something else keeps the name", async () => {
  const world = await setUp();
  const { ada, bo, browser, write, show, server } = world;
  await write(ada, { change: "replace", member: { ...toMember(bo, "reader"), name: "Bo Other" } });
  assert.deepEqual(await namesOf(world, [bo]), ["Bo Other"]);
  const former = (lines: readonly NameText[]) =>
    lines
      .filter(({ commitment }) => isOf(server.list, commitment))
      .map((line) => (line.name === "Bo Other" ? { ...lineOf(lines, "Bo"), commitment: line.commitment } : line));
  show(former);
  assert.deepEqual(await namesOf(world, [bo]), [undefined]);
  show((lines) => lines.filter(({ name }) => name !== "Bo Other"));
  assert.deepEqual(await namesOf(world, [bo]), [undefined]);
  // Another role, written while the name is hidden: the commitment stays, and so does the name once it is shown again.
  await changeList(browser, ({ list: { members } }) => {
    const member = members.get(bo.id) ?? assert.fail();
    return member.role === "auditor" ? undefined : { change: "replace", member: { ...member, role: "auditor" } };
  });
  delete server.lies.fetchNames;
  assert.deepEqual(await namesOf(world, [bo]), ["Bo Other"]);
});

import "../../packages/dashboard/testing/with-texts.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { findDoubts, type Member } from "@sealpost/envelope";
import { findOrFoundList } from "../../packages/dashboard/src/envelopes/found-list.ts";
import { loadList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { toReaderRows } from "../../packages/dashboard/src/readers/reader-rows.ts";
import type { Commitment } from "../../packages/envelope/src/commitment.ts";
import { makePerson, openBrowser, type PlayedPerson, playServer, toMember, writeEntry } from "./played-envelopes.ts";

const member = (id: string, role: Member["role"]): Member => ({
  ...{ id, name: id, role, recipient: "", signingKey: null },
  commitment: "" as unknown as Commitment, // nobody looks at it
});
const members = new Map(
  [
    member("ada", "owner"),
    member("bo", "reader"),
    member("cy", "reader"),
    member("dan", "auditor"),
    member("eve", "program"),
  ].map((one) => [one.id, one]),
);
const envelope = (ids: readonly string[], outdated: readonly string[] = []) => ({
  readers: ids.map((id) => ({ id, name: id, fingerprint: "", by: id })),
  outdated,
});

test("readers are those of the list and the envelopes; what the server grants is named and makes nobody a reader", () => {
  const granted = [
    { id: "ada", role: "owner", forms: null },
    { id: "bo", role: "reader", forms: ["other"] },
    { id: "cy", role: "reader", forms: ["form"] },
    { id: "stranger", role: "manager", forms: null },
  ] as const;
  const envelopes = [envelope(["ada", "bo", "dan", "gone"], ["bo", "dan", "gone"]), envelope(["ada", "eve"])];
  const rows = toReaderRows(
    members,
    envelopes,
    granted.map((one) => ({ ...one, forms: one.forms && [...one.forms] })),
    "form",
    () => ({ alike: [], ownWord: [] }),
  );
  assert.deepEqual(
    rows.map(({ id, reads, hasAccess }) => [id, reads, hasAccess]),
    [
      ["ada", "all", true],
      ["bo", "other_key", false],
      ["cy", "none", true],
      ["dan", "gone", undefined],
      ["eve", "some", undefined],
      ["gone", "gone", undefined],
    ],
  );
});

test("readers whose name looks like another's, or who alone say their name or key, are flagged", async () => {
  const [ada, cleo, mia] = await Promise.all(["Ada", "Cleo Example", "Mia Example"].map(makePerson));
  assert.ok(ada && cleo && mia);
  const server = playServer();
  const adas = openBrowser(server, ada);
  await findOrFoundList(adas);
  const write = async (by: PlayedPerson, change: "add" | "replace", one: PlayedPerson) =>
    server.list.push(await writeEntry(server.list.join(""), by, { change, member: toMember(one, "reader") }));
  for (const one of [cleo, mia]) await write(ada, "add", one);
  const flags = async () => {
    const loaded = await loadList(adas);
    assert.ok(loaded.kind === "checked");
    const rows = toReaderRows(loaded.list.members, [], [], "form", findDoubts(loaded.list));
    return new Map(rows.map(({ id, alike, ownWord }) => [id, [...alike, ...ownWord]]));
  };
  assert.deepEqual([...(await flags()).values()], [[], [], []], "control");
  for (const name of ["Cleo Example", "Cl\u0435o Example", "Cleo\u200b Example"]) {
    await write(mia, "replace", { ...mia, name });
    assert.deepEqual((await flags()).get(mia.id), ["Cleo Example", "name"]);
    assert.deepEqual((await flags()).get(cleo.id)?.length, 1, "the one whose name was taken is flagged as well");
  }
  const { key } = await makePerson("Mia Example");
  await write(mia, "replace", { ...mia, name: "Mia Sample", key });
  assert.deepEqual((await flags()).get(mia.id), ["keys", "name"]);
  await write(ada, "replace", { ...mia, name: "Mia Muster" });
  assert.deepEqual((await flags()).get(mia.id), [], "somebody else says so");
});

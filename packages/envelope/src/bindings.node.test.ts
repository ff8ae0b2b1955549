import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type SignedObject, signedObjects, signObject } from "./testing/signed-objects.ts";

// The table of SPECIFICATION.md section 25, against objects that are honestly signed.

const specification = readFileSync(join(import.meta.dirname, "../../wire/SPECIFICATION.md"), "utf8");
const objects = await signedObjects();

type Content = SignedObject["content"];

interface Row {
  readonly label: string;
  /** The members that each cell names, by the column's name. */
  readonly members: ReadonlyMap<string, readonly string[]>;
}

/** The first table of the section. */
function readTable(): readonly Row[] {
  const section = specification.slice(specification.indexOf("\n## 25. "), specification.indexOf("\n## 26. "));
  const [head = [], , ...rows] = (/(?:^\|.*\n)+/m.exec(section)?.[0] ?? "")
    .trim()
    .split("\n")
    .map((line) => line.split(" | ").map((cell) => cell.replaceAll(/^\| | \|$/g, "")));
  return rows.map(([first = "", ...cells]) => ({
    label: namesIn(first)[0] ?? "",
    members: new Map(cells.map((cell, index) => [head[index + 1] ?? "", namesIn(cell)])),
  }));
}

function namesIn(cell: string): readonly string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
}

const rows = readTable();

function rowOf({ label }: SignedObject): Row {
  const row = rows.find((one) => one.label === label);
  if (row === undefined) throw new Error(`No row for ${label}`);
  return row;
}

/** Where a reader knows what a member has to be, somebody else's honest object is refused by it: the one that `others` calls so. */
const places = { organization: "another organization", form: "another form", person: "another person" } as const;
const placeMembers = ["organizationId", "formId", "personId", "signedBy"];

test("each object that is signed has a row, and each row is of one", () => {
  assert.deepEqual(rows.map(({ label }) => label).sort(), objects.map(({ label }) => label).sort());
});

for (const object of objects) {
  const { label, content, others, take, wrong = "not_signed" } = object;

  test(`${label}: the row names every member of the content, and no other`, () => {
    // An `add` has no member of another change, and an answer names the list of its terms.
    const elsewhere =
      { "sealpost-list/1": ["members", "name", "shown"], "sealpost-admission-answer/1": ["list"] }[label] ?? [];
    const named = new Set([...rowOf(object).members.values()].flat());
    for (const member of elsewhere) assert.ok(named.delete(member), member);
    const members = Object.keys(content).filter((name) => name !== "extensions" && name !== "critical");
    assert.deepEqual([...named].sort(), members.sort());
  });

  test(`${label}: no bound member may be another under the same signature`, async () => {
    const signed = new TextDecoder().decode(await signObject(object)).split("\n");
    const takeWith = async (edited: Content) =>
      take(new TextEncoder().encode(`${JSON.stringify(edited)}\n${signed[1]}\n`));
    assert.equal(await takeWith(content), "taken", "the control");
    for (const member of Object.keys(content))
      for (const [what, value] of otherValues(content[member], member, others))
        assert.notEqual(await takeWith({ ...content, [member]: value }), "taken", `${member}: ${what}`);
  });

  test(`${label}: what the same key signed honestly for another place is refused in this one`, async () => {
    const { members } = rowOf(object);
    for (const [column, name] of Object.entries(places)) {
      const bound = (members.get(column) ?? []).filter((member) => placeMembers.includes(member));
      const other = others[name]?.content;
      if (bound.length === 0) continue;
      assert.ok(other, `${column} is bound, so there is a case of ${name}`);
      for (const member of bound) assert.notEqual(other[member], content[member], member);
      assert.notEqual(await take(await signObject(object, JSON.stringify(other))), "taken", name);
    }
    const purpose = members.get("purpose") ?? [];
    assert.ok(purpose.includes("format"));
    for (const { label: other } of objects)
      if (other !== label) assert.equal(await take(await signObject(object, undefined, other)), wrong, other);
  });
}

/** Honest values of others, and each leaf as something else. */
function* otherValues(
  value: unknown,
  member: string,
  others: SignedObject["others"],
): Generator<readonly [string, unknown]> {
  for (const [name, other] of Object.entries(others))
    if (JSON.stringify(other.content[member]) !== JSON.stringify(value)) yield [name, other.content[member]];
  yield* changedLeaves(value, "");
}

/** A value, unchanged in each place but one, which has something else of the same kind. */
function* changedLeaves(value: unknown, path: string): Generator<readonly [string, unknown]> {
  if (typeof value === "string")
    yield [path, value.endsWith("A") ? `${value.slice(0, -1)}E` : `${value.slice(0, -1)}A`];
  else if (typeof value === "number") yield [path, value + 1];
  else if (typeof value === "boolean") yield [path, !value];
  else if (value === null) yield [path, "A".repeat(43)];
  else if (Array.isArray(value)) {
    yield value.length > 0 ? [`${path}, fewer`, value.slice(1)] : [`${path}, more`, ["A".repeat(43)]];
    for (const [index, item] of value.entries())
      for (const [where, changed] of changedLeaves(item, `${path}[${index}]`))
        yield [where, value.with(index, changed)];
  } else
    for (const [key, item] of Object.entries(value as object))
      for (const [where, changed] of changedLeaves(item, `${path}.${key}`))
        yield [where, { ...(value as object), [key]: changed }];
}

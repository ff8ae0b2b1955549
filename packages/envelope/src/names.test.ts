import assert from "node:assert/strict";
import { test } from "node:test";
import { verifyList } from "./list.ts";
import { areLookAlikes, foldName } from "./look-alikes.ts";
import { commitName, computeCommitment, isNameLineOf, type NameOwner, readNames } from "./names.ts";
import { RefusalError } from "./refusal.ts";
import {
  expectedOfFile,
  expectedOfNamedList,
  nameVectorFile,
  ownerOf,
  tryFile,
  tryNamedList,
} from "./testing/name-conformance.ts";
import { idOf, organizationId } from "./testing/people.ts";

const { commitments, files, lists, folds, lookAlikes } = nameVectorFile;
const owner: NameOwner = { use: "member", organizationId, id: idOf("owner") };

test("a commitment is to one name, of one owner, with one salt", async () => {
  for (const vector of commitments)
    assert.equal(
      String(await computeCommitment(ownerOf(vector), { ...vector, name: vector.name ?? "" })),
      vector.commitment,
    );
  assert.equal(new Set(commitments.map(({ commitment }) => commitment)).size, commitments.length);
});

for (const vector of files)
  test(`names: ${vector.name}`, async () => {
    assert.deepEqual(await tryFile(readNames, vector), expectedOfFile(vector));
  });

for (const vector of lists)
  test(vector.name, async () => {
    assert.deepEqual(await tryNamedList(verifyList, vector), expectedOfNamedList(vector));
  });

test("names that look alike have one fold, whatever their letters are", () => {
  for (const { name, fold } of folds) assert.equal(foldName(name), fold, JSON.stringify(name));
  for (const vector of lookAlikes) assert.equal(areLookAlikes(vector.one, vector.other), vector.areLookAlikes);
});

test("two commitments to one name are different, and each line proves its name to its owner alone", async () => {
  const lines = [await commitName(owner, "Ada Example"), await commitName(owner, "Ada Example")] as const;
  assert.notEqual(lines[0].commitment, lines[1].commitment);
  for (const line of lines) {
    assert.ok(await isNameLineOf(owner, line));
    assert.ok(!(await isNameLineOf({ ...owner, id: idOf("reader") }, line)));
    assert.ok(!(await isNameLineOf(owner, { ...line, name: "Eve Example" })));
    assert.ok(!(await isNameLineOf(owner, { ...line, salt: "" })));
  }
  await assert.rejects(commitName(owner, "Ada\u202e"), RefusalError);
});

import assert from "node:assert/strict";
import { test } from "node:test";
import vectors from "../../wire/vectors/names.json" with { type: "json" };
import { areLookAlikes, foldName } from "./look-alikes.ts";
import { commitName, computeCommitment, isNameLineOf, type NameOwner, parseCommitment, readNames } from "./names.ts";
import { RefusalError } from "./refusal.ts";
import { bytesOfFile, type NameVectors } from "./testing/name-vectors.ts";
import { idOf, organizationId } from "./testing/people.ts";

const { commitments, files, folds, lookAlikes } = vectors as unknown as NameVectors; // what `nameVectors` has written
const owner: NameOwner = { use: "member", organizationId, id: idOf("owner") };

function ownerOf({ use, organizationId: of, id }: { use: string; organizationId: string; id: string }): NameOwner {
  return use === "member" ? { use, organizationId: of, id } : { use: "organization", organizationId: of };
}

test("a commitment is to one name, of one owner, with one salt", async () => {
  for (const vector of commitments)
    assert.equal(
      String(await computeCommitment(ownerOf(vector), { ...vector, name: vector.name ?? "" })),
      vector.commitment,
    );
  assert.equal(new Set(commitments.map(({ commitment }) => commitment)).size, commitments.length);
});

for (const vector of files) {
  test(`names: ${vector.name}`, async () => {
    const file = await readNames(bytesOfFile(vector), vector.organizationId);
    for (const { use, id, commitment, name } of vector.asked) {
      const asked = ownerOf({ use, organizationId: vector.organizationId, id });
      assert.equal((await file.find(asked, parseCommitment(commitment))) ?? null, name);
    }
  });
}

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
